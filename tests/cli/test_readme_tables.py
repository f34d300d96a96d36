"""README's tables are those of the committed results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_tables_are_generated_from_the_committed_results() -> None:
    command = [sys.executable, "-m", "analysis", "readme", "--readme", "README.md", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
