"""Results files that obey the results schema, made up from a simple model of a GPU: no measurement is in
here.

`machine` gives a sweep on a made-up H200 (or another card), `counted` one on the CPU executor, which has
counters and no times. Both are pure functions of their arguments.
"""

from __future__ import annotations

import copy
import fnmatch
import hashlib
import itertools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from made_up_document import document_of
from made_up_entries import CARDS, ENTRIES, FLOOR, KNOBS, SIZES, Model, Noise, Problem


def machine(
    families: Iterable[str] = ("reduce",),
    sizes: Iterable[int] = tuple(SIZES),
    types: Iterable[str] = ("float32",),
    caches: Iterable[str] = ("cold",),
    clocks: Iterable[str] = ("device",),
    processes: int = 1,
    samples: int = 40,
    seed: int = 1,
    slower: dict[str, float] | None = None,
    process_noise: float = 0.003,
    sample_noise: float = 0.005,
    gpu: str = "NVIDIA H200",
    revision: str = "1111111aaaa",
    entries: str = "*",
    title: str = "made-up sweep",
) -> dict[str, Any]:
    """A results document; `slower` maps a glob on entries to a factor on their time."""
    random = np.random.default_rng(seed)
    read, l2, l2_bytes = CARDS[gpu]
    rows: list[dict[str, Any]] = []
    entry_places: dict[str, dict[str, int]] = {}
    for family in families:
        for type_name, knobs, n in itertools.product(types, KNOBS.get(family, [{}]), sizes):
            for cache, clock in itertools.product(caches, clocks):
                problem = Problem(family, type_name, knobs, n, cache, clock, (read, l2, l2_bytes))
                noise = Noise(random, processes, samples, process_noise, sample_noise)
                for row in _group(problem, entries, slower or {}, noise):
                    names = entry_places.setdefault(row["tally"]["entry"], {})
                    instance = names.setdefault(row["name"], len(names))
                    index = list(entry_places).index(row["tally"]["entry"])
                    rows.append({**row, "family_index": index, "per_family_instance_index": instance})
    config = {
        "title": title,
        "runs": [{"family": family, "types": list(types)} for family in families],
        "sizes": list(sizes),
    }
    document = document_of(rows, config, revision, gpu)
    document["tally"]["ceilings"] = {
        "launch_floor_cold": FLOOR,
        "launch_floor_batched": 1.1e-6,
        "hbm_read": read,
        "hbm_copy": 0.92 * read,
        "l2_read": [{"bytes": 1 << 22, "rate": l2}, {"bytes": 1 << 25, "rate": 0.9 * l2}],
        "l2_bytes": l2_bytes,
    }
    return document


def _group(problem: Problem, entries: str, slower: dict[str, float], noise: Noise) -> list[dict[str, Any]]:
    """The rows of every entry and tuning, repetitions after one another."""
    cells = []
    for short, model in ENTRIES[problem.family].items():
        if fnmatch.fnmatch(short, entries) and (model.efficiency > 0.001 or problem.n <= 2**22):
            factor = next((factor for glob, factor in slower.items() if fnmatch.fnmatch(short, glob)), 1.0)
            for tuning in model.tunings:
                times = noise.times(factor * problem.seconds(short, model, tuning))
                cells.append((short, model, tuning, times))
    baselines = {short: times for short, _, _, times in cells if _is_baseline(short)}
    rows = []
    for short, model, tuning, times in cells:
        for process, taken in enumerate(times):
            row = _row(problem, short, model, tuning, process, noise.processes)
            row["tally"]["ratios"] = {
                f"{problem.family}/{name}": _ratio(other[process], taken)
                for name, other in baselines.items()
                if name != short
            }
            rows.append(_with_times(row, taken, problem))
    return rows


