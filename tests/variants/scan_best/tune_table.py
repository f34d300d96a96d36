"""Writes variants/scan/best/tuned.h and the table of variants/scan/README.md from results of sweep_scan.

    python3 tests/variants/scan_best/tune_table.py TUNED_H README SWEEP.json[.xz]...

A table for each width of the elements. For every power of two of bytes, the kernel that loses least to the
best one, on average over the sweeps (types) of that width; where they have no array of so few bytes, over the
sweeps of the other width. A kernel that the table has already is taken where it loses less than 1% more: so
much two runs of one kernel differ, and fewer are compiled.
"""

import collections
import json
import lzma
import math
import pathlib
import re
import sys

WIDTHS = {"float32": 4, "float64": 8, "int32": 4, "int64": 8}
WORTH_ANOTHER_KERNEL = 0.01


def kernel_of(candidate):
    """The row of table that a candidate's name stands for, or None."""
    if match := re.fullmatch(r"(registers|bulk) (\d+)x(\d+) near (\d+)", candidate):
        return f"{{Way::{match[1]}, {match[2]}, {match[3]}, {match[4]}}}"
    return None


def rows_of(path):
    with lzma.open(path, "rt") if str(path).endswith(".xz") else open(path) as file:
        return json.load(file)


def losses(paths):
    """width -> bytes -> kernel -> logarithms of its time over the fastest kernel's, one a type."""
    times = collections.defaultdict(dict)
    for path in paths:
        for row in rows_of(path):
            if kernel := kernel_of(row["candidate"]):
                times[row["type"], WIDTHS[row["type"]] << row["bits"]][kernel] = row["us"]
    table = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
    for (element, size), measured in times.items():
        for kernel, microseconds in measured.items():
            table[WIDTHS[element]][size][kernel].append(math.log(microseconds / min(measured.values())))
    return table


def text_of(size):
    if size >= 1 << 20:
        return f"{size >> 20} * megabytes"
    return f"{size >> 10} * kilobytes"


def rows_for(width, by_width):
    """[(most bytes, kernel)], rising."""
    other = {4: 8, 8: 4}[width]
    sizes = {**by_width[other], **by_width[width]}
    chosen = []
    used = set()
    for size in sorted(sizes):
        if by_width[width] and size > max(by_width[width]):
            break
        kernels = sizes[size]
        asked = max(len(found) for found in kernels.values())
        mean = {kernel: sum(found) / asked for kernel, found in kernels.items() if len(found) == asked}
        best = min(mean, key=mean.get)
        known = [
            kernel for kernel in mean if kernel in used and mean[kernel] < mean[best] + WORTH_ANOTHER_KERNEL
        ]
        if chosen and chosen[-1][1] in known:
            best = chosen[-1][1]
        elif known:
            best = min(known, key=mean.get)
        used.add(best)
        loss = f"{100 * mean[best]:.2f}% to the best of {asked} sweeps"
        print(f"{width} {text_of(size):>18}: {best:28} loses {loss}")
        if chosen and chosen[-1][1] == best:
            chosen.pop()
        chosen.append((size, best))
    return chosen


def tuned_header(tables):
    """The text of tuned.h. `tables`: width -> [(most bytes, kernel)]."""
    lines = ["#pragma once", "", '#include "kernel.h"', ""]
    lines.append(
        "/// Written by tests/variants/scan_best/tune_table.py; README.md beside this folder says from what."
    )
    lines += ["namespace tally_scan {", "", "// clang-format off"]
    for width, chosen in tables.items():
        lines.append(f"inline constexpr Row table_of_{width}_byte_elements[] = {{")
        for index, (size, kernel) in enumerate(chosen):
            most = "any_size" if index == len(chosen) - 1 else text_of(size)
            lines.append(f"    {{{most}, {kernel}}},")
        lines.append("};")
    lines += ["// clang-format on", "", "}  // namespace tally_scan"]
    return "\n".join(lines) + "\n"


def against_library(tables, paths):
    """README's table: for each sweep and size the table's kernel, CUB and a copy, in microseconds."""
    lines = [
        "| type | n | kernel | µs | CUB, µs | ratio | copy, µs |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for path in paths:
        cells = collections.defaultdict(dict)
        for row in rows_of(path):
            cells[row["type"], row["bits"]][row["candidate"]] = row["us"]
        for (element, bits), measured in cells.items():
            size = WIDTHS[element] << bits
            rows = tables[WIDTHS[element]]
            wanted = next((kernel for most, kernel in rows if size <= most), rows[-1][1])
            name = next(candidate for candidate in measured if kernel_of(candidate) == wanted)
            ours, library, copy = measured[name], measured["cub"], measured["copy"]
            times = f"{ours:.2f} | {library:.2f} | {library / ours:.2f} | {copy:.2f}"
            lines.append(f"| {element} | 2^{bits} | {name} | {times} |")
    return "\n".join(lines)


def with_table(text, table):
    """README's text with the table between its marks."""
    return re.sub(
        r"(<!-- against-cub -->\n).*?(<!-- /against-cub -->)",
        lambda marks: marks[1] + table + "\n" + marks[2],
        text,
        flags=re.DOTALL,
    )


def main(header, readme, *paths):
    by_width = losses(paths)
    tables = {width: rows_for(width, by_width) for width in (4, 8)}
    pathlib.Path(header).write_text(tuned_header(tables))
    page = pathlib.Path(readme)
    page.write_text(with_table(page.read_text(), against_library(tables, paths)))


if __name__ == "__main__":
    main(*sys.argv[1:])
