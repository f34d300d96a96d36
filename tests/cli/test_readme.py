"""README's "Add a kernel", followed to the letter: its file is saved where it says, its command is run."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def section(title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}$(.*?)^## |^## {re.escape(title)}$(.*)\Z", README, re.M | re.S)
    assert found, f"README has no section {title!r}"
    return found.group(1) or found.group(2)


def test_add_a_kernel(tmp_path: Path) -> None:
    text = section("Add a kernel")
    place = re.search(r"Save this as `(variants/[^`]+)`", text)
    code = re.search(r"```cpp\n(.*?)```", text, re.S)
    commands = re.findall(r"```\n(\./run .*?)\n```", text, re.S)
    assert place and code and len(commands) == 1
    target = ROOT / place.group(1)
    if target.exists():
        pytest.fail(f"{target} is there already: the test would overwrite it")
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    target.write_text(code.group(1))
    try:
        words = shlex.split(commands[0])
        done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=1500)
    finally:
        target.unlink()
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    results = json.loads((ROOT / words[words.index("--out") + 1]).read_text())
    rows = [row["tally"] for row in results["benchmarks"]]
    mine = [row for row in rows if row["entry"] == "reduce/mine/one_thread"]
    assert mine and all(row["check"]["status"] == "right" for row in mine)
    assert "GPU" in done.stdout.splitlines()[0], "the first line says that no GPU was used"
