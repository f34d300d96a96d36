#!/usr/bin/env python3
"""Counts of the CPU executor beside the hardware's own, by Nsight Compute, for one call of each variant.

    scripts/compare_counters.py HARNESS [--n 65536,65537] [--entries GLOB ...] [--out counters.json]

Needs a GPU, ncu, and a harness with the devices cuda and simt. Prints how many figures agree.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

METRICS = [
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
]
DEFAULT_ENTRIES = [
    "reduce/korean_course/*",
    "reduce/divergence/*",
    "reduce/pairings/*",
    "reduce/harris/v?",
    "sum_of_squares/geforce_8800gt/*",
    "elementwise/oneflow_pack/*",
    "scan/ladder/*",
]


def entries_of(harness: str, globs: list[str]) -> list[tuple[str, str]]:
    """Variants that run on both devices, each with the first of its types that the table is made for."""
    listed = subprocess.run([harness, "--list"], capture_output=True, text=True, check=True).stdout
    found = []
    for line in listed.splitlines():
        match = re.match(r"\s+(\S+/\S+/\S+)\s+variant\s+(\S+)\s+(\S+)", line)
        if not match or "simt" not in match[2] or "cuda" not in match[2]:
            continue
        if any(fnmatch(match[1], glob) for glob in globs):
            types = match[3].split(",")
            kind = next((t for t in ("float32", "int32") if t in types), types[0])
            found.append((match[1], kind))
    return found


def by_hardware(harness: str, entry: str, n: int, kind: str) -> dict[str, float] | str:
    """The sums over all launches of the call, or why there are none."""
    command = [
        "ncu",
        "--clock-control",
        "none",
        "--nvtx",
        "--nvtx-include",
        "tally/",
        "--csv",
        "--page",
        "raw",
    ]
    command += ["--metrics", ",".join(METRICS), harness, "--call", entry, "--n", str(n), "--type", kind]
    done = subprocess.run(command, capture_output=True, text=True)
    table = done.stdout[done.stdout.find('"ID"') :]
    if '"ID"' not in done.stdout:
        return (done.stdout + done.stderr).strip().splitlines()[-1]
    rows = list(csv.DictReader(io.StringIO(table)))[1:]  # the first row holds the units
    return {metric: sum(float(row[metric].replace(",", "")) for row in rows) for metric in METRICS}


def by_executor(harness: str, entry: str, n: int, kind: str) -> dict[str, float] | str:
    command = [harness, "--explain", entry, "--n", str(n), "--type", kind, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.strip()
    return json.loads(done.stdout)[entry]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("harness")
    parser.add_argument("--n", default="65536,65537")
    parser.add_argument("--entries", nargs="*", default=DEFAULT_ENTRIES)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    rows, equal, total = [], 0, 0
    for entry, kind in entries_of(asked.harness, asked.entries):
        for n in map(int, asked.n.split(",")):
            executor = by_executor(asked.harness, entry, n, kind)
            hardware = by_hardware(asked.harness, entry, n, kind)
            if isinstance(executor, str) or isinstance(hardware, str):
                print(f"{entry} n = {n}: no counts: {executor if isinstance(executor, str) else hardware}")
                continue
            for metric in METRICS:
                same = executor[metric] == hardware[metric]
                total += 1
                equal += same
                rows.append(
                    {"entry": entry, "type": kind, "n": n, "metric": metric, "executor": executor[metric]}
                    | {"hardware": hardware[metric]}
                )
                if not same:
                    print(
                        f"{entry} n = {n} {metric}: ours {executor[metric]:.0f}, H/W {hardware[metric]:.0f}"
                    )
    print(f"{equal} of {total} figures are equal")
    if asked.out:
        asked.out.write_text(json.dumps({"equal": equal, "total": total, "figures": rows}, indent=0) + "\n")
    return 0 if total else 1


if __name__ == "__main__":
    sys.exit(main())
