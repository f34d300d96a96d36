"""Bad input gets one clear line and exit 2 (3 where the device is missing); nothing runs, no file changes."""

import gzip
import json
from pathlib import Path

import pytest

RUN = {"family": "reduce", "sizes": [64], "entries": ["reduce/korean_course/*"]}


def run_with(**keys: object) -> dict:
    return {"runs": [{key: value for key, value in (RUN | keys).items() if value is not None}]}


# The config, and what the line must say: where, what is wrong, what would be right.
CONFIGS = {
    "not JSON": ('{"runs": [\n  {"family": }\n]}', [":2:14: ", "not JSON"]),
    "empty file": ("", [":1:1: ", "not JSON"]),
    "trailing comma": ('{"runs": [],\n}', [":2:1: "]),
    "text after the end": ('{"runs": []} x', [":1:14: "]),
    "comment": ('// a\n{"runs": []}', [":1:"]),
    "bytes that are no text": ('{"title": "\udcff"}', [":1:"]),
    "number out of range": ('{"seed": 1e999}', [":1:"]),
    "nested without end": ("[" * 200000, ["deep"]),
    "not an object": ("[]", ["must be an object"]),
    "no runs": ({"title": "x"}, ['"runs" is missing']),
    "empty runs": ({"runs": []}, ["/runs", "not empty"]),
    "unknown key": ({"mesure": {}} | run_with(), ["/mesure", 'did you mean "measure"?']),
    "unknown key of measure": (
        {"measure": {"round": 3}} | run_with(),
        ["/measure/round", 'did you mean "rounds"?'],
    ),
    "unknown key of a run": (run_with(entires=["*"]), ["/runs/0/entires", 'did you mean "entries"?']),
    "key with a line break": ('{"a\\nb": 1, "runs": []}', ["/a\\u000ab", "unknown key"]),
    "duplicate key": ('{"seed": 1,\n "seed": 2}', [":2:2: ", '"seed"', "a second time", "line 1"]),
    "duplicate key of a run": (
        '{"runs": [{"family": "reduce", "sizes": [8], "sizes": [9]}]}',
        [":1:", '"sizes"', "a second time"],
    ),
    "no family": (run_with(family=None), ['"family" is missing']),
    "unknown family": (run_with(family="reduec"), ["/runs/0/family", 'did you mean "reduce"?']),
    "unknown entry": (
        run_with(entries=["reduce/korean_course/reduce9"]),
        ["/runs/0/entries/0", "did you mean"],
    ),
    "glob that matches nothing": (
        run_with(entries=["reduce/korea/*"]),
        ["/runs/0/entries/0", "matches no entry"],
    ),
    "unknown baseline": (
        run_with(baseline="reduce/std/redux"),
        ["/runs/0/baseline", 'did you mean "reduce/std/reduce"?'],
    ),
    "unknown type": (run_with(types=["float23"]), ["/runs/0/types/0", 'did you mean "float32"?']),
    "type that no entry has": (
        run_with(types=["int8"], entries=["reduce/korean_course/reduce0"]),
        ["/runs/0/types/0", "has no type int8", "float32, float64, int32, int64"],
    ),
    "unknown op": (run_with(op="prod"), ["/runs/0/op", "sum, min, max, mean"]),
    "unknown tunable": (
        run_with(tunings={"thread": [64]}),
        ["/runs/0/tunings/thread", 'did you mean "threads"?'],
    ),
    "impossible tuning": (
        run_with(tunings={"threads": [128]}, entries=["reduce/korean_course/reduce4"]),
        ["/runs/0/tunings", "threads = 128 is impossible", "between 256 and 512"],
    ),
    "impossible tuning for all": (
        run_with(tunings={"threads": [4096]}),
        ["/runs/0/tunings/threads/0", "threads = 4096 is impossible", "between 1 and 1024"],
    ),
    "wrong type": (run_with(sizes="64"), ["/runs/0/sizes", 'not "64"']),
    "true is no number": ({"measure": {"rounds": True}} | run_with(), ["/measure/rounds", "whole number"]),
    "n of 0": (run_with(sizes=[64, 0]), ["/runs/0/sizes/1", "from 1", "not 0"]),
    "negative n": (run_with(sizes=[-1]), ["/runs/0/sizes/0", "not -1"]),
    "fractional n": (run_with(sizes=[1.5]), ["/runs/0/sizes/0", "whole number", "not 1.5"]),
    "n beyond everything": (run_with(sizes=[1e30]), ["/runs/0/sizes/0", "whole number"]),
    "n beyond the memory": (
        {"simt": {"max_n": 1 << 50}} | run_with(sizes=[1 << 45]),
        ["/runs/0/sizes/0", "35184372088832", "GB, and", "has"],
    ),
    "empty sizes": (run_with(sizes=[]), ["/runs/0/sizes", "not empty"]),
    "range without factor": (run_with(sizes={"from": 1, "to": 8}), ["/runs/0/sizes", '"factor" is missing']),
    "range that goes down": (
        run_with(sizes={"from": 8, "to": 1, "factor": 2}),
        ["/runs/0/sizes", "is above"],
    ),
    "half width of 0": ({"measure": {"half_width": 0}} | run_with(), ["/measure/half_width", "above 0"]),
    "unknown cache state": (
        {"measure": {"caches": ["hot"]}} | run_with(),
        ["/measure/caches/0", "cold, warm"],
    ),
    "fewer samples than the least": (
        {"measure": {"max_samples": 5}} | run_with(),
        ["/measure/max_samples", "min_samples = 20"],
    ),
    "unknown device": ({"device": "gpu"} | run_with(), ["/device", "simt"]),
    "empty plan": (run_with(sizes=[100000]), ["the plan is empty", "simt.max_n = 65536"]),
    "empty plan of refusals": (
        run_with(sizes=[100], entries=["reduce/korean_course/reduce0"]),
        ["the plan is empty", "needs power-of-two n"],
    ),
}


