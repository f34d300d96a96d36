"""Shards become the file that an unsharded run would have written; what must be refused is refused, by
name.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import synthetic

from analysis import export, merge
from analysis.errors import UserError
from analysis.load import Results, load

WHOLE = synthetic.machine(
    families=("reduce", "scan"), sizes=(1024, 4096, 2**16, 2**20), samples=8, processes=2
)


def parts(folder: Path, count: int = 4, documents: list[dict[str, Any]] | None = None) -> list[Results]:
    return [
        load(synthetic.write(folder, f"shard{index}.json", part))
        for index, part in enumerate(documents or synthetic.shards(WHOLE, count))
    ]


@pytest.mark.parametrize("count", [1, 2, 4, 7])
def test_merged_equals_unsharded(tmp_path: Path, count: int) -> None:
    merged = merge.merge(list(reversed(parts(tmp_path, count))))
    assert merged["benchmarks"] == WHOLE["benchmarks"]
    assert {failure["cell"] for failure in merged["tally"]["failures"]} == {
        failure["cell"] for failure in WHOLE["tally"]["failures"]
    }
    assert merged["tally"]["plan"] == WHOLE["tally"]["plan"] and merged["tally"]["shard"] == {
        "index": 0,
        "count": 1,
    }
    assert [shard["index"] for shard in merged["tally"]["shards"]] == list(range(count))
    assert (
        merged["tally"]["shards"][0]["gpu_uuid"] == "GPU-0"
        and merged["tally"]["shards"][-1]["file"] == f"shard{count - 1}.json"
    )
    path = synthetic.write(tmp_path, "merged.json", merged)
    assert len(load(path).rows) == len(WHOLE["benchmarks"])


def test_indices_of_each_shard_alone_are_renumbered(tmp_path: Path) -> None:
    documents = synthetic.shards(WHOLE, 3)
    for document in documents:
        for index, row in enumerate(document["benchmarks"]):
            row["family_index"], row["per_family_instance_index"] = 0, index // 2
    merged = merge.merge(parts(tmp_path, documents=documents))
    places = {
        (row["family_index"], row["per_family_instance_index"]): row["name"] for row in merged["benchmarks"]
    }
    assert len(places) == len({row["name"] for row in WHOLE["benchmarks"]})
    assert {row["name"] for row in merged["benchmarks"]} == {row["name"] for row in WHOLE["benchmarks"]}


def refuse(files: list[Results], message: str, kind: str) -> None:
    with pytest.raises(UserError) as error:
        merge.merge(files)
    assert (
        message in str(error.value) and f"--allow {kind}" in str(error.value) and "\n" not in str(error.value)
    )
    assert merge.merge(files, frozenset({kind}))["benchmarks"]


def test_missing_shards_are_named(tmp_path: Path) -> None:
    files = parts(tmp_path, 8)
    refuse([*files[:3], *files[4:7]], "shards 3,7 are missing of 8: repeat with sbatch --array=3,7", "holes")
    refuse(files[1:], "shard 0 is missing of 8", "holes")


def test_merged_with_holes_can_be_completed(tmp_path: Path) -> None:
    files = parts(tmp_path, 4)
    first = merge.merge([files[0], files[2]], frozenset({"holes"}))
    first_file = load(synthetic.write(tmp_path, "first.json", first))
    with pytest.raises(UserError, match="shard 3 is missing of 4"):
        merge.merge([first_file, files[1]])
    merged = merge.merge([first_file, files[1], files[3]])
    assert merged["benchmarks"] == WHOLE["benchmarks"] and len(merged["tally"]["shards"]) == 4


def test_a_killed_shard_is_a_hole(tmp_path: Path) -> None:
    documents = synthetic.shards(WHOLE, 3)
    last = documents[1]["benchmarks"][-1]["name"]
    documents[1]["benchmarks"] = [row for row in documents[1]["benchmarks"] if row["name"] != last]
    refuse(parts(tmp_path, documents=documents), "(shard 1) has", "holes")


def test_a_lost_repetition_is_a_hole(tmp_path: Path) -> None:
    documents = synthetic.shards(WHOLE, 3)
    lost = next(index for index, document in enumerate(documents) if document["benchmarks"])
    del documents[lost]["benchmarks"][-1]
    refuse(parts(tmp_path, documents=documents), f"(shard {lost}) lacks repetitions of", "holes")


def test_skipped_cells_may_stand_outside_the_plan(tmp_path: Path) -> None:
    """The harness plans no cell that it refuses; a plan that says how many they are hides no hole."""
    documents = synthetic.shards(WHOLE, 2)
    for document in documents:
        skipped = sum(failure["status"] == "skipped" for failure in document["tally"]["failures"])
        document["tally"]["plan"]["cells"] -= skipped
        document["tally"]["plan"]["skipped"] = skipped
    merged = merge.merge(parts(tmp_path, documents=documents))
    assert merged["tally"]["plan"]["skipped"] == 1
    for document in documents:
        last = document["benchmarks"][-1]["name"]
        document["benchmarks"] = [row for row in document["benchmarks"] if row["name"] != last]
    with pytest.raises(UserError, match=r"\(shard 0\) has .* repeat with sbatch --array=0,1"):
        merge.merge(parts(tmp_path, documents=documents))


def test_known_wrong_is_no_failure(tmp_path: Path) -> None:
    document = copy.deepcopy(WHOLE)
    document["tally"]["failures"][1]["status"] = "known_wrong"
    results = load(synthetic.write(tmp_path, "known.json", document))
    suite = ElementTree.fromstring(export.to_junit([results]).split("\n", 1)[1])[0]
    assert suite.get("failures") == "0" and suite.get("skipped") == "2"


def test_two_halves_are_not_a_whole(tmp_path: Path) -> None:
    """Shards of equally many cells, each of them stopped half-way."""
    documents = synthetic.shards(WHOLE, 2)
    for document in documents:
        document["tally"]["plan"]["cells"] *= 2
    with pytest.raises(
        UserError, match=r"\(shard 0\) has .*; .*\(shard 1\) has .*: repeat with sbatch --array=0,1"
    ):
        merge.merge(parts(tmp_path, documents=documents))


def test_missing_and_stopped_shards_are_named_together(tmp_path: Path) -> None:
    documents = synthetic.shards(WHOLE, 4)
    stopped = next(index for index, document in enumerate(documents) if document["benchmarks"] and index != 3)
    documents[stopped]["tally"]["plan"]["cells"] += 1
    again = f"--array={stopped},3 "
    refuse(parts(tmp_path, documents=documents[:3]), again, "holes")


def with_devices(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for index, document in enumerate(documents):
        rows = len(document["benchmarks"])
        uuid = f"GPU-{index % 2}"
        document["tally"]["devices"] = (
            [{"kind": "cuda", "index": 0, "uuid": uuid, "rows": rows}] if rows else []
        )
    return documents


def test_the_devices_of_all_shards_are_kept(tmp_path: Path) -> None:
    merged = merge.merge(parts(tmp_path, documents=with_devices(synthetic.shards(WHOLE, 5))))
    devices = merged["tally"]["devices"]
    assert {device["uuid"] for device in devices} == {"GPU-0", "GPU-1"} and len(devices) == 2
    assert sum(device["rows"] for device in devices) == len(WHOLE["benchmarks"])
    assert all(device["host"] == WHOLE["context"]["host_name"] for device in devices)
    assert "gpu_uuid" not in merged["tally"]["provenance"], "there is more than one"


def test_the_seconds_of_all_shards_are_added_up(tmp_path: Path) -> None:
    documents = synthetic.shards(WHOLE, 2)
    documents[0]["tally"]["seconds"] = {"wall": 10.0, "workers": {"sampling": 6.0, "pilot": 1.0}}
    documents[1]["tally"]["seconds"] = {"wall": 5.0, "workers": {"sampling": 4.0}}
    merged = merge.merge(parts(tmp_path, documents=documents))
    assert merged["tally"]["seconds"] == {"wall": 15.0, "workers": {"sampling": 10.0, "pilot": 1.0}}


def test_an_empty_first_shard_knows_no_gpu(tmp_path: Path) -> None:
    documents = with_devices(synthetic.shards(WHOLE, 3))
    empty = copy.deepcopy(documents[0])
    for name in ("gpu", "gpu_uuid", "driver"):
        empty["tally"]["provenance"].pop(name, None)
        empty["context"].pop(name, None)
    empty["benchmarks"], empty["tally"]["failures"], empty["tally"]["devices"] = [], [], []
    empty["tally"]["plan"] = {"cells": 0, "left_out": 0, "problems": 0}
    empty["tally"].pop("ceilings")
    for document in [*documents, empty]:
        document["tally"]["shard"]["count"] = 4
    for index, document in enumerate(documents):
        document["tally"]["shard"]["index"] = index + 1
    merged = merge.merge(parts(tmp_path, documents=[empty, *documents]))
    assert merged["benchmarks"] == WHOLE["benchmarks"]
    assert merged["tally"]["provenance"]["gpu"] == WHOLE["tally"]["provenance"]["gpu"]
    assert merged["tally"]["ceilings"] == WHOLE["tally"]["ceilings"]


def test_empty_shards_are_valid(tmp_path: Path) -> None:
    documents = synthetic.shards(WHOLE, 40)
    assert any(not document["benchmarks"] for document in documents)
    assert merge.merge(parts(tmp_path, documents=documents))["benchmarks"] == WHOLE["benchmarks"]


def test_duplicates_are_refused(tmp_path: Path) -> None:
    files = parts(tmp_path, 2)
    refuse([*files, files[1]], "shard 1 is in both", "duplicates")
    alone = [load(synthetic.write(tmp_path, f"alone{index}.json", WHOLE)) for index in range(2)]
    refuse(alone, "row reduce/korean_course/reduce0/", "duplicates")
    assert len(merge.merge(alone, frozenset({"duplicates"}))["benchmarks"]) == len(WHOLE["benchmarks"])


@pytest.mark.parametrize(
    ("kind", "place", "message"),
    [
        ("gpu", ("provenance", "gpu"), "other GPU: NVIDIA H200 in"),
        ("config", ("config_hash",), "other config:"),
        ("revision", ("provenance", "git_revision"), "other git revision: 1111111aaaa in"),
    ],
)
def test_mixtures_are_refused(tmp_path: Path, kind: str, place: tuple[str, ...], message: str) -> None:
    documents = synthetic.shards(WHOLE, 2)
    target = documents[1]["tally"]
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = "another"
    refuse(parts(tmp_path, documents=documents), message, kind)


def test_mixed_gpus_keep_each_rows_gpu(tmp_path: Path) -> None:
    other = copy.deepcopy(WHOLE)
    other["tally"]["provenance"]["gpu"] = "NVIDIA A100"
    files = [
        load(synthetic.write(tmp_path, "h200.json", WHOLE)),
        load(synthetic.write(tmp_path, "a100.json", other)),
    ]
    merged = merge.merge(files, frozenset({"gpu", "duplicates"}))
    rows = load(synthetic.write(tmp_path, "both.json", merged)).rows
    assert len(rows) == 2 * len(WHOLE["benchmarks"]) and set(rows["gpu"]) == {"NVIDIA H200", "NVIDIA A100"}


def test_different_splits_are_refused(tmp_path: Path) -> None:
    files = [
        parts(tmp_path, 2)[0],
        load(synthetic.write(tmp_path, "third.json", synthetic.shards(WHOLE, 3)[1])),
    ]
    with pytest.raises(UserError, match="shards of 2 and of 3"):
        merge.merge(files)


def test_merging_changes_no_input(tmp_path: Path) -> None:
    files = parts(tmp_path, 2)
    before = json.dumps([results.document for results in files])
    merge.merge(files)
    assert json.dumps([results.document for results in files]) == before