def _with_times(row: dict[str, Any], taken: np.ndarray, problem: Problem) -> dict[str, Any]:
    count = len(taken)
    order, half = np.sort(taken), 1.96 * np.sqrt(count) / 2
    low, high = order[max(int(count / 2 - half), 0)], order[min(int(np.ceil(count / 2 + half)), count - 1)]
    median = float(np.median(taken))
    quartiles = np.quantile(taken, [0.25, 0.75])
    floor = FLOOR + problem.moved / problem.rate
    ceiling = "l2_read" if problem.rate == problem.card[1] else "hbm_read"
    row["tally"] |= {
        "samples": [round(float(value), 12) for value in taken],
        "rounds": list(range(count)),
        "batch": 1,
        "median": median,
        "ci": [float(low), float(high)],
        "noise": float((quartiles[1] - quartiles[0]) / median),
        "stop_reason": "precise",
        "ceiling": {"name": ceiling, "seconds": floor, "fraction": min(floor / median, 1.0), "above": False},
        "clocks": {
            "sm_mhz": 1980,
            "memory_mhz": 3201,
            "temperature_c": 41,
            "power_w": 310.5,
            "throttled": False,
        },
    }
    return row | {
        "iterations": count,
        "real_time": median * 1e9,
        "cpu_time": median * 1e9,
        "bytes_per_second": problem.moved / median,
        "items_per_second": problem.n / median,
    }


def _is_baseline(short: str) -> bool:
    return short.split("/")[0] in ("cub", "thrust", "cufft", "cublas", "std")


def _ratio(baseline: np.ndarray, entry: np.ndarray) -> dict[str, Any]:
    paired = baseline / entry
    value, half = (
        float(np.median(baseline) / np.median(entry)),
        float(2 * paired.std() / np.sqrt(len(paired))),
    )
    return {"value": value, "ci": [value - half, value + half]}


def _row(
    problem: Problem, short: str, model: Model, tuning: dict[str, int], process: int, processes: int
) -> dict[str, Any]:
    family, type_name, knobs, n = problem.family, problem.type, problem.knobs, problem.n
    cache, clock, moved = problem.cache, problem.clock, problem.moved
    knob_words = "/".join(
        f"{key}:{str(value).lower() if isinstance(value, bool) else value}" for key, value in knobs.items()
    )
    tuning_words = "/".join(f"{key}:{value}" for key, value in tuning.items())
    problem_id = "/".join(word for word in (family, knob_words, f"type:{type_name}", f"n:{n}") if word)
    name = "/".join(
        word
        for word in (family, short, knob_words, f"type:{type_name}", f"n:{n}", tuning_words, cache, clock)
        if word
    )
    series = short.split("/")[0]
    ladder = [other for other in ENTRIES[family] if other.split("/")[0] == series]
    floating = type_name.startswith("float")
    unit = {"float16": 2.0**-11, "float32": 2.0**-24, "float64": 2.0**-53}.get(type_name, 0.0)
    error = (
        0.02 * (1 + model.launches / 4) * np.log2(max(n, 2)) * (0.5 + (hash_of(name) % 100) / 100)
        if floating
        else 0.0
    )
    cell: dict[str, Any] = {
        "entry": f"{family}/{short}",
        "family": family,
        "series": series,
        "kind": "baseline" if _is_baseline(short) else "variant",
        "problem": problem_id,
        "type": type_name,
        "n": n,
        "knobs": knobs,
        "tuning": tuning,
        "cache": cache,
        "clock": clock,
        "device": "cuda",
        "gpu_index": 0,
        "like_for_like": not (model.end_to_end and clock == "device"),
        "bytes": moved,
        "items": n,
        "check": {
            "status": "right",
            "ulp": round(error / 2, 4),
            "error": round(error, 4) if unit else 0.0,
            "condition": 1.0,
            "launches": 100,
            "distinct": 1,
            "distributions": {"uniform": {"ulp": round(error / 2, 4), "error": round(error, 4)}},
        },
        "static": {
            short.split("/")[1]: {
                "registers": 32,
                "spill_bytes": 0,
                "static_shared": 1024,
                "barriers": 1,
                "code_bytes": 2048,
                "code_hash": f"{hash_of(short):08x}",
            }
        },
    }
    if cell["kind"] == "variant":
        cell["stage"] = ladder.index(short)
        if ladder.index(short):
            cell["follows"] = f"{family}/{ladder[ladder.index(short) - 1]}"
        if model.published:
            cell["published"] = [
                {
                    "machine": key,
                    "n": model.published_n,
                    "type": "float32",
                    "value": value,
                    "unit": model.unit,
                }
                for key, value in model.published.items()
            ]
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "repetitions": processes,
        "repetition_index": process,
        "threads": 1,
        "iterations": 1,
        "time_unit": "ns",
        "tally": cell,
    }


