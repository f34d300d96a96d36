"""The paper's figures: each as PDF and PNG, the CSV behind it, and a LaTeX table of the same.

`plan` says what can be drawn from the files; `draw_all` draws it. Nothing is drawn that would be empty. The
same input gives the same bytes, and every figure carries the SHA-256 of its input and the git revision in
its metadata.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import warnings
from collections.abc import Sequence
from pathlib import Path

from analysis import files, latex
from analysis.errors import UserError
from analysis.figures import accuracy, bandwidth, ceiling, counters, gpus, heatmaps, knobs, ladder, samples
from analysis.figures.model import Drawn, Plan, groups, like_main, main_groups
from analysis.load import Results, cells, rows_of

KINDS = (
    "bandwidth",
    "ladder",
    "ratio",
    "tuning",
    "accuracy",
    "counters",
    "samples",
    "ceiling",
    "knobs",
    "gpus",
)


# What the processes of `draw_all` draw. Plans hold closures, so they are inherited by fork and not sent.
_WORK: list[tuple[Plan, Path, str, str, str | None]] = []


def plan(inputs: Sequence[Results], kinds: Sequence[str] = KINDS, everything: bool = False) -> list[Plan]:
    """The figures of these files: one group a family and GPU, or with `everything` all types, knobs, caches
    and clocks.
    """
    table = cells(rows_of(inputs))
    if (again := table.duplicated(["gpu", "name"])).any():
        raise UserError(
            f"two files have the row {table.loc[again, 'name'].iloc[0]}: merge them, or draw them one by one"
        )
    chosen = list(groups(table)) if everything else main_groups(table)
    timed = [group for group in chosen if group.device != "simt"]
    made = {
        "bandwidth": lambda: bandwidth.plans(timed, inputs),
        "ladder": lambda: ladder.plans(timed),
        "ratio": lambda: heatmaps.plans(timed),
        "tuning": lambda: heatmaps.tuning_plans(timed),
        "accuracy": lambda: accuracy.plans(chosen),
        "counters": lambda: counters.plans(chosen),
        "samples": lambda: samples.plans(timed),
        "ceiling": lambda: ceiling.plans(timed),
        "knobs": lambda: knobs.plans(table if everything else like_main(table, timed)),
        "gpus": lambda: gpus.plans(table),
    }
    return [planned for kind in kinds for planned in made[kind]()]


def draw_all(inputs: Sequence[Results], plans: Sequence[Plan], out: Path) -> list[Path]:
    """Draw every plan into `out`; returns the paths of the PDFs. Raises UserError where there is nothing to
    draw.
    """
    if not plans:
        names = ", ".join(str(results.path) for results in inputs)
        raise UserError(
            f"{names}: nothing to draw: no series, sizes or counters for any of the figures asked for"
        )
    files.make_folder(out)
    digest = " ".join(results.sha256 for results in inputs)
    revision = " ".join(dict.fromkeys(results.fact("git_revision") or "unknown" for results in inputs))
    _WORK[:] = [(planned, out, digest, revision, inputs[0].context.get("date")) for planned in plans]
    workers = min(os.cpu_count() or 1, len(plans), 8)
    if workers > 1 and "fork" in multiprocessing.get_all_start_methods():
        with warnings.catch_warnings():
            # Python 3.12 warns of forking beside numpy's idle threads; the children draw and never touch
            # them.
            warnings.simplefilter("ignore", DeprecationWarning)
            with multiprocessing.get_context("fork").Pool(workers) as pool:
                return pool.map(_draw_one, range(len(plans)), chunksize=1)
    return [_draw_one(index) for index in range(len(plans))]


def _draw_one(index: int) -> Path:
    planned, out, digest, revision, date = _WORK[index]
    write(planned, planned.draw(), out, digest, revision, date)
    return out / f"{planned.name}.pdf"


def write(planned: Plan, drawn: Drawn, out: Path, digest: str, revision: str, date: str | None) -> None:
    """The four files of one figure."""
    about = f"input sha256 {digest}; git revision {revision}"
    pdf = {
        "Title": planned.caption,
        "Subject": about,
        "Keywords": about,
        "Creator": "Tally analysis",
        "Producer": "matplotlib",
        "CreationDate": files.build_date(date),
    }
    png = {
        "Title": planned.caption,
        "Description": planned.caption,
        "Source": about,
        "Software": "Tally analysis",
    }
    for ending, metadata in (("pdf", pdf), ("png", png)):
        content = io.BytesIO()
        drawn.figure.savefig(content, format=ending, metadata=metadata)
        files.write_bytes(out / f"{planned.name}.{ending}", content.getvalue())
        drawn.figure.set_layout_engine(
            "none"
        )  # laid out once: the second format must not differ, nor pay again
    files.write_text(
        out / f"{planned.name}.csv", drawn.data.to_csv(index=False, lineterminator="\n", float_format="%.9g")
    )
    if drawn.table is not None:
        comment = f"% {about}\n"
        files.write_text(
            out / f"{planned.name}.tex",
            comment + latex.booktabs(drawn.table, planned.caption, planned.name.replace("_", "-")),
        )
