"""Two programs are run alternately in ABBA blocks; what they measured is then compared."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import synthetic

from analysis.__main__ import main

HARNESS = """#!{python}
import json, sys
sys.path[:0] = [{here!r}]
import synthetic
from pathlib import Path
config, out = sys.argv[1], Path(sys.argv[sys.argv.index("--out") + 1])
order = Path({folder!r}) / "order.txt"
with order.open("a") as log:
    log.write({name!r} + "\\n")
seed = len(order.read_text().splitlines())
document = synthetic.machine(
    sizes=(2**20,), samples=8, entries="h*", seed=seed, process_noise=0.002, slower={slower!r})
document["tally"]["config"]["arguments"] = sys.argv[4:]
out.write_text(json.dumps(document))
print("last words")
sys.exit({code})
"""


def program(folder: Path, name: str, slower: dict[str, float] | None = None, code: int = 0) -> Path:
    path = folder / name
    path.write_text(
        HARNESS.format(
            python=sys.executable,
            here=str(Path(__file__).parent),
            folder=str(folder),
            name=name,
            slower=slower or {},
            code=code,
        )
    )
    path.chmod(0o755)
    return path


def run(folder: Path, base: Path, new: Path, *arguments: str) -> int:
    config = folder / "config.json"
    config.write_text("{}")
    return main(
        ["ab", str(base), str(new), str(config), "--blocks", "2", "--out", str(folder / "out"), *arguments]
    )


def test_abba_and_a_regression(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(
        tmp_path,
        program(tmp_path, "one"),
        program(tmp_path, "two", {"harris/*": 1.1, "hopper/*": 1.1}),
        "--harness=--device=cuda:1",
        "--aa",
        str(synthetic.write(tmp_path, "a.json", synthetic.machine(sizes=(2**20,), samples=8, entries="h*"))),
        str(
            synthetic.write(
                tmp_path, "b.json", synthetic.machine(sizes=(2**20,), samples=8, entries="h*", seed=9)
            )
        ),
    )
    assert code == 1, capsys.readouterr().out
    assert (tmp_path / "order.txt").read_text().split() == ["one", "two", "two", "one"] * 2
    document = json.loads((tmp_path / "out" / "base.json").read_text())
    assert [row["repetition_index"] for row in document["benchmarks"][:4]] == [0, 1, 2, 3]
    assert {row["repetitions"] for row in document["benchmarks"]} == {4} and document["tally"]["config"][
        "arguments"
    ] == ["--device=cuda:1"]
    assert "slower" in capsys.readouterr().out


def test_same_binary_is_no_regression(tmp_path: Path) -> None:
    binary = program(tmp_path, "one")
    assert run(tmp_path, binary, binary) in (0, 3)


def test_a_program_that_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, program(tmp_path, "one"), program(tmp_path, "two", code=3)) == 2
    error = capsys.readouterr().err
    assert "ended with exit code 3: last words" in error
    assert run(tmp_path, tmp_path / "absent", tmp_path / "one") == 2
    assert "is not a program that can be run" in capsys.readouterr().err
    broken = tmp_path / "broken"
    broken.write_text("no program")
    broken.chmod(0o755)
    assert run(tmp_path, broken, tmp_path / "one") == 2
    assert "cannot run" in capsys.readouterr().err


def test_a_wrong_cell_costs_that_cell_only(tmp_path: Path) -> None:
    assert run(tmp_path, program(tmp_path, "one", code=1), program(tmp_path, "two", code=1)) in (0, 3)
