"""Two builds of the harness, run alternately on one GPU, then compared: what CI on a GPU runner calls.

Runs go in blocks of ABBA, so that a drift that is linear in time (heat, clocks) falls on both builds alike.
Every run is a fresh process, and so each becomes a repetition of its side: base.json and new.json in the
output folder are results files of that many repetitions. Given the same binary twice, the two files are an
A/A pair for `compare --aa`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis import files
from analysis.errors import UserError
from analysis.load import Results, load

SIDES = ("base", "new")
BLOCK = (0, 1, 1, 0)


def run_both(
    binaries: tuple[Path, Path],
    config: Path,
    out: Path,
    blocks: int,
    arguments: Sequence[str] = (),
) -> tuple[Results, Results]:
    """Run 2*blocks processes of each binary; write and return base.json and new.json. Raises UserError if
    one cannot run.
    """
    for binary in binaries:
        if not os.access(binary, os.X_OK) or not binary.is_file():
            raise UserError(f"{binary} is not a program that can be run")
    if not config.is_file():
        raise UserError(f"{config} is not a file")
    runs = out / "runs"
    files.make_folder(runs)
    done: tuple[list[Results], list[Results]] = ([], [])
    for place, side in enumerate(BLOCK * blocks):
        path = runs / f"{place:03d}-{SIDES[side]}.json"
        print(f"ab: run {place + 1} of {4 * blocks}, {SIDES[side]}", file=sys.stderr, flush=True)
        done[side].append(_run(binaries[side], config, path, arguments))
    for side in (0, 1):
        document = as_repetitions(done[side])
        files.write_text(out / f"{SIDES[side]}.json", json.dumps(document, indent=1) + "\n")
    return load(out / "base.json"), load(out / "new.json")


def as_repetitions(runs: Sequence[Results]) -> dict[str, Any]:
    """Several runs of one config -> one document, each run's rows being further repetitions."""
    merged = dict(runs[0].document)
    rows: dict[str, list[dict[str, Any]]] = {}
    for run in runs:
        for row in run.document["benchmarks"]:
            rows.setdefault(row["name"], []).append(row)
    merged["benchmarks"] = [
        {**row, "repetitions": len(same), "repetition_index": index}
        for same in rows.values()
        for index, row in enumerate(same)
    ]
    failures = {failure["cell"]: failure for run in runs for failure in run.failures}
    # A cell that failed in any run is no longer one that was measured and right: it must not pass as such.
    failed = {
        cell for cell, failure in failures.items() if failure["status"] not in ("skipped", "known_wrong")
    }
    merged["benchmarks"] = [row for row in merged["benchmarks"] if row["name"] not in failed]
    merged["tally"] = {**runs[0].tally, "failures": list(failures.values())}
    return merged


def _run(binary: Path, config: Path, path: Path, arguments: Sequence[str]) -> Results:
    path.unlink(missing_ok=True)
    command = [str(binary.resolve()), str(config), "--out", str(path), *arguments]
    try:
        finished = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
    except OSError as error:
        raise UserError(f"cannot run {binary}: {error.strerror or error}") from error
    files.write_text(path.with_suffix(".log"), finished.stdout)
    # Exit 1 is a cell that was wrong, crashed or timed out: the rest is there, and the comparison says what
    # is missing.
    if finished.returncode not in (0, 1) or not path.is_file():
        last = (finished.stdout.strip().splitlines() or ["(it said nothing)"])[-1]
        raise UserError(f"{' '.join(command)} ended with exit code {finished.returncode}: {last}")
    return load(path)
