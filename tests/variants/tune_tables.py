"""Writes best/tuned.h of elementwise and of upsample_nearest2x from the results of their sweeps.

    python3 tests/variants/tune_tables.py

A size is a power of two of n, in bytes. A kernel's loss at a size is how much longer it takes than
the fastest one, as a logarithm, the mean of all types that have this size: cold times count seven
tenths, warm ones three. The table is the one with the least sum of losses over all sizes, where every
row costs as much as the family's row_cost: a kernel that is best at one size by less is noise. A hint costs
hint_cost at each size: it takes cache from others, and has to be worth that. Where a family asks for
it, sizes from LARGE bytes on have a row of their own, with the fastest kernel there: what is gained is less
than a row's cost, and repeats itself from size to size.
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
    row_cost: float = 0.02
    hint_cost: float = 0.0
    large_apart: bool = False


ELEMENTWISE = Family(
    "elementwise",
    "tally_elementwise",
    "elementwise_best",
    [Table("table", "multiply", 3)],
    row_cost=0.05,  # the clock's steps are up to 4 % of the shortest cold times
    hint_cost=0.01,
    large_apart=True,
)
UPSAMPLE = Family(
    "upsample_nearest2x",
    "tally_upsample",
    "upsample_best",
    [Table("forward_table", "forward", 1), Table("backward_table", "backward", 1)],
)


def rows_of(family):
    with lzma.open(HERE / family.tests / "h200/sweep.jsonl.xz", "rt") as file:
        return [json.loads(line) for line in file]


def kernel_of(candidate):
    """What a candidate is in C++, or None where it is no kernel that a table can have."""
    if match := re.fullmatch(r"(loads|copies)/t(\d+)/u(\d+)/([ne])([ne])/(\w+)", candidate):
        way, threads, depth, loads, stores, following = match.groups()
        return f"{{Way::{way}, {threads}, {depth}, {HINTS[loads]}, {HINTS[stores]}, Next::{following}}}"
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


def choose(rows, table, row_cost=Family.row_cost, hint_cost=Family.hint_cost):
    """(most bytes, kernel), rising; neighbours differ."""
    sizes = sorted(found := losses(rows, table))
    mean = []
    for size in sizes:
        asked = max(len(of_types) for of_types in found[size].values())
        mean.append(
            {
                k: sum(of) / asked + hint_cost * (HINTS["e"] in k)
                for k, of in found[size].items()
                if len(of) == asked
            }
        )
    best = [(0, [])]  # for the first so many sizes: the least cost, and its rows
    for end in range(1, len(sizes) + 1):
        ways = []
        for start in range(end):
            everywhere = set.intersection(*(set(of_size) for of_size in mean[start:end]))
            for kernel in sorted(everywhere):
                cost = sum(of_size[kernel] for of_size in mean[start:end]) + row_cost
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


def rows_of_table(family, table):
    """What tuned.h says of it: (most bytes, kernel), the last one's for any size."""
    rows = rows_of(family)
    chosen = choose(rows, table, family.row_cost, family.hint_cost)
    if family.large_apart:
        last_size, last = chosen.pop()
        chosen += [(LARGE // 2, last), (last_size, fastest_when_large(rows, table))]
    return chosen


def tuned_header(family):
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
        chosen = rows_of_table(family, table)
        lines.append(f"inline constexpr Row {table.name}[] = {{")
        for index, (size, kernel) in enumerate(chosen):
            most = "any_size" if index == len(chosen) - 1 else text_of(size)
            lines.append(f"    {{{most}, {kernel}}},")
        lines.append("};")
    return "\n".join([*lines, "// clang-format on", "", f"}}  // namespace {family.namespace}", ""])


if __name__ == "__main__":
    for one in (ELEMENTWISE, UPSAMPLE):
        (VARIANTS / one.folder / "best/tuned.h").write_text(tuned_header(one))
