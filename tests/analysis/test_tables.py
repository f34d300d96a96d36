"""README's tables say what the results say, and `--check` sees when they do not."""

from __future__ import annotations

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
        ('one file="sweep.json', "No closing quotation"),
    ],
)
def test_bad_markers(readme: Path, capsys: pytest.CaptureFixture[str], marker: str, message: str) -> None:
    readme.write_text(f"# Title\n\n<!-- table: {marker} -->\n<!-- end table -->\n")
    assert main(["readme", "--readme", str(readme)]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert "README.md:3" in error or "cannot read" in error


def test_unclosed_table(readme: Path, capsys: pytest.CaptureFixture[str]) -> None:
    readme.write_text(
        "<!-- table: one file=sweep.json -->\n<!-- table: two file=sweep.json -->\n<!-- end table -->\n"
    )
    assert main(["readme", "--readme", str(readme)]) == 2
    assert "README.md:1: the table has no" in capsys.readouterr().err
