"""A thinned file has every row, and samples with the distribution of all."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest
import synthetic

from analysis import compare
from analysis.__main__ import main
from analysis.load import as_taken, load


def test_the_distribution_stays(tmp_path: Path) -> None:
    document = synthetic.machine(sizes=(1024, 2**20), samples=201)
    # The first samples are slow: to keep the first ones would be to keep the worst.
    for row in document["benchmarks"]:
        row["tally"]["samples"][:40] = [3 * sample for sample in row["tally"]["samples"][:40]]
    before = load(synthetic.write(tmp_path, "all.json", copy.deepcopy(document)))
    assert main(["thin", str(before.path), "--samples", "31", "--out", str(tmp_path / "few.json")]) == 0
    after = load(tmp_path / "few.json")
    assert after.tally["thinned"] == {"samples": 31} and "thinned" not in before.tally
    assert len(after.rows) == len(before.rows)
    for one, other in zip(before.document["benchmarks"], after.document["benchmarks"], strict=True):
        every, few = one["tally"].pop("samples"), other["tally"].pop("samples")
        rounds, rounds_of_few = one["tally"].pop("rounds"), other["tally"].pop("rounds")
        assert rounds == list(range(201))
        assert one == other, "all else is as it was"
        assert len(few) == len(rounds_of_few) == 31
        assert np.median(few) == np.median(every)
        assert (min(few), max(few)) == (min(every), max(every))
        for share in (0.1, 0.25, 0.75, 0.9):
            assert np.quantile(few, share) == pytest.approx(np.quantile(every, share), rel=0.02)
        assert rounds_of_few == sorted(rounds_of_few), "in the order in which they were taken"
        assert all(every[round_] == sample for round_, sample in zip(rounds_of_few, few, strict=True))


def test_as_taken_brings_the_distribution_back() -> None:
    rng = np.random.default_rng(5)
    every = np.sort(rng.lognormal(0, 0.1, 400))
    few = every[np.round(np.linspace(0, 399, 31)).astype(int)]
    again = as_taken(rng.permutation(few), 400)
    assert len(again) == 400 and (again[0], again[-1]) == (every[0], every[-1])
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert np.quantile(again, share) == pytest.approx(np.quantile(every, share), rel=0.01)
    assert (as_taken(every[::-1], 400) == every).all() and len(as_taken(every[:1], 9)) == 1


def test_a_comparison_of_thinned_files_is_that_of_whole_ones(tmp_path: Path) -> None:
    """No wider: seven samples stand for those that were taken."""
    base = synthetic.machine(sizes=(1024, 2**20), processes=3, samples=201)
    new = synthetic.machine(sizes=(1024, 2**20), processes=3, samples=201, seed=8)
    ratios = []
    for thinned in (False, True):
        sides = []
        for name, document in (("base", base), ("new", new)):
            path = synthetic.write(tmp_path, f"{name}.json", copy.deepcopy(document))
            if thinned:
                few = tmp_path / f"{name}-few.json.gz"
                assert main(["thin", str(path), "--samples", "7", "--out", str(few)]) == 0
                path = few
            sides.append(load(path))
        ratios.append(compare.compare(*sides).verdicts)
    for whole, few in zip(*ratios, strict=True):
        assert few.ratio == pytest.approx(whole.ratio, rel=0.005)
        assert few.high / few.low == pytest.approx(whole.high / whole.low, rel=0.05)


def test_rows_with_few_samples_or_none_stay(tmp_path: Path) -> None:
    path = synthetic.write(tmp_path, "counted.json", synthetic.counted())
    assert main(["thin", str(path), "--out", str(tmp_path / "thin.json")]) == 0
    before, after = load(path).document, load(tmp_path / "thin.json").document
    assert before["benchmarks"] == after["benchmarks"] and before["context"] == after["context"]
    assert (tmp_path / "thin.json").read_text().count("\n") > len(before["benchmarks"])


def test_a_compressed_file_is_the_same_results(tmp_path: Path) -> None:
    path = synthetic.write(tmp_path, "all.json", synthetic.machine(sizes=(1024,), samples=12))
    for name in ("plain.json", "small.json.gz", "again.json.gz"):
        assert main(["thin", str(path), "--out", str(tmp_path / name)]) == 0
    plain, small = load(tmp_path / "plain.json"), load(tmp_path / "small.json.gz")
    assert small.document == plain.document and small.sha256 == plain.sha256
    compressed = small.path.read_bytes()
    assert len(compressed) < len(plain.path.read_bytes()) / 4
    assert compressed == (tmp_path / "again.json.gz").read_bytes(), "nothing of when or where is in it"


def test_two_samples_are_too_few(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["thin", "a.json", "--samples", "2", "--out", str(tmp_path / "b.json")])
    assert "must be at least 3" in capsys.readouterr().err
