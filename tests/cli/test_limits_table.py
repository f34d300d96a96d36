"""The committed table of what limits the kernels is what the committed counters make."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMITS = ROOT / "analysis/data/h200/limits"


def test_the_table_is_what_the_counters_make(tmp_path) -> None:
    shutil.copy(LIMITS / "limits.csv", tmp_path)
    subprocess.run([sys.executable, ROOT / "scripts/collect_limits.py", "--table", tmp_path], check=True)
    table = (tmp_path / "table.md").read_text()
    assert table == (LIMITS / "table.md").read_text()
    assert table.count("\n| `") == len((LIMITS / "limits.csv").read_text().splitlines()) - 1
