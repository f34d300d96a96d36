"""Puts the tables of variants/convolve/README.md between its markers.

    python3 tests/variants/convolve_best/readme_tables.py README.md SWEEP.jsonl[.xz]...

A time of best is that of the kernel which tune_table.py takes from the same results.
"""

import json
import lzma
import sys

from tune_table import BANDS, candidate_of, rows_of, shape_of, table_of

SIZES = [1 << bits for bits in (12, 16, 20, 22, 24)]
TAPS = [3, 16, 64, 128, 256, 1024, 8192]


def peak_of(paths):
    """type -> 10^12 multiplications with addition a second, as the last file has them."""
    peaks = {}
    for path in paths:
        with lzma.open(path, "rt") if path.endswith(".xz") else open(path) as file:
            for row in map(json.loads, file):
                if "peak" in row:
                    peaks[row["type"]] = row["peak"]
    return peaks


def power(n):
    return f"2^{n.bit_length() - 1}"


def ratio(value):
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def against_libraries(rows):
    yield "| type | n | " + " | ".join(f"{taps} taps" for taps in TAPS) + " |"
    yield "| --- " * (2 + len(TAPS)) + "|"
    for scalar in ("float32", "float64"):
        table = table_of(rows, scalar)
        for n in SIZES:
            cells = []
            for taps in TAPS:
                own = rows[scalar, n, taps, candidate_of(table, n + taps - 1, min(n, taps))]
                libraries = [rows.get((scalar, n, taps, name)) for name in ("thrust", "cufft")]
                others = [ratio(us / own) if us else "–" for us in libraries]
                cells.append(f"**{own:.1f}** ({others[0]}, {others[1]})")
            yield f"| {scalar} | {power(n)} | " + " | ".join(cells) + " |"


def direct_at_work(rows, peaks):
    n = 1 << 24
    columns = [taps for taps in (64, 128, 256, 512, 1024, 2048, 4096, 8192)]
    yield f"| {power(n)} | " + " | ".join(f"{taps} taps" for taps in columns) + " |"
    yield "| --- " * (1 + len(columns)) + "|"
    for scalar in ("float32", "float64"):
        cells = []
        for taps in columns:
            times = [us for (*cell, name), us in rows.items() if cell == [scalar, n, taps] and shape_of(name)]
            cells.append(f"{100 * n * taps / min(times) * 1e-6 / peaks[scalar]:.0f}%" if times else "–")
        yield f"| {scalar} | " + " | ".join(cells) + " |"


def crossovers(rows):
    limits = [f"up to {power(most)}" if most else "more" for most in BANDS]
    yield "| outputs | " + " | ".join(limits) + " |"
    yield "| --- " * (1 + len(limits)) + "|"
    for scalar in ("float32", "float64"):
        found = [taps for _, taps in table_of(rows, scalar)[1]]
        yield f"| {scalar} | " + " | ".join("never" if taps is None else str(taps) for taps in found) + " |"


def main(readme, *paths):
    rows = rows_of(paths)
    tables = {
        "against-libraries": against_libraries(rows),
        "crossovers": crossovers(rows),
        "share-of-peak": direct_at_work(rows, peak_of(paths)),
    }
    with open(readme) as file:
        text = file.read()
    for name, lines in tables.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        if begin not in text or end not in text:
            sys.exit(f"{readme}: no table {name}; put the lines {begin.strip()} and {end} where it belongs")
        before, rest = text.split(begin, 1)
        after = rest.split(end, 1)[1]
        text = before + begin + "".join(line + "\n" for line in lines) + end + after
    with open(readme, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
