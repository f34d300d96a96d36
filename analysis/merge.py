"""Shards of one sweep -> one results file, as if it had not been sharded.

Refused unless allowed: shards of other GPUs, configs or revisions; the same shard or the same row twice;
holes (shards that are missing, or that were killed before their last cell). The merged file's
`tally.shards` is the manifest: what came from where. A merged file is itself a results file, and with the
holes allowed it can be merged again with what was missing.
"""

from __future__ import annotations

import copy
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from analysis.errors import UserError
from analysis.load import Results

KINDS = ("gpu", "config", "revision", "duplicates", "holes")


def merge(files: Sequence[Results], allow: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The merged document. Raises UserError, naming every reason to refuse."""
    problems = [*_mixed(files, allow), *_duplicates(files, allow), *_holes(files, allow)]
    if problems:
        raise UserError("refused to merge: " + "; ".join(problems))
    files = sorted(files, key=lambda results: min(shard["index"] for shard in _shards(results)))
    # An empty shard opened no device: it knows neither GPU nor ceilings.
    first = next((results for results in files if len(results.rows)), files[0])
    merged = copy.deepcopy(first.document)
    merged["benchmarks"] = _rows(files)
    tally = merged["tally"]
    failures = _once([failure for results in files for failure in results.failures])
    if len(files) > 1:
        place = _place_in_plan(tally.get("config", {}))
        failures.sort(key=lambda failure: (failure["status"] == "skipped", place(failure.get("problem", ""))))
    tally["failures"] = failures
    tally["shard"] = {"index": 0, "count": 1}
    tally["shards"] = sorted(
        (shard for results in files for shard in _shards(results)), key=lambda shard: shard["index"]
    )
    if "plan" in tally:
        plans = [results.tally.get("plan", {}) for results in files]
        tally["plan"] = {key: sum(plan.get(key, 0) for plan in plans) for key in tally["plan"]}
    if any("static_facts" in results.tally for results in files):
        kernels = [kernel for results in files for kernel in results.tally.get("static_facts", [])]
        tally["static_facts"] = [
            kernel for place, kernel in enumerate(kernels) if kernel not in kernels[:place]
        ]
    if "seconds" in tally:
        tally["seconds"] = _seconds(files)
    provenance = tally.get("provenance", {})
    if devices := _devices(files):
        tally["devices"] = devices
        if len(devices) > 1:
            provenance.pop("gpu_uuid", None)
    for key, choose in (("started", min), ("finished", max)):
        dates = [date for results in files if (date := results.tally.get("provenance", {}).get(key))]
        if dates:
            provenance[key] = choose(dates)
    return merged


def _seconds(files: list[Results]) -> dict[str, Any]:
    """What all runs took, added up."""
    workers: dict[str, float] = {}
    taken = [results.tally.get("seconds", {}) for results in files]
    for one in taken:
        for account, seconds in one.get("workers", {}).items():
            workers[account] = workers.get(account, 0) + seconds
    return {"wall": sum(one.get("wall", 0) for one in taken), "workers": workers}


def _shards(results: Results) -> list[dict[str, Any]]:
    """What the manifest says of one file; the shards themselves where the file was merged before."""
    if "shards" in results.tally:
        return results.tally["shards"]
    shard = results.tally.get("shard", {"index": 0, "count": 1})
    provenance = results.tally.get("provenance", {})
    facts = {key: provenance[key] for key in ("gpu_uuid", "started", "finished") if key in provenance}
    return [
        {
            **shard,
            "file": results.path.name,
            "sha256": results.sha256,
            "host": results.context.get("host_name", ""),
            "gpu": results.fact("gpu"),
            "rows": len(results.rows),
            "failures": len(results.failures),
            **facts,
        }
    ]


def _devices(files: Sequence[Results]) -> list[dict[str, Any]]:
    """The devices of all files, each once, with its host and the rows that it measured."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for results in files:
        for device in results.tally.get("devices", []):
            host = device.get("host", results.context.get("host_name", ""))
            index = str(device.get("index", 0))
            key = (device["uuid"],) if "uuid" in device else (host, device.get("kind", ""), index)
            rows = found[key]["rows"] if key in found else 0
            found[key] = {**device, "host": host, "rows": rows + device.get("rows", 0)}
    return list(found.values())


def _mixed(files: Sequence[Results], allow: frozenset[str]) -> list[str]:
    problems = []
    for kind, name, fact in (
        ("gpu", "GPU", lambda results: results.fact("gpu")),
        ("config", "config", lambda results: results.tally["config_hash"]),
        ("revision", "git revision", lambda results: results.fact("git_revision")),
    ):
        # Nothing was measured in an empty shard, so on no other GPU either.
        known = [results for results in files if kind != "gpu" or len(results.rows)] or files[:1]
        first = known[0]
        odd = next((results for results in known if fact(results) != fact(first)), None)
        if odd is not None and kind not in allow:
            problems.append(
                f"other {name}: {fact(first) or '(not known)'} in {first.path}, "
                f"{fact(odd) or '(not known)'} in "
                f"{odd.path} (--allow {kind})"
            )
    return problems


def _duplicates(files: Sequence[Results], allow: frozenset[str]) -> list[str]:
    if "duplicates" in allow:
        return []
    places: dict[int, str] = {}
    for results in files:
        for shard in _shards(results):
            if shard["count"] > 1 and shard["index"] in places:
                return [
                    f"shard {shard['index']} is in both {places[shard['index']]} and {results.path} "
                    f"(--allow duplicates)"
                ]
            places[shard["index"]] = str(results.path)
    owners: dict[tuple[str, int, str], str] = {}
    for results in files:
        for name, repetition, gpu in zip(
            results.rows["name"], results.rows["repetition"], results.rows["gpu"], strict=True
        ):
            key = name, repetition, gpu
            if key in owners:
                return [f"row {name} is in both {owners[key]} and {results.path} (--allow duplicates)"]
            owners[key] = str(results.path)
    return []


def _holes(files: Sequence[Results], allow: frozenset[str]) -> list[str]:
    if "holes" in allow:
        return []
    shards = [shard for results in files for shard in _shards(results)]
    counts = sorted({shard["count"] for shard in shards})
    if len(counts) > 1:
        return [f"shards of {counts[0]} and of {counts[-1]}: they are of different splits (--allow holes)"]
    incomplete = _incomplete(files)
    missing = set(range(counts[0])) - {shard["index"] for shard in shards}
    if not missing and not incomplete:
        return []
    names = ",".join(map(str, sorted(missing)))
    lacking = f"shard {names} is" if len(missing) == 1 else f"shards {names} are"
    reasons = [f"{lacking} missing of {counts[0]}"] if missing else []
    again = ",".join(map(str, sorted(missing | incomplete.keys())))
    return [
        f"{'; '.join([*reasons, *incomplete.values()])}: repeat with sbatch --array={again} (--allow holes)"
    ]


def _incomplete(files: Sequence[Results]) -> dict[int, str]:
    """The shards that were stopped before their last cell, by index, with what they lack."""
    found: dict[int, str] = {}
    for results in files:
        plan = results.tally.get("plan", {})
        # Cells that their entries refuse stand among the failures without being planned.
        planned = plan.get("cells", 0) + plan.get("skipped", 0)
        finished = len(set(results.rows["name"]) | {failure["cell"] for failure in results.failures})
        index = results.tally.get("shard", {}).get("index", 0)
        if finished < planned:
            found[index] = f"{results.path} (shard {index}) has {finished} of its {planned} cells"
        elif torn := _torn(results):
            found[index] = f"{results.path} (shard {index}) lacks repetitions of {torn}"
    return found


def _torn(results: Results) -> str:
    """A cell that has fewer rows than its repetitions, or ''."""
    counts: Counter[tuple[str, int]] = Counter()
    for row in results.document["benchmarks"]:
        counts[row["name"], max(row.get("repetitions", 1), 1)] += 1
    return next((name for (name, repetitions), count in counts.items() if count < repetitions), "")


def _rows(files: Sequence[Results]) -> list[dict[str, Any]]:
    """All rows once, in the plan's order, numbered anew."""
    mixed = len({results.fact("gpu") for results in files if len(results.rows)}) > 1
    rows: list[dict[str, Any]] = []
    seen: set[tuple[Any, ...]] = set()
    for results in files:
        for row in results.document["benchmarks"]:
            if mixed and row["tally"]["device"] == "cuda" and "gpu" not in row["tally"]:
                row = {**row, "tally": {**row["tally"], "gpu": results.fact("gpu")}}
            key = row["name"], row.get("repetition_index", 0), row["tally"].get("gpu", "")
            if key not in seen:
                seen.add(key)
                rows.append(row)
    if len(files) > 1:
        place = _place_in_plan(files[0].tally.get("config", {}))
        rows.sort(key=lambda row: place(row["tally"]["problem"]))
    return _numbered(rows) if len(files) > 1 else rows


def _place_in_plan(config: Any) -> Callable[[str], Any]:
    """Where the plan has a problem, given by its id: at the first run of the config that asks for it, and in
    that run in the order in which it names knobs and types, then by n. Shards split between problems only, so
    that what is of one problem keeps its order.
    """
    runs = config.get("runs", []) if isinstance(config, dict) else []

    def key(problem: str) -> Any:
        family, *words = problem.split("/")
        facts = {name: value for name, _, value in (word.partition(":") for word in words)}
        n = int(facts.pop("n", "0"))
        mine = [index for index, run in enumerate(runs) if _asks_for(run, family, facts)]
        run = runs[mine[0]] if mine else {}
        type_place = _place(run.get("types", []), facts.pop("type", ""))
        knobs = [_place(run.get(name, []), value) for name, value in facts.items()]
        return mine[:1] or [len(runs)], family, list(facts), knobs, type_place, n

    return key


def _asks_for(run: dict[str, Any], family: str, facts: dict[str, str]) -> bool:
    def asks(name: str, value: str) -> bool:
        values = run.get("types" if name == "type" else name, value)
        return value in _listed(values)

    return run.get("family") == family and all(asks(name, value) for name, value in facts.items())


def _place(values: Any, word: str) -> tuple[int, float, str]:
    """The word's place among a config's values; what is not among them goes after them, numbers by size."""
    listed = _listed(values)
    number = float(word) if re.fullmatch(r"-?\d+(\.\d+)?", word) else math.inf
    return listed.index(word) if word in listed else len(listed), number, word


def _listed(values: Any) -> list[str]:
    values = values if isinstance(values, list) else [values]
    return [str(value).lower() if isinstance(value, bool) else str(value) for value in values]


def _numbered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As the harness numbers: family_index is the entry's place, the instance counts the entry's cells."""
    entries: dict[str, dict[str, int]] = {}
    numbered = []
    for row in rows:
        cells_of = entries.setdefault(row["tally"]["entry"], {})
        instance = cells_of.setdefault(row["name"], len(cells_of))
        index = list(entries).index(row["tally"]["entry"])
        numbered.append({**row, "family_index": index, "per_family_instance_index": instance})
    return numbered


def _once(failures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({(failure["cell"], failure["status"]): failure for failure in failures}.values())
