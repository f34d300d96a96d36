"""What the harness prints about itself, its entries and its plans."""

import json
import re

import pytest
from conftest import compare_with_golden

CELL = "reduce/korean_course/reduce2/op:sum/type:float32/n:64/blocks:256/threads:256/cold/device"


def without_build(text: str) -> str:
    """Without what another build or another line in a file changes."""
    text = re.sub(r"(\.(cu|cpp)):\d+", r"\1:LINE", text)
    return re.sub(r"(?m)^devices .*(\n {12}.*)*", "devices     (of this build)", text)


@pytest.mark.parametrize(
    "entry", ["reduce/korean_course/reduce0", "reduce/korean_course/reduce4", "reduce/std/reduce_par_unseq"]
)
def test_describe(entry: str, harness) -> None:
    done = harness("--describe", entry)
    assert (done.code, done.err) == (0, "")
    compare_with_golden("describe_" + entry.replace("/", "_") + ".txt", without_build(done.out))


def test_explain_shows_the_conflicts_at_their_line_and_equal_traffic(harness) -> None:
    done = harness("--explain", "reduce/divergence/reduce1", "--against", "reduce/divergence/reduce2")
    assert (done.code, done.err) == (0, "")
    different, equal = done.out.split("What differs")[1].split("What is equal")
    assert "shared loads" in different and "global" not in different
    assert "sectors that global loads touch" in equal and "sectors that global stores touch" in equal
    compare_with_golden("explain_reduce1_against_reduce2.txt", without_build(done.out))


def row(entry: str, n: int, median: float, **changed: object) -> dict:
    ours = {
        "entry": entry,
        "problem": f"reduce/op:sum/type:float32/n:{n}",
        "n": n,
        "cache": "cold",
        "clock": "device",
        "device": "cuda",
        "median": median,
    } | changed
    return {"name": f"{entry}/{n}/{changed.get('tuning', '')}", "tally": ours}


def test_describe_with_results(harness, tmp_path) -> None:
    before, ours = "reduce/korean_course/reduce1", "reduce/korean_course/reduce2"
    rows = [
        row(before, 1024, 4e-6),
        row(ours, 1024, 3e-6, tuning="slow"),
        row(ours, 1024, 2e-6, tuning="best"),
        row(before, 4096, 9e-6),
        # Three repetitions of one cell count with their geometric mean.
        row(ours, 4096, 3e-6),
        row(ours, 4096, 4.5e-6),
        row(ours, 4096, 2e-6),
        row(ours, 65536, 5e-6),  # nothing to compare with
        row(before, 2048, 1, device="simt"),
        row(ours, 2048, 1, device="simt"),  # not a GPU's time
    ]
    results = tmp_path / "results.json"
    results.write_text(json.dumps({"context": {"gpu": "A GPU"}, "benchmarks": rows}))
    done = harness("--describe", ours, "--results", "results.json")
    assert done.code == 0
    measured = done.out[done.out.index("measured") :]
    compare_with_golden("measured_gain.txt", measured)
    first = harness("--describe", "reduce/korean_course/reduce0", "--results", "results.json")
    assert "nothing to compare" in first.out


def test_list_names_every_entry_once(harness) -> None:
    done = harness("--list")
    assert (done.code, done.err) == (0, "")
    lines = [line.split() for line in done.out.splitlines() if line.startswith("    ")]
    names = [line[0] for line in lines]
    assert len(set(names)) == len(names) > 10
    korean = [name for name in names if name.startswith("reduce/korean_course/")]
    assert korean == [
        f"reduce/korean_course/reduce{i}" for i in range(5)
    ], "in the order in which the course teaches"
    by_name = {line[0]: line for line in lines}
    assert by_name["reduce/korean_course/reduce0"][-1] == "float32,float64,int32,int64"
    assert "baseline" in by_name["reduce/std/reduce"] and "host" in by_name["reduce/std/reduce"][2]


def test_help_and_version(harness) -> None:
    text = harness("--help")
    assert text.code == 0
    for option in (
        "--out",
        "--device",
        "--filter",
        "--list",
        "--describe",
        "--dry-run",
        "--quiet",
        "--version",
        "--resume",
        "--force-resume",
        "--shard",
        "--devices",
        "--explain",
        "--against",
        "--results",
        "--print-schema",
    ):
        assert option in text.out, option
    version = harness("--version")
    assert version.code == 0 and re.match(r"harness \d+\.\d+", version.out)


