"""Rewrites the measured tables of variants/reduce/README.md, between their markers.

They come from h200/compare.jsonl.xz:

python3 tests/variants/reduce_best/readme_tables.py
"""

import json
import lzma
import math
import pathlib
import re

HERE = pathlib.Path(__file__).parent
README = HERE.parents[2] / "variants/reduce/README.md"
TYPES = ["float32", "float64", "int32", "int64", "float16", "bfloat16", "int8"]


def rows():
    with lzma.open(HERE / "h200/compare.jsonl.xz", "rt") as file:
        return [json.loads(line) for line in file]


def is_plain(row):
    return row["offset"] == 0 and row["n"] & (row["n"] - 1) == 0


def asked(row):
    """What was asked: "sum", or the sum of an odd number of elements, or of unaligned ones."""
    if is_plain(row):
        return row["op"]
    return "sum, odd n" if row["offset"] == 0 else "sum, odd n, unaligned"


def against_cub():
    """One line a type and question: geometric means over n, and the worst cell."""
    lines = [
        "| type | of | cold | worst | at n | warm | worst | at n |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    all_rows = rows()
    for name in TYPES:
        for question in ["sum", "min", "max", "sum, odd n", "sum, odd n, unaligned"]:
            cells = []
            for cache in ["cold", "warm"]:
                found = [r for r in all_rows if (r["type"], asked(r), r["cache"]) == (name, question, cache)]
                mean = math.exp(sum(math.log(r["ratio"]) for r in found) / len(found))
                worst = min(found, key=lambda r: r["ratio"])
                cells += [f"**{mean:.2f}**", f"{worst['ratio']:.3f}", f"2^{round(math.log2(worst['n']))}"]
            lines.append(f"| {name} | {question} | " + " | ".join(cells) + " |")
    return lines


def by_size():
    """The sum of float32 at every n."""
    lines = [
        "| n | cold, µs | CUB, µs | ratio | its interval | warm, µs | CUB, µs | ratio |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    found = {
        (r["n"], r["cache"]): r for r in rows() if r["type"] == "float32" and r["op"] == "sum" and is_plain(r)
    }
    for n in sorted({n for n, _ in found}):
        cold, warm = found[n, "cold"], found[n, "warm"]
        lines.append(
            f"| 2^{n.bit_length() - 1} | {cold['us']:.2f} | {cold['cub_us']:.2f} | {cold['ratio']:.2f} "
            f"| {cold['low']:.2f} … {cold['high']:.2f} "
            f"| {warm['us']:.2f} | {warm['cub_us']:.2f} | {warm['ratio']:.2f} |"
        )
    return lines


def rewritten(text):
    for name, table in [("against-cub", against_cub), ("by-size", by_size)]:
        marked = f"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
        text, count = re.subn(
            marked, lambda m, t=table: m[1] + "\n".join(t()) + "\n" + m[2], text, flags=re.S
        )
        assert count == 1, f"{README}: no place for the table {name}"
    return text


if __name__ == "__main__":
    README.write_text(rewritten(README.read_text()))
