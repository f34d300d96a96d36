#!/usr/bin/env python3
"""What limits a kernel, by the GPU's own counters: one checked call of each of some under Nsight Compute.

scripts/collect_limits.py HARNESS OUT    needs a GPU and ncu; writes OUT/limits.csv and OUT/table.md
scripts/collect_limits.py --table OUT    writes OUT/table.md of OUT/limits.csv again

Shares are of what the unit can do at most, over the kernel's time; waits are warps that wait for each warp
that issues, by what they wait for. A call begins with caches that ncu has emptied; clocks are as they are.
"""

import csv
import io
import subprocess
import sys
from pathlib import Path

# The kernels of series hopper that stay below a target, and some at their limit: entry, type, n, knobs.
CALLS = [
    ("reduce/hopper/best", "float32", 1 << 17, []),
    ("reduce/hopper/best", "float32", 1 << 30, []),
    ("elementwise/hopper/best", "float32", 1 << 24, []),
    ("upsample_nearest2x/hopper/best", "float32", 1 << 12, ["direction=forward"]),
    ("upsample_nearest2x/hopper/best", "float32", 1 << 26, ["direction=forward"]),
    ("upsample_nearest2x/hopper/best", "float32", 1 << 26, ["direction=backward"]),
    ("convolve/hopper/best", "float32", 1 << 16, ["taps=64"]),
    ("convolve/hopper/best", "float32", 1 << 20, ["taps=64"]),
    ("convolve/hopper/best", "float32", 1 << 24, ["taps=64"]),
    ("convolve/hopper/best_direct", "float32", 1 << 24, ["taps=256"]),
    ("convolve/hopper/best_direct", "float32", 1 << 24, ["taps=1024"]),
    ("index_add/hopper/best", "float32", 1 << 18, ["duplicates=1"]),
    ("index_add/hopper/best", "float32", 1 << 18, ["duplicates=0"]),
]

SHARE = ".avg.pct_of_peak_sustained_elapsed"
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
STALLS = {
    "memory": "long_scoreboard",
    "shared memory": "short_scoreboard",
    "barrier": "barrier",
    "LSU queue": "lg_throttle",
    "MIO queue": "mio_throttle",
    "pipe": "math_pipe_throttle",
    "fixed latency": "wait",
    "instructions": "no_instruction",
}
METRICS = {
    "time (µs)": "gpu__time_duration.sum",
    "memory": "dram__throughput" + SHARE,
    "L2": "lts__t_sectors" + SHARE,
    "L1 and shared": "l1tex__data_pipe_lsu_wavefronts" + SHARE,
    "FMA pipe": "sm__pipe_fma_cycles_active" + SHARE,
    "issue slots": "sm__inst_issued" + SHARE,
    "warps": "sm__warps_active.avg.pct_of_peak_sustained_active",
}
NANOSECONDS = {"ns": 1, "nsecond": 1, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6}


def profiled(harness: str, call: tuple) -> list[dict[str, str]]:
    """A row for each launch of the call."""
    entry, scalar, n, knobs = call
    wanted = [*METRICS.values(), *(STALL.format(name) for name in STALLS.values())]
    command = ["ncu", "--clock-control", "none", "--nvtx", "--nvtx-include", "tally/", "--csv"]
    command += ["--page", "raw", "--metrics", ",".join(wanted)]
    command += [harness, "--call", entry, "--n", str(n), "--type", scalar]
    for knob in knobs:
        command += ["--knob", knob]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if ": right" not in done.stdout:
        raise SystemExit(f"collect_limits: {entry}: {done.stdout[-500:]}{done.stderr[-500:]}")
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    read = list(csv.DictReader(io.StringIO("\n".join(lines))))
    units, launches = read[0], read[1:]
    rows = []
    for launch in launches:
        row = {"entry": entry, "type": scalar, "n": str(n), "knobs": " ".join(knobs)}
        name = launch["Kernel Name"].split("(")[0].split("<")[0]
        row["kernel"] = name.split("::")[-1].removeprefix("void ")
        for name in wanted:
            row[name] = launch.get(name, "").replace(",", "")
        time = METRICS["time (µs)"]
        row[time] = f"{float(row[time]) * NANOSECONDS[units[time]]:.0f}"
        rows.append(row)
    return rows


def table_of(rows: list[dict[str, str]]) -> str:
    """The rows as a Markdown table: shares of each unit, and the two things that warps wait for most."""
    lines = ["| call | kernel | " + " | ".join(METRICS) + " | waits, warps for each that issues |"]
    lines.append("| --- | --- |" + " ---: |" * len(METRICS) + " --- |")
    for row in rows:
        call = f"`{row['entry']}` n = {int(row['n']):,}" + (f", {row['knobs']}" if row["knobs"] else "")
        cells = []
        for title, name in METRICS.items():
            value = float(row[name])
            cells.append(f"{value / 1e3:.2f}" if title.startswith("time") else f"{value:.0f} %")
        waits = {title: float(row[STALL.format(name)] or 0) for title, name in STALLS.items()}
        longest = sorted(waits, key=waits.get, reverse=True)[:2]
        cells.append(", ".join(f"{title} {waits[title]:.1f}" for title in longest))
        lines.append(f"| {call} | `{row['kernel']}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    out = Path(sys.argv[2])
    if sys.argv[1] != "--table":
        out.mkdir(parents=True, exist_ok=True)
        rows = [row for call in CALLS for row in profiled(sys.argv[1], call)]
        with open(out / "limits.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    with open(out / "limits.csv", newline="") as file:
        (out / "table.md").write_text(table_of(list(csv.DictReader(file))))


if __name__ == "__main__":
    main()
