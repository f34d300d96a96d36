"""The harness as its users call it: one process, its exit code, its words, the files it leaves."""

import json
import os
import resource
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).parent / "golden"


@dataclass
class Finished:
    """What a run of the harness left behind, and what it and its workers used of all cores."""

    code: int
    out: str
    err: str
    cpu_seconds: float = 0


@pytest.fixture(scope="session")
def binary() -> str:
    path = os.environ.get("TALLY_HARNESS")
    if not path:
        pytest.skip("TALLY_HARNESS does not name the harness's binary")
    return path


@pytest.fixture
def harness(binary: str, tmp_path: Path) -> Callable[..., Finished]:
    """Calls the harness in an empty folder, outside any Slurm job; `slurm` are variables of one, `limit` is
    in seconds.
    """

    def used() -> float:
        of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return of_children.ru_utime + of_children.ru_stime

    def call(*arguments: str | Path, slurm: dict[str, str] | None = None, limit: float = 120) -> Finished:
        before = used()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
        done = subprocess.run(
            [binary, *map(str, arguments)],
            cwd=tmp_path,
            env=environment | (slurm or {}),
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
        return Finished(done.returncode, done.stdout, done.stderr, used() - before)

    return call


@pytest.fixture
def config(tmp_path: Path) -> Callable[..., Path]:
    """Writes a config: text as it is, or a run of family reduce with some keys changed."""

    def write(content: str | dict | list | None = None, /, **run: object) -> Path:
        if content is None:
            keys = {"family": "reduce", "sizes": [64], "entries": ["reduce/korean_course/*"]} | run
            content = {"runs": [{key: value for key, value in keys.items() if value is not None}]}
        path = tmp_path / "config.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


def compare_with_golden(name: str, text: str) -> None:
    """Fails where the text is not the committed one; TALLY_UPDATE_GOLDEN=1 writes it anew."""
    path = GOLDEN / name
    if os.environ.get("TALLY_UPDATE_GOLDEN"):
        path.write_text(text)
    assert text == path.read_text(), f"differs from {path}; if it should, run with TALLY_UPDATE_GOLDEN=1"
