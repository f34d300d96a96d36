"""Two files are compared, or it is said why they cannot be; every exit code; golden Markdown and JUnit."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import synthetic

from analysis import compare_formats
from analysis.compare import Settings, compare
from analysis.errors import UserError
from analysis.load import Results, load

GOLDEN = Path(__file__).parent / "golden"
FEW = {"sizes": (2**20,), "processes": 10, "samples": 15, "entries": "h*", "process_noise": 0.002}


def results(folder: Path, name: str, document: dict[str, Any]) -> Results:
    return load(synthetic.write(folder, name, document))


@pytest.fixture()
def base(tmp_path: Path) -> Results:
    return results(tmp_path, "base.json", synthetic.machine(**FEW))


def new_one(base: Results, **changes: Any) -> Results:
    return results(
        base.path.parent,
        "new.json",
        synthetic.machine(**{**FEW, "seed": 2, "revision": "2222222bbbb", **changes}),
    )


def test_exit_codes(base: Results) -> None:
    assert compare(base, new_one(base)).exit_code == 0
    slower = compare(base, new_one(base, slower={"harris/v3": 1.05}))
    assert slower.exit_code == 1 and slower.counts["slower"] == 1
    assert compare(base, new_one(base, slower={"harris/v3": 0.9})).exit_code == 0
    noisy = new_one(base, process_noise=0.05)
    assert compare(base, noisy).exit_code == 3
    assert compare(base, noisy, Settings(accept_inconclusive=True)).exit_code == 0
    assert compare(base, new_one(base, gpu="NVIDIA A100", slower={"*": 2})).exit_code == 2
    assert compare(base, new_one(base, processes=1)).exit_code == 3


@pytest.mark.parametrize(
    ("kind", "place"), [("gpu", "gpu"), ("driver", "driver"), ("cuda", "cuda"), ("cccl", "cccl")]
)
def test_other_machine(base: Results, kind: str, place: str) -> None:
    document = copy.deepcopy(base.document)
    document["tally"]["provenance"][place] = "another"
    other = results(base.path.parent, "new.json", document)
    comparison = compare(base, other)
    assert (
        comparison.exit_code == 2
        and [obstacle.kind for obstacle in comparison.obstacles] == [kind]
        and "another" in comparison.obstacles[0].text
    )
    allowed = compare(base, other, Settings(allow=frozenset({kind})))
    assert allowed.exit_code == 0 and f"allowed: {comparison.obstacles[0].text}" in compare_formats.terminal(
        allowed
    )
    assert compare(base, other, Settings(only="counters")).exit_code == 0


def test_other_config_and_rows(base: Results) -> None:
    document = copy.deepcopy(base.document)
    document["tally"]["config"]["sizes"] = [1, 2]
    document["tally"]["config_hash"] = "other"
    gone = document["benchmarks"][0]["name"]
    document["benchmarks"] = [row for row in document["benchmarks"] if row["name"] != gone]
    document["tally"]["failures"].append({"cell": gone, "status": "crashed", "reason": "illegal address"})
    extra = copy.deepcopy(document["benchmarks"][0])
    extra["name"] = "reduce/harris/extra"
    document["benchmarks"].append(extra)
    comparison = compare(base, results(base.path.parent, "new.json", document))
    assert comparison.exit_code == 2
    assert {obstacle.kind: obstacle.text for obstacle in comparison.obstacles} == {
        "config": "other config: they differ at /sizes",
        "missing": f"1 row not in new: {gone} (crashed: illegal address)",
        "new": "1 row not in base: reduce/harris/extra",
    }
    assert (
        compare(base, comparison.new, Settings(allow=frozenset({"config", "missing", "new"}))).exit_code == 0
    )


def test_nothing_in_common(base: Results) -> None:
    document = copy.deepcopy(base.document)
    for row in document["benchmarks"]:
        row["name"] += "/other"
    with pytest.raises(UserError, match="no row in common"):
        compare(base, results(base.path.parent, "new.json", document))


SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"


def counted(base: Results, changes: dict[str, float] | None = None) -> Results:
    document = copy.deepcopy(base.document)
    row = next(row for row in document["benchmarks"] if row["tally"]["entry"] == "reduce/harris/v1")
    row["tally"]["counters"] |= changes or {}
    return results(base.path.parent, "new.json", document)


def test_counters_are_compared_exactly(tmp_path: Path) -> None:
    base = results(tmp_path, "base.json", synthetic.counted())
    settings = Settings(only="counters")
    same = compare(base, counted(base), settings)
    assert same.exit_code == 0 and same.facts.compared > 300 and not same.verdicts
    assert compare(base, counted(base, {SECTORS: 8193}), settings).exit_code == 1
    assert compare(base, counted(base, {SECTORS: 8191}), settings).exit_code == 0
    assert compare(base, counted(base, {"average_active_lanes": 30.0}), settings).exit_code == 1
    assert compare(base, counted(base, {"average_active_lanes": 31.0}), settings).exit_code == 0
    assert compare(base, counted(base, {"blocks": 1.0}), settings).facts.changes[0].verdict == "changed"
    assert compare(base, counted(base, {"new_counter": 1.0}), settings).exit_code == 1
    assert compare(base, counted(base, {"kernel_cycles": 1.0}), settings).facts.not_exact == ["kernel_cycles"]


def test_static_facts(base: Results) -> None:
    for key, value, code, verdict in (
        ("spill_bytes", 8, 1, "worse"),
        ("registers", 33, 0, "changed"),
        ("code_hash", "ffff", 0, "changed"),
    ):
        document = copy.deepcopy(base.document)
        for row in document["benchmarks"]:
            for facts in row["tally"]["static"].values():
                facts[key] = value
        comparison = compare(base, results(base.path.parent, "new.json", document))
        assert comparison.exit_code == code and {change.verdict for change in comparison.facts.changes} == {
            verdict
        }


def test_static_facts_of_the_build(base: Results) -> None:
    kernel = {"file": "variants/a.cu", "kernel": "void tally::k<float>(float*)", "architecture": 90}
    facts = {"registers": 24, "stack_bytes": 0, "local_loads": 0, "code_hash": "00000000000000aa"}
    gone = {**kernel, "kernel": "void tally::gone()", **facts}

    def build(name: str, *kernels: dict) -> Results:
        document = copy.deepcopy(base.document)
        document["tally"]["static_facts"] = list(kernels)
        return results(base.path.parent, name, document)

    before = build("before.json", kernel | facts, gone)
    assert compare(before, build("same.json", kernel | facts)).facts.changes == []
    for key, value, code, verdict in (
        ("stack_bytes", 8, 1, "worse"),
        ("local_loads", 2, 1, "worse"),
        ("registers", 25, 0, "changed"),
        ("code_hash", "00000000000000ab", 0, "changed"),
    ):
        comparison = compare(before, build("new.json", {**kernel, **facts, key: value}))
        (change,) = comparison.facts.changes
        assert (change.name, change.fact) == ("variants/a.cu sm_90", f"void tally::k<float>(float*): {key}")
        assert (comparison.exit_code, change.verdict) == (code, verdict)
    other = build("other.json", {**kernel, **facts, "registers": 99, "architecture": 100})
    assert compare(before, other).facts.changes == [], "code for another GPU is not compared"


def test_counted_on_one_side_only(tmp_path: Path) -> None:
    base = results(tmp_path, "base.json", synthetic.counted())
    document = copy.deepcopy(base.document)
    for row in document["benchmarks"]:
        row["tally"].pop("counters", None)
    assert compare(base, results(tmp_path, "new.json", document), Settings(only="counters")).exit_code == 2
    for row in base.document["benchmarks"]:
        row["tally"].pop("counters", None)
    bare = results(tmp_path, "bare.json", base.document)
    with pytest.raises(UserError, match="no counter in common"):
        compare(bare, bare, Settings(only="counters"))


def test_trimmed_samples_still_compare(base: Results) -> None:
    trimmed = []
    for name, other in (("base2.json", base), ("new2.json", new_one(base, slower={"harris/v3": 1.05}))):
        document = copy.deepcopy(other.document)
        for row in document["benchmarks"]:
            del row["tally"]["samples"], row["tally"]["rounds"]
        trimmed.append(results(base.path.parent, name, document))
    comparison = compare(*trimmed)
    assert [verdict.name.split("/")[2] for verdict in comparison.verdicts if verdict.verdict == "slower"] == [
        "v3"
    ]


def test_aa_pair(base: Results) -> None:
    pair = base, new_one(base, revision="1111111aaaa")
    other = results(
        base.path.parent, "third.json", synthetic.machine(**{**FEW, "seed": 3, "slower": {"harris/v3": 1.05}})
    )
    comparison = compare(base, other, Settings(threshold=0.0001), pair)
    assert comparison.floor is not None and comparison.delta == comparison.floor.typical > 0.0001
    assert comparison.exit_code in (1, 3) and comparison.counts["slower"] == 1
    with pytest.raises(UserError, match="no A/A pair: git_revision"):
        compare(base, other, Settings(), (base, new_one(base)))


def golden(name: str, text: str) -> None:
    """Equal to the committed file; with UPDATE_GOLDEN=1 it is written instead, to be looked at and
    committed.
    """
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def varied(base: Results) -> Any:
    """A comparison with one of each verdict, an obstacle of each kind of answer, and changed facts."""
    new = new_one(base, slower={"harris/v3": 1.05, "hopper/best": 0.9})
    for row in new.document["benchmarks"]:
        if row["tally"]["entry"] == "reduce/harris/v0":
            row["tally"]["samples"] = [
                value * (1 + 0.03 * (row["repetition_index"] % 3)) for value in row["tally"]["samples"]
            ]
        if row["tally"]["entry"] == "reduce/harris/v1":
            row["tally"]["static"]["v1"]["spill_bytes"] = 16
        if row["tally"]["entry"] == "reduce/harris/v2":
            row["tally"]["static"]["v2"]["registers"] = 40
    new.document["tally"]["provenance"]["driver"] = "590.1"
    first = next(
        row["name"]
        for row in new.document["benchmarks"]
        if row["tally"]["tuning"] == {"threads": 128, "blocks": 132}
    )
    new.document["benchmarks"] = [
        row for row in new.document["benchmarks"] if row["name"] == first or "one_launch" not in row["name"]
    ]
    again = results(base.path.parent, "new.json", new.document)
    return compare(base, again, Settings(allow=frozenset({"missing"})))


def test_golden_outputs(base: Results) -> None:
    comparison = varied(base)
    assert all(comparison.counts.values()), comparison.counts
    golden("compare.md", compare_formats.markdown(comparison))
    golden("compare.xml", compare_formats.junit(comparison))
    golden("compare.txt", compare_formats.terminal(comparison))


def test_junit_and_json_agree_with_the_verdicts(base: Results) -> None:
    comparison = varied(base)
    suite = ElementTree.fromstring(compare_formats.junit(comparison).split("\n", 1)[1])
    assert (
        int(suite.get("tests", 0))
        == len(suite)
        == len(comparison.verdicts) + len(comparison.facts.changes) + len(comparison.obstacles)
    )
    assert int(suite.get("failures", 0)) == comparison.counts["slower"] + len(comparison.worse_facts)
    assert (
        int(suite.get("errors", 0)) == 1 and int(suite.get("skipped", 0)) == comparison.counts["inconclusive"]
    )
    document = json.loads(compare_formats.as_json(comparison))
    assert document["exit_code"] == comparison.exit_code == 2 and len(document["rows"]) == len(
        comparison.verdicts
    )
    assert all(np.isfinite(row["ratio"]) for row in document["rows"])
