"""configs/schema.json is what the harness validates by; a JSON Schema validator agrees with the harness."""

import copy
import json
import random

import jsonschema
import pytest
from conftest import ROOT
from test_bad_input import CONFIGS

SCHEMA = json.loads((ROOT / "configs" / "schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
RUN = {"family": "reduce", "sizes": [64], "entries": ["reduce/korean_course/*"]}

GOOD = {
    "smallest": {"runs": [{"family": "reduce", "sizes": [64]}]},
    "whole numbers with a point": {"simt": {"max_n": 1e5}, "runs": [RUN | {"sizes": [64.0]}]},
    "range": {"runs": [RUN | {"sizes": {"from": 1, "to": 1024, "factor": 4}}]},
    "one knob value": {"runs": [RUN | {"op": "max"}]},
    "several knob values": {"runs": [RUN | {"op": ["max", "mean"]}]},
    "grid": {"runs": [RUN | {"tunings": {"threads": [256, 512], "blocks": "all"}}]},
    "grids": {"runs": [RUN | {"tunings": [{"threads": [256]}, {"blocks": [256]}, {}]}]},
    "baselines": {"runs": [RUN | {"baseline": ["reduce/std/*", "reduce/korean_course/reduce0"]}]},
    "settings": {
        "$schema": "schema.json",
        "title": "",
        "device": "cuda:1",
        "seed": 0,
        "measure": {"caches": ["warm"], "clocks": ["device"], "half_width": 0.5, "max_seconds": 0.001},
        "check": {"sizes": [], "distributions": ["exact"], "launches": 1, "seed": 9007199254740991},
        "host": {},
        "runs": [RUN],
    },
}
# What breaks the schema itself; the other bad configs are refused for what the catalog or the device says.
BROKEN = [
    "not an object",
    "no runs",
    "empty runs",
    "unknown key",
    "unknown key of measure",
    "unknown key of a run",
    "no family",
    "unknown family",
    "unknown type",
    "unknown op",
    "wrong type",
    "true is no number",
    "n of 0",
    "negative n",
    "fractional n",
    "n beyond everything",
    "empty sizes",
    "range without factor",
    "half width of 0",
    "unknown cache state",
    "unknown device",
]
# What a config that breaks no rule of the schema may still be told.
REFUSED_BY_THE_CATALOG = [
    "matches no entry",
    "there is no entry",
    "none of the run's",
    "the plan is empty",
    "is impossible",
    "is above",
    "has no type",
    "needs",
]


def test_the_committed_schema_is_the_harness_s(harness) -> None:
    printed = harness("--print-schema")
    assert printed.code == 0
    assert json.loads(printed.out) == SCHEMA, "run: harness --print-schema > configs/schema.json"
    assert printed.out == (ROOT / "configs" / "schema.json").read_text()


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", GOOD)
def test_both_accept(name: str, harness, config) -> None:
    VALIDATOR.validate(GOOD[name])
    done = harness(config(GOOD[name]), "--device", "simt", "--dry-run")
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("name", BROKEN)
def test_both_refuse(name: str, harness, config) -> None:
    content = CONFIGS[name][0]
    broken = json.loads(content) if isinstance(content, str) else content
    assert not VALIDATOR.is_valid(broken)
    assert harness(config(broken), "--device", "simt", "--dry-run").code == 2


def places(node: object, path: tuple = ()) -> list[tuple]:
    """All places in a config, as paths."""
    found = [path] if path else []
    parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, part in parts:
        found += places(part, (*path, key))
    return found


def mild(value: object, rng: random.Random) -> object:
    """Another value of the same kind, as a slip of the pen would have it."""
    if isinstance(value, list):
        return rng.choice([value * 2, value[:1], value[1:]])
    if isinstance(value, str):
        return rng.choice(
            ["sum", "mean", "float32", "int32", "warm", "exact", "reduce/*", "host", "all", "reduce"]
        )
    if isinstance(value, dict):
        return {key: part for key, part in value.items() if rng.random() < 0.8}
    return rng.choice([0, 1, 2, 256, 512, 0.25])


def changed(original: dict, rng: random.Random) -> dict:
    """The config with another value at one place, or another key."""
    config = copy.deepcopy(original)
    *around, last = rng.choice(places(config))
    parent = config
    for key in around:
        parent = parent[key]
    wild = rng.choice([-1, 1e6, 1e300, True, None, "", "x", [], {}, [1], ["x"], [[1]], {"from": 1}])
    if isinstance(parent, dict) and rng.random() < 0.2:
        parent[rng.choice(["from", "sizes", "runs", "x", "threads"])] = wild
    else:
        parent[last] = wild if rng.random() < 0.3 else mild(parent[last], rng)
    return config


def test_they_agree_on_changed_configs(harness, config) -> None:
    seed = 1729
    rng = random.Random(seed)
    refused = accepted = 0
    for _ in range(150):
        candidate = changed(rng.choice(list(GOOD.values())), rng)
        done = harness(config(candidate), "--device", "simt", "--dry-run")
        told = f"seed {seed}: {json.dumps(candidate)}\n{done.err}"
        if VALIDATOR.is_valid(candidate):
            # Right in itself; the catalog may still know nothing of what it names.
            accepted += done.code == 0
            assert done.code == 0 or any(words in done.err for words in REFUSED_BY_THE_CATALOG), told
        else:
            refused += 1
            assert done.code == 2, told
    assert (
        refused > 30 and accepted > 10
    ), f"the changes prove nothing: {refused} refused, {accepted} accepted"


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.json")), ids=lambda path: path.name)
def test_every_shipped_config_is_right(path, harness) -> None:
    if path.name == "schema.json":
        return
    content = json.loads(path.read_text())
    VALIDATOR.validate(content)
    assert content["$schema"] == "schema.json", "editors find the schema by it"
    done = harness(path, "--device", "simt", "--dry-run")
    assert (done.code, done.err) == (0, "")
