"""What README shows is of the committed results: its tables and picture, and the tables beside these."""

from __future__ import annotations

import gzip
import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("text", ["README.md", "analysis/data/h200/README.md"])
def test_tables_are_generated_from_the_committed_results(text: str) -> None:
    command = [sys.executable, "-m", "analysis", "readme", "--readme", text, "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_picture_is_drawn_from_the_committed_results() -> None:
    shown = re.findall(r"!\[[^]]*\]\(([^)]+\.png)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    committed = {
        hashlib.sha256(gzip.decompress(path.read_bytes())).hexdigest()
        for path in (ROOT / "analysis" / "data").rglob("*.json.gz")
    }
    assert shown
    for picture in shown:
        with Image.open(ROOT / picture) as image:
            source = image.text["Source"]  # type: ignore[attr-defined]
        assert committed & set(re.findall(r"[0-9a-f]{64}", source)), f"{picture}: draw it anew: {source}"
