"""The tables of README and of the committed results' own README are those of the results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("text", ["README.md", "analysis/data/h200/README.md"])
def test_tables_are_generated_from_the_committed_results(text: str) -> None:
    command = [sys.executable, "-m", "analysis", "readme", "--readme", text, "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
