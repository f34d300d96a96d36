"""Rewrites the measured table of the READMEs beside elementwise's and upsample_nearest2x's best.cuh.

    python3 tests/variants/readme_of_tables.py

It says what the sweep measured of the kernels that best/tuned.h names, beside the libraries and the
machine's copy, which were timed in the same rounds.
"""

import collections
import math
import re

import tune_tables

LIBRARIES = {"cub", "thrust", "cub_transform", "cub_for", "thrust_tabulate"}
LARGE = 1 << 24


def cells_of(family):
    """(what, type, cache) -> n -> candidate -> µs."""
    cells = collections.defaultdict(lambda: collections.defaultdict(dict))
    for row in sorted(tune_tables.rows_of(family), key=lambda row: row["round"]):
        cells[row["what"], row["type"], row["cache"]][row["n"]][row["candidate"]] = row["us"]
    return cells


def table_of(family):
    lines = [
        "| what | type | cache | library / ours | worst | at n | copy / ours, n ≥ 2^24 |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    cells = cells_of(family)
    for table in family.tables:
        chosen = tune_tables.rows_of_table(family, table)
        for (what, name, cache), by_n in sorted(cells.items()):
            if what != table.what:
                continue
            ratios, copies = {}, []
            for n, times in by_n.items():
                size = n * tune_tables.ELEMENT_BYTES[name] * table.arrays
                kernel = next(kernel for most, kernel in chosen if size <= most or most == chosen[-1][0])
                ours = next(us for c, us in times.items() if tune_tables.kernel_of(c) == kernel)
                ratios[n] = min(us for c, us in times.items() if c in LIBRARIES) / ours
                if n >= LARGE:
                    copies.append(times["memcpy"] / ours)
            mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
            worst = min(ratios, key=ratios.get)
            lines.append(
                f"| {what} | {name} | {cache} | **{mean:.2f}** | {ratios[worst]:.3f} "
                f"| 2^{worst.bit_length() - 1} | {min(copies):.2f} … {max(copies):.2f} |"
            )
    return "\n".join(lines)


def readme_of(family):
    return tune_tables.VARIANTS / family.folder / "README.md"


def rewritten(family, text):
    text, count = re.subn(
        r"(<!-- sweep -->\n).*?(<!-- /sweep -->)",
        lambda m: m[1] + table_of(family) + "\n" + m[2],
        text,
        flags=re.S,
    )
    assert count == 1, f"{readme_of(family)}: no place for the table"
    return text


if __name__ == "__main__":
    for one in (tune_tables.ELEMENTWISE, tune_tables.UPSAMPLE):
        readme_of(one).write_text(rewritten(one, readme_of(one).read_text()))
