"""Is this a results file? Parsing, the schema, and finite numbers only; what is wrong is said in one line.

`results.schema.json` is the whole of what a file must have. Times and counters must be finite numbers, which
JSON itself does not promise.
"""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path
from typing import Any, NoReturn

import jsonschema
import numpy as np

from analysis.errors import UserError

SCHEMA_VERSION = 1


def check_document(path: Path | str, document: Any) -> None:
    """Raise UserError unless `document` is a results file that this package reads."""
    if not isinstance(document, dict) or "benchmarks" not in document:
        raise UserError(f"{path}: not a results file: it has no 'benchmarks'")
    if not isinstance(document.get("tally"), dict):
        raise UserError(f"{path}: Google Benchmark output, but not the harness's: it has no object 'tally'")
    version = document["tally"].get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise UserError(
            f"{path}: schema_version is {version}, newer than the {SCHEMA_VERSION} that this analysis "
            "reads; use the analysis of the harness that wrote it"
        )
    error = jsonschema.exceptions.best_match(_validator().iter_errors(_without_samples(document)))
    if error is not None:
        raise UserError(f"{path}: at /{'/'.join(map(str, error.absolute_path))}: {_shortened(error.message)}")
    _check_finite(path, document)


def parse(path: Path, content: bytes) -> Any:
    """The JSON value; UserError with line and column where it is not JSON, and for NaN and Infinity."""

    def refuse(name: str) -> NoReturn:
        raise UserError(f"{path}: has the number {name}; a results file has finite numbers only")

    try:
        return json.loads(content.decode("utf-8"), parse_constant=refuse)
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not JSON: byte {error.start} is not UTF-8 text") from error
    except RecursionError as error:
        raise UserError(f"{path}: not a results file: it is nested too deeply") from error
    except json.JSONDecodeError as error:
        truncated = " (the file ends too early)" if error.pos >= len(content.rstrip()) - 1 else ""
        raise UserError(
            f"{path}: not JSON at line {error.lineno}, column {error.colno}: {error.msg}{truncated}"
        ) from error


@functools.cache
def _validator() -> jsonschema.protocols.Validator:
    schema = json.loads((Path(__file__).parent / "results.schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def _without_samples(document: dict[str, Any]) -> dict[str, Any]:
    """The document with long arrays cut: `_check_finite` looks at every sample far faster than jsonschema
    does.
    """
    rows = document["benchmarks"]
    if not isinstance(rows, list):
        return document
    cut = []
    for row in rows:
        cell = row.get("tally") if isinstance(row, dict) else None
        if isinstance(cell, dict):
            short = {key: cell[key][:1] for key in ("samples", "rounds") if isinstance(cell.get(key), list)}
            row = {**row, "tally": {**cell, **short}}
        cut.append(row)
    return {**document, "benchmarks": cut}


def _check_finite(path: Path | str, document: dict[str, Any]) -> None:
    for index, row in enumerate(document["benchmarks"]):
        samples = row["tally"].get("samples", [])
        try:
            values = np.array(samples, dtype=float)
        except (TypeError, ValueError) as error:
            raise UserError(f"{path}: at /benchmarks/{index}/tally/samples: not all are numbers") from error
        if values.size and not (np.isfinite(values).all() and (values >= 0).all()):
            raise UserError(f"{path}: at /benchmarks/{index}/tally/samples: a sample is not a finite time")
        rounds = row["tally"].get("rounds")
        if rounds is not None and samples and len(rounds) != len(samples):
            raise UserError(
                f"{path}: at /benchmarks/{index}/tally/rounds: {len(rounds)} rounds for "
                f"{len(samples)} samples"
            )
        _refuse_infinite(path, {**row, "tally": {**row["tally"], "samples": []}}, f"/benchmarks/{index}")
    _refuse_infinite(path, {key: value for key, value in document.items() if key != "benchmarks"}, "")


def _refuse_infinite(path: Path | str, value: Any, place: str) -> None:
    """JSON writes numbers too large for a double (1e999) without a word; Python reads them as infinite."""
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError(
            f"{path}: at {place}: the number is too large; a results file has finite numbers only"
        )
    if isinstance(value, dict):
        for key, item in value.items():
            _refuse_infinite(path, item, f"{place}/{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_infinite(path, item, f"{place}/{index}")


def _shortened(message: str, length: int = 200) -> str:
    return message if len(message) <= length else message[: length // 2] + " … " + message[-length // 2 :]
