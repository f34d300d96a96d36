"""Writes the table of variants/dot/best/tuned.h for arrays that lie alike, from what compare_dot measured.

    python3 tests/variants/dot_best/tune_table.py

Chosen as tests/variants/reduce_best/tune_table.py chooses, over the types that have an array of so many
bytes.
"""

import collections
import importlib.util
import json
import lzma
import math
import pathlib
import re

HERE = pathlib.Path(__file__).parent
TUNED = HERE.parents[2] / "variants/dot/best/tuned.h"
MEASURED = HERE / "h200/compare.jsonl.xz"


def load_reduce():
    """reduce_best/tune_table.py, which has this file's name."""
    spec = importlib.util.spec_from_file_location(
        "tune_table_of_reduce", HERE.parent / "reduce_best/tune_table.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reduce = load_reduce()


def rows():
    with lzma.open(MEASURED, "rt") as file:
        return [json.loads(line) for line in file]


def losses():
    """bytes of one array -> kernel -> list of weighted log losses, one a type."""
    times = collections.defaultdict(dict)
    for row in rows():
        kernel = reduce.kernel_of(row["candidate"])
        if row["sweep"] and kernel:
            size = row["n"] * reduce.ELEMENT_BYTES[row["type"]]
            times[size, row["type"], row["cache"]][kernel] = row["us"]
    table = collections.defaultdict(lambda: collections.defaultdict(list))
    for size, name in {(size, name) for size, name, _ in times}:
        for kernel in set(times[size, name, "cold"]) & set(times[size, name, "warm"]):
            loss = 0
            for cache, weight in reduce.WEIGHTS.items():
                measured = times[size, name, cache]
                loss += weight * math.log(measured[kernel] / min(measured.values()))
            table[size][kernel].append(loss)
    return table


def rewritten(text):
    chosen = reduce.chosen_kernels(losses(), reduce.LARGE // 2)  # there are two arrays
    lines = [
        f"    {{{'any_size' if index == len(chosen) - 1 else reduce.text_of(size)}, {kernel}}},\n"
        for index, (size, kernel) in enumerate(chosen)
    ]
    text, count = re.subn(
        r"(inline constexpr Row table\[\] = \{\n).*?(\};\n)",
        lambda match: match[1] + "".join(lines) + match[2],
        text,
        flags=re.S,
    )
    assert count == 1, f"{TUNED} has no table to rewrite"
    return text


if __name__ == "__main__":
    TUNED.write_text(rewritten(TUNED.read_text()))
