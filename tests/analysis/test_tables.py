"""README's tables say what the results say, and `--check` sees when they do not."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import synthetic

from analysis.__main__ import main

README = """# Title
<!-- table: one file=sweep.json family=reduce op=sum n=2^20 entries=reduce/cub/*,reduce/hopper/best -->
stale
<!-- end table -->
between
<!-- table: two file=sweep.json family=reduce value=ratio entries="reduce/hopper/*" -->
<!-- end table -->
<!-- table: three file=sweep.json family=reduce ladder korean_course -->
<!-- end table -->
<!-- table: four file=counted.json family=reduce device=simt n=65536 entries=reduce/harris/* -->
<!-- end table -->
the end
"""


@pytest.fixture()
def readme(tmp_path: Path) -> Path:
    synthetic.write(
        tmp_path,
        "sweep.json",
        synthetic.machine(
            families=("reduce", "scan"),
            sizes=(1024, 2**20, 2**24),
            types=("float32", "float64"),
            caches=("cold", "warm"),
            samples=10,
        ),
    )
    synthetic.write(tmp_path, "counted.json", synthetic.counted())
    path = tmp_path / "README.md"
    path.write_text(README)
    return path


def test_tables_are_made_and_checked(readme: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["readme", "--readme", str(readme), "--check"]) == 1
    assert "differs from its results" in capsys.readouterr().out and readme.read_text() == README
    assert main(["readme", "--readme", str(readme)]) == 0
    text = readme.read_text()
    assert (
        "stale" not in text
        and text.startswith("# Title\n")
        and "-->\nbetween\n<!--" in text
        and text.endswith("-->\nthe end\n")
    )
    assert (
        text.count("`cub/sum`") == 1
        and text.count("| `hopper/best` |") == 2
        and text.count("\n| reduce") == 5
    )
    assert "0.643 ms" in text and "2<sup>20</sup>" in text and "sectors loaded" in text and "8192" in text
    assert main(["readme", "--readme", str(readme), "--check"]) == 0
    assert (
        main(["readme", "--readme", str(readme), str(readme.parent / "sweep.json")]) == 0
        and readme.read_text() == text
    )
    readme.write_text(text.replace("0.643 ms", "0.644 ms"))
    assert main(["readme", "--readme", str(readme), "--check"]) == 1


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("one family=reduce", "needs file=PATH"),
        ("one file=sweep.json reduce", "'reduce' is not KEY=VALUE"),
        ("one file=absent.json", "cannot read"),
        ("one file=sweep.json", "choose one of family reduce | scan"),
        ("one file=sweep.json family=dot", "no cell has family=dot; there is reduce, scan"),
        ("one file=sweep.json family=reduce op=max", "no cell has op=max; there is sum"),
        ("one file=sweep.json family=reduce n=3", "no cell has n=3"),
        ("one file=sweep.json family=reduce n=x", "n=x is not a size"),
        ("one file=sweep.json family=reduce entries=a*", "no entry matches 'a*'"),
        ("one file=sweep.json family=reduce ladder=hop", "series hop has no two timed stages"),
        ("one file=sweep.json family=reduce value=speed", "value=speed is not known"),
        ("one file=sweep.json family=reduce n=2^20 columns=speed", "columns=speed is not known"),
        ("one file=sweep.json family=reduce across=taps", "across=taps: no cell has such a knob"),
        ("one file=sweep.json family=reduce across=cache", "its columns hold one n each: choose it"),
        ("one file=sweep.json family=reduce across=type type=int8 n=2^20", "no cell has type=int8"),
        ("one file=sweep.json family=reduce value=ratio against=mkl", "against=mkl is not known"),
        ("one file=sweep.json family=reduce value=ratio against=cufft", "no like-for-like entry of cufft"),
        ("one file=sweep.json agreement=yes", "it compares two files, not 1"),
        ("one file=sweep.json,counted.json agreement=yes", "have no timed cell in common"),
        ("one file=sweep.json,sweep.json agreement=yes split=x", "split=x is not a time"),
        ("one file=sweep.json,sweep.json agreement=yes within=x", "within=x is not a percentage"),
        ("one file=sweep.json,sweep.json spread=here", "1 names for 2 files"),
        ("one file=sweep.json,sweep.json between=one", "it needs two names"),
        ("one file=counted.json ceilings=yes", "none of the files has ceilings"),
        ('one file="sweep.json', "No closing quotation"),
    ],
)
def test_bad_markers(readme: Path, capsys: pytest.CaptureFixture[str], marker: str, message: str) -> None:
    readme.write_text(f"# Title\n\n<!-- table: {marker} -->\n<!-- end table -->\n")
    assert main(["readme", "--readme", str(readme)]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert "README.md:3" in error or "cannot read" in error


def made(folder: Path, marker: str) -> list[list[str]]:
    """The cells of the table that a marker gives, heading first."""
    path = folder / "made.md"
    path.write_text(f"<!-- table: one {marker} -->\n<!-- end table -->\n")
    assert main(["readme", "--readme", str(path)]) == 0
    lines = [line for line in path.read_text().splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if "---" not in line]


def test_a_column_for_each_value_of_a_knob(tmp_path: Path) -> None:
    document = synthetic.machine(families=("convolve",), sizes=(2**20,), samples=10)
    synthetic.write(tmp_path, "convolve.json", document)
    heading, *lines = made(
        tmp_path, "file=convolve.json across=taps taps=64,3 value=time,ratio against=thrust"
    )
    assert heading == ["entry (µs; Thrust's time / time)", "taps 64", "taps 3"]
    assert [line[0] for line in lines] == [
        "`direct/global`",
        "`direct/tiled`",
        "`thrust/tabulate`",
        "`cufft/full`",
    ]
    cell = next(
        row["tally"]
        for row in document["benchmarks"]
        if row["tally"]["entry"] == "convolve/direct/tiled" and row["tally"]["knobs"] == {"taps": 64}
    )
    time, ratio = lines[1][1].strip(")").split(" (")
    assert float(time) == pytest.approx(cell["median"] * 1e6, rel=1e-3)
    assert float(ratio) == pytest.approx(cell["ratios"]["convolve/thrust/tabulate"]["value"], abs=0.006)


def test_published_figures_stand_beside_their_own_type_and_size(tmp_path: Path) -> None:
    document = synthetic.machine(
        families=("elementwise",), types=("float32", "float16"), sizes=(2**20, 2**25), samples=8
    )
    synthetic.write(tmp_path, "pack.json", document)
    heading, *lines = made(tmp_path, "file=pack.json across=type n=2^25 published=yes")
    assert heading == ["entry (µs)", "float32", "float32, published, A100", "float16"]
    assert [line[2] for line in lines] == ["298 µs", "284 µs", "–", "–"]
    heading, *lines = made(tmp_path, "file=pack.json n=2^25 columns=time,cub,error,distinct,published")
    assert heading[1:] == [
        "time (µs), n = 2<sup>25</sup>",
        "CUB's time / time",
        "\\|error\\|/(u·Σ\\|terms\\|)",
        "distinct answers",
        "published, A100",
    ]
    assert [line[-1] for line in lines] == ["298 µs", "284 µs", "–", "–"] and lines[0][4] == "1 of 100"
    heading, *_ = made(tmp_path, "file=pack.json n=2^20 columns=time,published")
    assert len(heading) == 2, "published for another n"


def test_agreement_of_two_runs_is_counted(tmp_path: Path) -> None:
    first = synthetic.machine(sizes=(1024, 2**28), samples=8)
    second = copy.deepcopy(first)
    short = [row["tally"] for row in second["benchmarks"] if row["tally"]["n"] == 1024]
    long = [row["tally"] for row in second["benchmarks"] if row["tally"]["n"] == 2**28]
    for cell, factor in zip(short, [1.02, 1 / 1.02, 1.005, 1.2], strict=False):
        cell["median"] *= factor
        cell["ci"] = [bound * factor for bound in cell["ci"]]
    for name, document in (("a.json", first), ("b.json", second)):
        synthetic.write(tmp_path, name, document)
    limit = 1.5e6 * max(row["tally"]["median"] for row in first["benchmarks"] if row["tally"]["n"] == 1024)
    heading, *lines = made(tmp_path, f"file=a.json,b.json agreement=yes split={limit}us within=1%,3%")
    assert heading[1:5] == ["count", "median difference", "within 1 %", "within 3 %"]
    count = len(short)
    assert [line[1] for line in lines] == [str(count), str(len(long)), str(count + len(long))]
    assert [line[3] for line in lines][:2] == [f"{100 * (count - 3) / count:.0f} %", "100 %"]
    assert [line[4] for line in lines][:2] == [f"{100 * (count - 1) / count:.0f} %", "100 %"]
    assert [line[5] for line in lines] == ["20.0 %", "0.0 %", "20.0 %"]


def test_runs_are_spread_within_a_kind_and_between_two(tmp_path: Path) -> None:
    first = synthetic.machine(sizes=(1024,), samples=8)
    factors = {"a.json": 1, "b.json": 1.005, "c.json": 1.02, "d.json": 1.02}
    for name, factor in factors.items():
        document = copy.deepcopy(first)
        for row in document["benchmarks"]:
            row["tally"]["median"] *= factor
        synthetic.write(tmp_path, name, document)
    heading, *lines = made(tmp_path, f'file={",".join(factors)} "spread=one GPU,one GPU,one GPU,two"')
    assert heading == ["runs", "pairs", "median difference", "within 1 %", "within 3 %"]
    assert lines == [
        ["one GPU, one GPU", "3", "1.5 %", "33 %", "100 %"],  # apart by 0.5, 2 and 1.5 %
        ["one GPU, two", "3", "1.5 %", "33 %", "100 %"],  # by 2, 1.5 and 0 %
    ]


def test_an_entry_against_its_fastest_baseline_over_all_sizes(tmp_path: Path) -> None:
    document = synthetic.machine(families=("reduce",), sizes=(2**10, 2**14, 2**18), samples=10)
    entry = "reduce/korean_course/reduce4"
    smallest = {2**10: 1.5, 2**14: 0.96, 2**18: 2.0}
    for row in document["benchmarks"]:
        cell = row["tally"]
        if cell["entry"] == entry:
            value = smallest[cell["n"]]
            cell["ratios"] = {
                "reduce/cub/sum": {"value": value, "ci": [value - 0.01, value + 0.01]},
                "reduce/cub/reduce": {"value": value + 1, "ci": [value, value + 2]},
                "reduce/thrust/reduce": {"value": 0.5, "ci": [0.4, 0.6]},
            }
    synthetic.write(tmp_path, "a.json", document)
    heading, *lines = made(tmp_path, f"file=a.json overall={entry} against=cub type=float32 cache=cold")
    assert heading == ["of", "sizes", "geometric mean", "smallest", "at n"]
    mean = (1.5 * 0.96 * 2.0) ** (1 / 3)
    assert lines == [["float32", "3", f"**{mean:.3f}**", "0.960 (0.950 – 0.970)", "2<sup>14</sup>"]]
    heading, *lines = made(tmp_path, f"file=a.json overall={entry} type=float32 cache=cold")
    assert lines[0][2] == "**0.500**", "without against= all baselines count"
    for row in document["benchmarks"][:]:
        again = copy.deepcopy(row)
        again["tally"]["clock"] = "graph"
        again["name"] += "/graph"
        document["benchmarks"].append(again)
    synthetic.write(tmp_path, "two.json", document)
    heading, *_ = made(tmp_path, f"file=two.json overall={entry} type=float32 cache=cold")
    assert heading[2] == "device: geometric mean" and heading[5] == "graph: geometric mean"


def test_two_ways_of_one_thing_by_size(tmp_path: Path) -> None:
    first = synthetic.machine(sizes=(1024, 2**20), samples=8)
    second = copy.deepcopy(first)
    for row in second["benchmarks"]:
        row["tally"]["median"] *= 1.5 if row["tally"]["n"] == 1024 else 1.0
    for name, document in (("read.json", first), ("write.json", second)):
        synthetic.write(tmp_path, name, document)
    heading, *lines = made(tmp_path, "file=read.json,write.json between=reading,writing")
    assert heading[4] == "writing / reading, median" and [line[4] for line in lines] == ["1.500", "1.000"]
    assert [line[0] for line in lines] == ["2<sup>10</sup>", "2<sup>20</sup>"]


def test_ceilings_over_several_runs(tmp_path: Path) -> None:
    first, second = synthetic.machine(sizes=(1024,), samples=8), synthetic.machine(sizes=(1024,), samples=8)
    second["tally"]["ceilings"]["hbm_read"] *= 1.1
    for name, document in (("a.json", first), ("b.json", second)):
        synthetic.write(tmp_path, name, document)
    _, *lines = made(tmp_path, "file=a.json,b.json ceilings=yes")
    known = {line[0]: line[1:] for line in lines}
    assert known["memory read (GB/s)"] == ["4830", "4600", "5060", "2"]
    assert known["launch floor, one call (µs)"][:1] == ["2.780"] and "L2 read of 4 MiB (GB/s)" in known


def test_unclosed_table(readme: Path, capsys: pytest.CaptureFixture[str]) -> None:
    readme.write_text(
        "<!-- table: one file=sweep.json -->\n<!-- table: two file=sweep.json -->\n<!-- end table -->\n"
    )
    assert main(["readme", "--readme", str(readme)]) == 2
    assert "README.md:1: the table has no" in capsys.readouterr().err
