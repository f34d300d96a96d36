"""Writes best/tuned.h of elementwise and of upsample_nearest2x from the results of their sweeps.

    python3 tests/variants/tune_tables.py

A size is a power of two of n, in bytes. A kernel's loss at a size is how much longer it takes than
the fastest one, as a logarithm, the mean of all types that have this size: cold times count seven
tenths, warm ones three. The table is the one with the least sum of losses over all sizes, where every
row costs as much as ROW_COST: a kernel that is best at one size by less is noise. Where a family has a
second sweep, with kernels that the first had not, its fastest takes the sizes from LARGE bytes on: what is
gained there is less than a row's cost, and repeats itself from size to size.
"""

import collections
import dataclasses
import json
import lzma
import math
import pathlib
import re

HERE = pathlib.Path(__file__).parent
VARIANTS = HERE.parents[1] / "variants"
ELEMENT_BYTES = {"float32": 4, "float64": 8, "float16": 2}
WEIGHTS = {"cold": 0.7, "warm": 0.3}
ROW_COST = 0.02
LARGE = 3 << 29
HINTS = {"n": "Hint::none", "e": "Hint::evict_first"}


@dataclasses.dataclass
class Table:
    """One table of a tuned.h: which rows of a sweep it is made from."""

    name: str
    what: str  #: as the sweep's rows say
    arrays: int  #: that a size counts the bytes of


@dataclasses.dataclass
class Family:
    folder: str
    namespace: str
    tests: str
    tables: list[Table]
    second_sweep: str | None = None


ELEMENTWISE = Family(
    "elementwise",
    "tally_elementwise",
    "elementwise_best",
    [Table("table", "multiply", 3)],
    second_sweep="second_float32",
)
UPSAMPLE = Family(
    "upsample_nearest2x",
    "tally_upsample",
    "upsample_best",
    [Table("forward_table", "forward", 1), Table("backward_table", "backward", 1)],
)


def rows_of(family, sweep="sweep"):
    with lzma.open(HERE / family.tests / f"h200/{sweep}.jsonl.xz", "rt") as file:
        return [json.loads(line) for line in file]


def kernel_of(candidate):
    """What a candidate is in C++, or None where it is no kernel that a table can have."""
    if match := re.fullmatch(r"(loads|copies)/t(\d+)/u(\d+)/([ne])([ne])", candidate):
        way, threads, depth, loads, stores = match.groups()
        return f"{{Way::{way}, {threads}, {depth}, {HINTS[loads]}, {HINTS[stores]}}}"
    if match := re.fullmatch(r"loads/t(\d+)/u(\d+)/p(\d+)/([ne])([ne])", candidate):
        threads, depth, piece, loads, stores = match.groups()
        return f"{{{threads}, {depth}, {piece}, {HINTS[loads]}, {HINTS[stores]}}}"
    return None


def losses(rows, table):
    """bytes -> kernel -> weighted log losses, one for each type."""
    times = collections.defaultdict(dict)
    for row in sorted(rows, key=lambda row: row["round"]):  # "final" overrules "all"
        if row["what"] == table.what and (kernel := kernel_of(row["candidate"])):
            size = row["n"] * ELEMENT_BYTES[row["type"]] * table.arrays
            times[size, row["type"], row["cache"]][kernel] = row["us"]
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for size, name in {(size, name) for size, name, _ in times}:
        for kernel in set(times[size, name, "cold"]) & set(times[size, name, "warm"]):
            loss = 0
            for cache, weight in WEIGHTS.items():
                measured = times[size, name, cache]
                loss += weight * math.log(measured[kernel] / min(measured.values()))
            found[size][kernel].append(loss)
    return found


def choose(rows, table):
    """(most bytes, kernel), rising; neighbours differ."""
    sizes = sorted(found := losses(rows, table))
    mean = []
    for size in sizes:
        asked = max(len(of_types) for of_types in found[size].values())
        mean.append({k: sum(of) / asked for k, of in found[size].items() if len(of) == asked})
    best = [(0, [])]  # for the first so many sizes: the least cost, and its rows
    for end in range(1, len(sizes) + 1):
        ways = []
        for start in range(end):
            everywhere = set.intersection(*(set(of_size) for of_size in mean[start:end]))
            for kernel in sorted(everywhere):
                cost = sum(of_size[kernel] for of_size in mean[start:end]) + ROW_COST
                ways.append((best[start][0] + cost, [*best[start][1], (sizes[end - 1], kernel)]))
        best.append(min(ways))
    return best[-1][1]


def fastest_when_large(rows, table):
    """The kernel with the least mean loss over the sizes from LARGE bytes on."""
    found = [of_size for size, of_size in losses(rows, table).items() if size >= LARGE]
    everywhere = set.intersection(*(set(of_size) for of_size in found))
    return min(sorted(everywhere), key=lambda kernel: sum(sum(of_size[kernel]) for of_size in found))


def text_of(size):
    if size >= 1 << 20 and size % (1 << 20) == 0:
        return f"{size >> 20} * megabytes"
    return f"{size >> 10} * kilobytes"


def tuned_header(family):
    rows = rows_of(family)
    lines = [
        "#pragma once",
        "",
        '#include "kernel.h"',
        "",
        "/// Written by tests/variants/tune_tables.py; README.md beside this folder says from what.",
        f"namespace {family.namespace} {{",
        "",
        "// clang-format off",
    ]
    for table in family.tables:
        chosen = choose(rows, table)
        if family.second_sweep:
            _, last = chosen.pop()
            large = fastest_when_large(rows_of(family, family.second_sweep), table)
            chosen += [(LARGE // 2, last), (None, large)]
        lines.append(f"inline constexpr Row {table.name}[] = {{")
        for index, (size, kernel) in enumerate(chosen):
            most = "any_size" if index == len(chosen) - 1 else text_of(size)
            lines.append(f"    {{{most}, {kernel}}},")
        lines.append("};")
    return "\n".join([*lines, "// clang-format on", "", f"}}  // namespace {family.namespace}", ""])


if __name__ == "__main__":
    for one in (ELEMENTWISE, UPSAMPLE):
        (VARIANTS / one.folder / "best/tuned.h").write_text(tuned_header(one))
