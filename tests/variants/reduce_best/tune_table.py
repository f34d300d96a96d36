"""Writes variants/reduce/best/tuned.h from the results of sweep_reduce.

    python3 tests/variants/reduce_best/tune_table.py OUTPUT SWEEP.json[.xz]...

For every power of two of bytes, the kernel that loses least to the best one, over all sweeps (types
and operations) that have an array of so many bytes: cold times count seven tenths of the logarithm,
warm ones three. A kernel that the table has already is taken where it loses less than 0.6% more, so
that fewer are compiled. Of large arrays the bulk copies are taken where they lose less than 1.5%: GPUs of
this kind differ in how fast their memory is read, and on one loads through registers fell 3% behind CUB.
"""

import collections
import json
import lzma
import math
import re
import sys

ELEMENT_BYTES = {"float32": 4, "float64": 8, "int32": 4, "int64": 8, "float16": 2, "bfloat16": 2, "int8": 1}
WEIGHTS = {"cold": 0.7, "warm": 0.3}
WORTH_ANOTHER_KERNEL = 0.006
LARGE = 512 << 20
WORTH_BEING_ALIKE = 0.015


def kernel_of(candidate):
    """The row of table that a candidate's name stands for, or None."""
    if match := re.fullmatch(r"(one|each|cluster)/t(\d+)/u(\d+)", candidate):
        way = {"one": "one_block", "each": "tile_each", "cluster": "cluster"}[match[1]]
        return f"{{Way::{way}, {match[2]}, {match[3]}}}"
    if match := re.fullmatch(r"blocks/t(\d+)/u(\d+)/m(\d+)", candidate):
        return f"{{Way::blocks, {match[1]}, {match[2]}}}, {match[3]}"
    if match := re.fullmatch(r"bulk/t(\d+)/s(\d+)x(\d+)K/m(\d+)", candidate):
        return f"{{Way::copies, {match[1]}, {match[2]}, {match[3]} * 1024}}, {match[4]}"
    return None


def losses(paths):
    """bytes -> kernel -> list of weighted log losses, one a sweep."""
    table = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in paths:
        times = collections.defaultdict(dict)
        with lzma.open(path, "rt") if str(path).endswith(".xz") else open(path) as file:
            rows = json.load(file)
        for row in rows:
            if "final" not in row and (kernel := kernel_of(row["candidate"])):
                size = ELEMENT_BYTES[re.split("[/_]", row["question"])[0]] << row["bits"]
                times[size, row["cache"]][kernel] = row["us"]
        for size in {size for size, _ in times}:
            both = set(times[size, "cold"]) & set(times[size, "warm"])
            for kernel in both:
                loss = 0
                for cache, weight in WEIGHTS.items():
                    measured = times[size, cache]
                    loss += weight * math.log(measured[kernel] / min(measured.values()))
                table[size][kernel].append(loss)
    return table


def text_of(size):
    if size >= 1 << 20:
        return f"{size >> 20} * megabytes"
    return f"{size >> 10} * kilobytes"


def chosen_kernels(table, large=LARGE):
    """(bytes up to which it serves, kernel), rising, from what losses() gives."""
    chosen = []
    used = collections.Counter()
    for size, kernels in sorted(table.items()):
        asked = max(len(found) for found in kernels.values())
        mean = {kernel: sum(found) / len(found) for kernel, found in kernels.items() if len(found) == asked}
        best = min(mean, key=mean.get)
        known = [
            kernel
            for kernel in mean
            if kernel.split("}")[0] in used and mean[kernel] < mean[best] + WORTH_ANOTHER_KERNEL
        ]
        copies = {kernel: loss for kernel, loss in mean.items() if "Way::copies" in kernel}
        if size >= large and copies and min(copies.values()) < mean[best] + WORTH_BEING_ALIKE:
            best = min(copies, key=copies.get)
        elif known:
            same = [kernel for kernel in known if chosen and kernel == chosen[-1][1]]
            best = same[0] if same else min(known, key=mean.get)
        used[best.split("}")[0]] += 1
        print(
            f"{text_of(size):>18}: {best:45} loses {100 * mean[best]:.2f}% "
            f"to the best of each of {asked} sweeps"
        )
        if chosen and chosen[-1][1] == best:
            chosen.pop()
        chosen.append((size, best))
    return chosen


def main(output, *paths):
    chosen = chosen_kernels(losses(paths))
    with open(output, "w") as file:
        file.write('#pragma once\n\n#include "kernel.h"\n\n')
        file.write(
            "/// Written by tests/variants/reduce_best/tune_table.py; "
            "README.md beside this folder says from what.\n"
        )
        file.write("namespace tally_reduce {\n\n// clang-format off\ninline constexpr Row table[] = {\n")
        for index, (size, kernel) in enumerate(chosen):
            most = "any_size" if index == len(chosen) - 1 else text_of(size)
            file.write(f"    {{{most}, {kernel}}},\n")
        file.write("};\n// clang-format on\n\n}  // namespace tally_reduce\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
