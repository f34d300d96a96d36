"""One self-contained HTML page from results files: no network, no server, opens from disk.

The page is `page.html.j2` with `page.css`, `page.js` and plotly's own script put into it. A
Content-Security-Policy in the page forbids any request, so that "self-contained" is enforced by the browser
and not only promised.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
import plotly.offline

from analysis import files, units
from analysis.compare import Comparison, compare
from analysis.compare_formats import worst_first
from analysis.errors import UserError
from analysis.load import Results, cells, rows_of
from analysis.report import data

_HERE = Path(__file__).parent


def build(inputs: Sequence[Results]) -> str:
    """The page's text. Given two files, the second is compared with the first; why they cannot be is said
    in the page.
    """
    table = cells(rows_of(inputs))
    comparison, refused = _comparison(inputs)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "seconds": units.seconds,
        "change": units.change,
        "percent": units.percent,
        "rate": units.rate,
    }
    return environment.get_template("page.html.j2").render(
        title=" · ".join(dict.fromkeys(results.title for results in inputs)),
        files=[data.about(results) for results in inputs],
        uses_gpu=bool((table["device"] == "cuda").any()),
        devices=sorted(set(table["device"])),
        results=data.results_table(table, inputs),
        filters=data.filters(table),
        ladders=data.ladders(table, inputs),
        failures=[(results.path.name, failure) for results in inputs for failure in results.failures],
        comparison=comparison,
        refused=refused,
        verdicts=worst_first(comparison) if comparison else [],
        payload=embedded(data.plots(table, inputs)),
        date=files.build_date(inputs[0].context.get("date")).isoformat(),
        style=(_HERE / "page.css").read_text(encoding="utf-8"),
        script=(_HERE / "page.js").read_text(encoding="utf-8"),
        plotly=plotly.offline.get_plotlyjs(),
    )


def _comparison(inputs: Sequence[Results]) -> tuple[Comparison | None, str]:
    if len(inputs) != 2:
        return None, ""
    try:
        return compare(inputs[0], inputs[1]), ""
    except UserError as error:
        return None, str(error)


def embedded(value: Any) -> str:
    """JSON that may stand in a script element: nothing in it can end the element, and what is not finite is
    null.
    """
    return (
        json.dumps(_finite(value), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        .replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
    )


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.9g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