def test_a_dry_run_prints_the_plan_and_leaves_nothing(harness, config, tmp_path) -> None:
    path = config(entries=["reduce/korean_course/*", "reduce/std/reduce"], sizes=[64, 65, 100000])
    done = harness(path, "--device", "simt", "--dry-run")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("No GPU was used"), "a run without a GPU says so first"
    assert "  " + CELL + "\n" in done.out
    assert "n:64/cold/device on host\n" in done.out, "library code runs on the host"
    assert "reduce/korean_course/reduce0: needs power-of-two n (1 cell)" in done.out
    assert "n = 100000: beyond simt.max_n = 65536 (6 cells)" in done.out
    assert re.search(
        r"11 cells of 2 problems, 1 skipped, 6 left out for their size; about .*s\.\n$", done.out
    )
    assert sorted(file.name for file in tmp_path.iterdir()) == ["config.json"]


def test_a_run_leaves_its_results_and_nothing_else(harness, config, tmp_path) -> None:
    settings = {
        "measure": {"caches": ["warm"], "min_samples": 6, "max_samples": 6},
        "check": {"sizes": [1], "launches": 1},
    }
    path = config(settings | {"runs": [{"family": "reduce", "sizes": [64]}]})
    done = harness(path, "--device", "host")
    assert done.code == 0, done
    assert done.out.startswith("No GPU was used")
    left = sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file())
    assert left == ["config.json", "results/config.json"]
    assert json.loads((tmp_path / "results" / "config.json").read_text())["benchmarks"]


def test_the_device_of_the_command_line_stands_over_the_config_s(harness, config) -> None:
    path = config({"device": "simt", "runs": [{"family": "reduce", "sizes": [64]}]})
    assert any("korean_course" in cell for cell in cells_of(harness(path, "--dry-run").out))
    on_host = cells_of(harness(path, "--dry-run", "--device", "host").out)
    assert on_host and not any("korean_course" in cell for cell in on_host)


def test_a_filter_keeps_the_cells_that_it_finds(harness, config) -> None:
    done = harness(config(), "--device", "simt", "--dry-run", "--filter", "reduce[23]/")
    assert [line.split("/")[2] for line in done.out.splitlines() if line.startswith("  ")] == [
        "reduce2",
        "reduce3",
    ]


def cells_of(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.startswith("  reduce/") and "/cold/" in line]


def test_shards_share_out_the_plan(harness, config) -> None:
    path = config(sizes=[64, 128, 256, 512, 1024, 2048], types=["float32", "int32"])
    whole = cells_of(harness(path, "--device", "simt", "--dry-run").out)
    parts = [
        cells_of(harness(path, "--device", "simt", "--dry-run", "--shard", f"{i}/3").out) for i in range(3)
    ]
    assert sorted(sum(parts, [])) == sorted(whole)
    array = {
        "SLURM_ARRAY_TASK_ID": "2",
        "SLURM_ARRAY_TASK_COUNT": "3",
        "SLURM_ARRAY_TASK_MIN": "0",
        "SLURM_ARRAY_TASK_MAX": "2",
    }
    assert cells_of(harness(path, "--device", "simt", "--dry-run", slurm=array).out) == parts[2]


def test_an_empty_shard_is_valid_and_says_so(harness, config) -> None:
    outputs = [harness(config(), "--device", "simt", "--dry-run", "--shard", f"{i}/4") for i in range(4)]
    assert [done.code for done in outputs] == [0] * 4
    assert sum("0 cells" in done.out and "this shard is empty" in done.out for done in outputs) == 3


@pytest.mark.parametrize("element_type", ["float32", "float16"])
def test_call_calls_every_variant_once(harness, element_type) -> None:
    called = harness("--call", "*/*/*", "--device", "simt", "--n", "1003", "--type", element_type)
    assert called.code == 0, called.err
    answers = [line.split(": ", 2)[1] for line in called.out.splitlines()]
    assert set(answers) == {"right", "not called"}
    assert answers.count("right") > 40


def test_knobs_are_the_problems_that_are_asked_for(harness) -> None:
    asked = ["--knob", "taps=7", "--n", "257"]
    called = harness("--call", "convolve/direct/*", "--device", "simt", *asked)
    assert called.code == 0, called.err
    assert called.out.count("taps:7") == called.out.count(": right") == len(called.out.splitlines()) > 1
    few = harness("--explain", "convolve/direct/global", "--json", "--n", "257", "--knob", "taps=3")
    many = harness("--explain", "convolve/direct/global", "--json", *asked)
    reads = [json.loads(run.out)["convolve/direct/global"]["global_load_bytes_asked"] for run in (few, many)]
    assert reads[1] > 2 * reads[0]


def test_call_names_what_is_wrong(harness) -> None:
    called = harness("--call", "reduce/harris/v1_as_published", "--device", "simt", "--n", "1003")
    assert called.code == 1
    assert called.out.startswith("reduce/harris/v1_as_published ")
    assert "WRONG: " in called.out