def assert_refused(done, parts: list[str], code: int = 2) -> None:
    assert done.code == code, done
    assert done.out == "", "nothing may run"
    assert (
        done.err.startswith("harness: ") and done.err.count("\n") == 1 and done.err.endswith("\n")
    ), done.err
    for part in parts:
        assert part in done.err, f"expected {part!r} in {done.err!r}"


def files_under(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("case", CONFIGS)
def test_a_bad_config_is_refused_before_anything_runs(case: str, harness, tmp_path: Path) -> None:
    content, parts = CONFIGS[case]
    text = content if isinstance(content, str) else json.dumps(content)
    (tmp_path / "bad.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "bad.json").write_text("an earlier result")
    before = files_under(tmp_path)
    assert_refused(harness("bad.json", "--device", "simt"), ["bad.json", *parts])
    assert files_under(tmp_path) == before


def test_an_unreadable_config_is_named(harness, tmp_path: Path) -> None:
    assert_refused(harness("missing.json"), ["missing.json", "No such file"])
    assert_refused(harness(tmp_path), [str(tmp_path), "folder"])


def test_bad_command_lines(harness, config, tmp_path: Path) -> None:
    path = config()
    assert_refused(harness(), ["CONFIG is missing", "configs/sweep.json"])
    assert_refused(harness(path, "--nonsense"), ["--nonsense", "--help"])
    assert_refused(harness(path, "--out"), ["--out"])
    assert_refused(harness(path, "--device", "gpu"), ['"gpu"', "auto, cuda, cuda:N, simt, host"])
    assert_refused(harness(path, "--device", "cuda:x"), ["cuda:x"])
    assert_refused(harness(path, "--results", path), ["--results", "--describe"])
    assert_refused(
        harness("--describe", "reduce/korean_course/reduc2"), ['did you mean "reduce/korean_course/reduce2"?']
    )
    assert_refused(
        harness("--describe", "reduce/korean_course/reduce2", "--results", "none.json"), ["none.json"]
    )
    compressed = tmp_path / "results.json.gz"
    compressed.write_bytes(gzip.compress(b"{}"))
    assert_refused(
        harness("--describe", "reduce/korean_course/reduce2", "--results", compressed),
        ["results.json.gz is compressed", "gunzip"],
    )


def test_two_questions_at_once_are_refused(harness, config) -> None:
    path, entry = config(), "reduce/harris/v3"
    assert_refused(harness(path, "--describe", entry), ["--describe", "two questions"])
    assert_refused(harness("--describe", entry, "--list"), ["--describe and --list"])
    assert_refused(harness(path, "--n", "5"), ["--n", "--explain"])
    assert_refused(harness(path, "--type", "float32"), ["--type", "--explain"])


def test_bad_questions_of_explain(harness) -> None:
    entry = "reduce/harris/v3"
    for n in ("0", "-3", "abc", "99999999999999999999", "1125899906842625"):
        assert_refused(harness("--explain", entry, "--n", n), ["--n"])
    assert_refused(harness("--explain", entry, "--n", "1125899906842624"), ["needs", "of memory", "are free"])
    assert_refused(
        harness("--explain", entry, "--against", "convolve/direct/global"),
        ["convolve/direct/global", "another question", "families"],
    )


def test_results_are_not_compressed(harness, config) -> None:
    assert_refused(harness(config(), "--out", "a.json.gz"), ["a.json.gz", "thin"])


def test_knobs_that_a_problem_does_not_have_are_refused(harness) -> None:
    entry = "convolve/direct/global"
    assert_refused(harness("--explain", entry, "--knob", "taps"), ["--knob taps", "NAME=VALUE"])
    assert_refused(harness("--explain", entry, "--knob", "tops=3"), ["--knob tops=3", "no knob tops", "taps"])
    assert_refused(harness("--explain", entry, "--knob", "taps=many"), ["--knob taps=many", "an integer"])
    assert_refused(harness("--explain", entry, "--knob", "taps=0"), ["--knob taps=0", "no less than 1"])
    assert_refused(
        harness("--explain", "reduce/harris/v6", "--knob", "op=product"), ["--knob op=product", "sum, min"]
    )
    assert_refused(harness("configs/sweep.json", "--knob", "op=sum"), ["--knob", "--explain and --call"])


def test_a_call_that_would_call_nothing_is_refused(harness) -> None:
    assert_refused(harness("--call", "reduce/std/*"), ["reduce/std/*", "baselines", "full name"])
    assert_refused(harness("--call", "reduce/harris/v1_as*", "--n", "64"), ["known wrong"])
    assert_refused(harness("--call", "reduce/nobody/*"), ["no such entry"])


def test_bad_filters(harness, config) -> None:
    path = config()
    assert_refused(
        harness(path, "--device", "simt", "--filter", "(["), ["--filter", "not a regular expression"]
    )
    assert_refused(
        harness(path, "--device", "simt", "--filter", "float16"),
        ["finds none of the plan's 5 cells", "one is"],
    )


@pytest.mark.parametrize("shard", ["4/4", "1/0", "-1/4", "x", "1", "1/2/3", " "])
def test_bad_shards(shard: str, harness, config) -> None:
    assert_refused(harness(config(), "--device", "simt", f"--shard={shard}"), ["--shard", "i/n"])


def test_slurm_that_contradicts_the_command_line(harness, config) -> None:
    array = {
        "SLURM_ARRAY_TASK_ID": "2",
        "SLURM_ARRAY_TASK_COUNT": "4",
        "SLURM_ARRAY_TASK_MIN": "0",
        "SLURM_ARRAY_TASK_MAX": "3",
    }
    assert_refused(
        harness(config(), "--device", "simt", "--shard", "1/4", slurm=array),
        ["--shard 1/4", "SLURM_ARRAY_TASK_ID = 2"],
    )


def test_an_unwritable_out_is_found_before_anything_runs(harness, config, tmp_path: Path) -> None:
    path = config()
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("kept")
    for out in ["folder", "missing/out.json", "file/out.json", "/proc/out.json", "folder/"]:
        assert_refused(harness(path, "--device", "simt", "--out", out), ["cannot write the results", out])
    assert (tmp_path / "file").read_text() == "kept"
    assert sorted(files_under(tmp_path)) == ["config.json", "file"]


def test_a_gpu_that_is_not_there_is_exit_3(harness, config) -> None:
    assert_refused(harness(config(), "--device", "cuda:4999"), ["device cuda"], code=3)
    # A wrong config is the first thing to mend.
    assert harness(config("{"), "--device", "cuda:4999").code == 2