def counted(
    families: Iterable[str] = ("reduce",), sizes: Iterable[int] = (65536,), revision: str = "1111111aaaa"
) -> dict[str, Any]:
    """A run on `simt`: counters, checks, no times of ours; and two host baselines with real CPU times."""
    document = machine(families, sizes, processes=1, samples=8, revision=revision, title="made-up counts")
    rows = []
    for row in document["benchmarks"]:
        cell = row["tally"]
        name, n = cell["entry"].split("/")[-1], cell["n"]
        for key in ("ratios", "ceiling", "clocks", "static", "gpu_index"):
            cell.pop(key, None)
        if cell["kind"] == "baseline":
            if "thrust" not in name and cell["series"] != "thrust":
                continue
            cell["device"] = "host"
            rows.append(row)
            continue
        for key in ("samples", "rounds", "median", "ci", "noise", "stop_reason", "batch"):
            cell.pop(key, None)
        cell["device"] = "simt"
        row["label"] = "simt: executor's own time, not a GPU's"
        conflicted = {"v1": 1.0, "reduce1": 0.4}.get(name, 0.0)
        cell["counters"] = {
            "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": n // 32,
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": n // 8 * (2 if name == "v0" else 1),
            "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": 256,
            "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": 256,
            "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio": 8 if name == "v0" else 4,
            "smsp__inst_executed_op_shared_ld.sum": n // 16,
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": int(conflicted * 0.41 * n),
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": int(conflicted * 0.1 * n),
            "barriers": 2048,
            "average_active_lanes": 17.5 if name in ("v0", "reduce0") else 30.2,
            "divergent_branch_share": 0.3 if name == "v0" else 0.02,
            "launches": 2,
            "blocks": 257,
            "threads": 65792,
        }
        rows.append(row)
    document["benchmarks"] = rows
    for fact in ("gpu", "driver", "cuda", "cccl"):
        document["context"].pop(fact, None)
        document["tally"]["provenance"].pop(fact, None)
    document["context"]["device"] = "simt"
    document["tally"].pop("ceilings", None)
    return document


def shards(document: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """The document as `count` shards would have left it: split by problem, each with its own part of the
    plan.
    """
    parts = []
    for index in range(count):
        part = copy.deepcopy(document)
        part["benchmarks"] = [
            row for row in part["benchmarks"] if hash_of(row["tally"]["problem"]) % count == index
        ]
        part["tally"]["failures"] = [
            failure for failure in part["tally"]["failures"] if hash_of(failure["problem"]) % count == index
        ]
        part["tally"]["shard"] = {"index": index, "count": count}
        part["tally"]["plan"] = {
            "cells": len({row["name"] for row in part["benchmarks"]}) + len(part["tally"]["failures"]),
            "left_out": 3 if index == 0 else 0,
            "problems": len({row["tally"]["problem"] for row in part["benchmarks"]}),
        }
        part["tally"]["provenance"]["gpu_uuid"] = f"GPU-{index}"
        parts.append(part)
    return parts


def hash_of(text: str) -> int:
    """A stable hash, unlike Python's own."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little")


def write(folder: Path, name: str, document: dict[str, Any]) -> Path:
    """Write a document as the harness would; returns its path."""
    path = folder / name
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return path
