"""Writes variants/convolve/best/tuned.h from the results of sweep_convolve.

    python3 tests/variants/convolve_best/tune_table.py OUTPUT SWEEP.jsonl[.xz]...

For every type and band of outputs: the shape of the direct kernel that loses least for each number of
taps, and the number of taps at which the lines of the best direct shape and of overlap-save cross, with
both axes logarithmic, if they do at all. A shape that the table has already is taken where it loses less
than 2% more, so that few are compiled.
"""

import collections
import json
import lzma
import math
import re
import sys

BANDS = [1 << bits for bits in (13, 15, 17, 19, 21, 23)] + [None]
WORTH_ANOTHER_SHAPE = 1.02
NEVER = None


def rows_of(paths):
    """All measurements in the files; later files replace the same cell of earlier ones."""
    rows = {}
    for path in paths:
        with lzma.open(path, "rt") if str(path).endswith(".xz") else open(path) as file:
            for row in map(json.loads, file):
                if "candidate" in row:
                    rows[row["type"], row["n"], row["taps"], row["candidate"]] = row["us"]
    return rows


def shape_of(candidate):
    """(words, lanes, groups) of a direct candidate's name, or None."""
    match = re.fullmatch(r"direct/w(\d+)/l(\d+)/g(\d+)", candidate)
    return tuple(map(int, match.groups())) if match else None


def band_of(outputs):
    return next(index for index, most in enumerate(BANDS) if most is None or outputs <= most)


def bands_of(rows, scalar):
    """band -> taps -> candidate -> microseconds of each problem that the band's row answers."""
    bands = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
    for (of_type, n, taps, candidate), us in rows.items():
        if of_type == scalar:
            bands[band_of(n + taps - 1)][min(n, taps)][candidate].append(us)
    return bands


def mean(times):
    return math.exp(sum(map(math.log, times)) / len(times))


def shapes_by_taps(band, used):
    """[(most taps, shape)], the last without a limit."""
    chosen = []
    for taps, candidates in sorted(band.items()):
        problems = max(map(len, candidates.values()))
        times = {
            shape: mean(found)
            for candidate, found in candidates.items()
            if (shape := shape_of(candidate)) and len(found) == problems
        }
        least = min(times.values())
        good = [shape for shape in times if times[shape] <= WORTH_ANOTHER_SHAPE * least]
        known = [shape for shape in good if shape in used]
        goes_on = chosen and chosen[-1][1] in good
        shape = chosen.pop()[1] if goes_on else min(known or good, key=times.get)
        used.add(shape)
        chosen.append((taps, shape))
    for index in range(len(chosen) - 1):
        taps, shape = chosen[index]
        chosen[index] = (round(taps * math.sqrt(2)), shape)
    return chosen[:-1] + [(None, chosen[-1][1])]


def crossover(band):
    """Taps from which overlap-save is faster than the best direct shape, or NEVER among those measured."""
    lead = []  # (log taps, log of spectra over direct)
    for taps, candidates in sorted(band.items()):
        direct = min(mean(found) for candidate, found in candidates.items() if shape_of(candidate))
        lead.append((math.log(taps), math.log(mean(candidates["overlap_save"]) / direct)))
    last_slower = max((index for index, (_, ratio) in enumerate(lead) if ratio > 0), default=None)
    if last_slower is None:
        return round(math.exp(lead[0][0]))
    if last_slower + 1 == len(lead):
        return NEVER
    (left, above), (right, below) = lead[last_slower : last_slower + 2]
    return math.ceil(math.exp(left + (right - left) * above / (above - below)))


def table_of(rows, scalar):
    """[(most outputs, most taps, shape)] and [(most outputs, taps of the crossover)], as tuned.h has them."""
    used = set()
    shapes, crossovers = [], []
    for index, band in sorted(bands_of(rows, scalar).items()):
        shapes += [(BANDS[index], taps, shape) for taps, shape in shapes_by_taps(band, used)]
        crossovers.append((BANDS[index], crossover(band)))
    if not crossovers or crossovers[-1][0] is not None:
        sys.exit(f"{scalar}: no problem of more than {BANDS[-2]} outputs was measured; sweep n = 2^24 too")
    return shapes, crossovers


def candidate_of(table, outputs, taps):
    """Name of the candidate that `table` takes for so many outputs and taps."""
    shapes, crossovers = table

    def covers(most, value):
        return most is None or value <= most

    least = next(taps for most, taps in crossovers if covers(most, outputs))
    if least is not NEVER and taps >= least:
        return "overlap_save"
    words, lanes, groups = next(
        shape for most, most_taps, shape in shapes if covers(most, outputs) and covers(most_taps, taps)
    )
    return f"direct/w{words}/l{lanes}/g{groups}"


def number(value):
    return "INT64_MAX" if value is None else str(value)


def write(output, types):
    with open(output, "w") as file:
        file.write(
            '#pragma once\n\n#include "plan.h"\n\n'
            "/// Written by tests/variants/convolve_best/tune_table.py; README.md beside this folder says "
            "from what.\n"
            "namespace tally_convolve {\n\n// clang-format off\n"
        )
        for name, (shapes, crossovers) in types.items():
            file.write(f"inline constexpr Row rows_of_{name}[] = {{\n")
            for most, taps, (words, lanes, groups) in shapes:
                file.write(f"    {{{number(most)}, {number(taps)}, {{{words}, {lanes}, {groups}}}}},\n")
            file.write(f"}};\ninline constexpr Crossover crossovers_of_{name}[] = {{\n")
            for most, taps in crossovers:
                file.write(f"    {{{number(most)}, {number(taps)}}},\n")
            file.write("};\n\n")
        file.write("// clang-format on\n\n}  // namespace tally_convolve\n")


def main(output, *paths):
    rows = rows_of(paths)
    types = {name: table_of(rows, scalar) for name, scalar in (("float", "float32"), ("double", "float64"))}
    for name, (_, crossovers) in types.items():
        for most, taps in crossovers:
            print(f"{name}, up to {number(most)} outputs: overlap-save from {number(taps)} taps")
    write(output, types)


if __name__ == "__main__":
    main(*sys.argv[1:])
