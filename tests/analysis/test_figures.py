"""Every figure: no Type 3 fonts, nothing clipped, nothing empty, the same bytes for the same input; the CSV
says what is drawn.
"""

from __future__ import annotations

import copy
import io
import math
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import synthetic
from matplotlib.figure import Figure
from PIL import Image
from test_compare import golden

from analysis import figures
from analysis.__main__ import main
from analysis.errors import UserError
from analysis.figures import ladder, published, style
from analysis.figures.model import Drawn, groups
from analysis.load import cells, load, load_all

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("figures")
    synthetic.write(
        made,
        "paper.json",
        synthetic.machine(
            families=("reduce", "convolve"), samples=20, sizes=(1024, 2**20, 2**24, 2**28), processes=2
        ),
    )
    synthetic.write(made, "counted.json", synthetic.counted())
    synthetic.write(
        made, "a100.json", synthetic.machine(sizes=(1024, 2**20, 2**24), gpu="NVIDIA A100", samples=8)
    )
    return made


@pytest.fixture(scope="module")
def drawn(folder: Path) -> Path:
    assert main(["figures", str(folder / "paper.json"), "--out", str(folder / "out")]) == 0
    assert (
        main(["figures", str(folder / "counted.json"), "--only", "counters", "--out", str(folder / "out")])
        == 0
    )
    return folder / "out"


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The figures of committed results: of those that have the longest names, legends and numbers."""
    made = tmp_path_factory.mktemp("committed")
    data = ROOT / "analysis" / "data"
    assert main(["figures", str(data / "simt" / "ci.json"), "--out", str(made / "ci")]) == 0
    for name in ("paper", "sweep", "geforce_8800gt", "harris", "pairings", "tuning"):
        assert main(["figures", str(data / "h200" / f"{name}.json.gz"), "--out", str(made / name)]) == 0
    return made


def test_the_whole_set_is_there(drawn: Path) -> None:
    kinds = {path.name.split("_")[0] for path in drawn.glob("*.pdf")}
    assert kinds == {
        "bandwidth",
        "ladder",
        "ratio",
        "tuning",
        "accuracy",
        "samples",
        "ceiling",
        "taps",
        "counters",
    }
    for pdf in drawn.glob("*.pdf"):
        assert pdf.with_suffix(".png").is_file() and len(pdf.with_suffix(".csv").read_text().splitlines()) > 2
        assert pdf.name.startswith("samples") or r"\toprule" in pdf.with_suffix(".tex").read_text()


@pytest.mark.skipif(
    shutil.which("pdffonts") is None, reason="pdffonts (package poppler-utils) is not installed"
)
def test_fonts_are_embedded_and_not_type_3(drawn: Path, committed: Path) -> None:
    for pdf in [*drawn.glob("*.pdf"), *committed.rglob("*.pdf")]:
        listed = subprocess.run(
            ["pdffonts", str(pdf)], capture_output=True, text=True, check=True
        ).stdout.splitlines()[2:]
        assert listed, pdf
        for line in listed:
            assert "Type 3" not in line and re.search(r"\s(yes)\s+yes\s+yes\s", line), (pdf, line)


def test_column_width_and_metadata(drawn: Path, folder: Path) -> None:
    digest = load(folder / "paper.json").sha256
    for png in drawn.glob("*_NVIDIA-H200.png"):
        with Image.open(png) as image:
            assert abs(image.width / 300 - style.COLUMN) < 0.01
            assert digest in image.text["Source"] and "1111111aaaa" in image.text["Source"]  # type: ignore[attr-defined]
        assert not reaches_the_edge(png), png
        assert digest.encode() in png.with_suffix(".pdf").read_bytes()


def reaches_the_edge(png: Path) -> bool:
    """Whether anything is drawn in the outermost pixels: what is clipped, is cut there."""
    with Image.open(png) as image:
        pixels = np.asarray(image.convert("L"))
    edges = [pixels[:2].ravel(), pixels[-2:].ravel(), pixels[:, :2].ravel(), pixels[:, -2:].ravel()]
    return bool(np.concatenate(edges).min() <= 200)


def test_the_committed_results_give_every_figure(committed: Path) -> None:
    drawn = list(committed.rglob("*.png"))
    assert {png.name.split("_")[0] for png in drawn} >= {
        "bandwidth",
        "ladder",
        "ratio",
        "accuracy",
        "samples",
        "ceiling",
        "counters",
        "taps",
        "tuning",
    }
    assert not [str(png) for png in drawn if reaches_the_edge(png)]


def plans_of(*paths: Path) -> list[figures.Plan]:
    inputs = load_all(paths)
    return figures.plan(inputs)


def test_nothing_is_clipped_or_empty(folder: Path) -> None:
    plans = [
        *plans_of(folder / "paper.json"),
        *plans_of(folder / "counted.json"),
        *plans_of(folder / "paper.json", folder / "a100.json"),
    ]
    for planned in {planned.name: planned for planned in plans}.values():
        result = planned.draw()
        assert not outside(result.figure), f"{planned.name}: something is clipped"
        for axis in result.figure.axes:
            bar = axis.get_label() == "<colorbar>"
            filled = axis.has_data() or bar or axis.images or axis.collections
            labelled = axis.get_xlabel() or axis.get_title() or result.figure._supxlabel or bar
            assert filled and labelled, f"{planned.name}: an axis that is empty or has no label"


def outside(figure: Figure) -> bool:
    """Whether anything that is drawn reaches beyond the picture."""
    figure.savefig(io.BytesIO(), format="png", dpi=100)
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    return bool(box.x0 < -0.005 or box.y0 < -0.005 or box.x1 > width + 0.005 or box.y1 > height + 0.005)


def test_a_clipped_label_would_be_seen() -> None:
    figure, (axis,) = style.new_figure(2.0)
    assert not outside(figure)
    axis.set_xlabel("far too long to be seen in one column of a page " * 3)
    assert outside(figure)


def test_same_input_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = synthetic.write(tmp_path, "small.json", SMALL)

    def bytes_of(out: Path) -> dict[str, bytes]:
        assert (
            main(
                [
                    "figures",
                    str(path),
                    "--out",
                    str(out),
                    "--only",
                    "ladder",
                    "--only",
                    "ratio",
                    "--only",
                    "samples",
                ]
            )
            == 0
        )
        return {path.name: path.read_bytes() for path in sorted(out.iterdir())}

    one, two = bytes_of(tmp_path / "one"), bytes_of(tmp_path / "two")
    assert one == two and len(one) >= 15
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    dated = bytes_of(tmp_path / "dated")
    assert any(b"D:19700102" in content for content in dated.values()) and not any(
        b"D:19700102" in content for content in one.values()
    )


def test_ladder_against_the_rows(folder: Path) -> None:
    table = cells(load(folder / "paper.json").rows)
    group = next(group for group in groups(table) if group.family == "reduce")
    built = ladder.build(group, "korean_course")
    assert built is not None and built.n == 2**24 and built.machines == ["RTX 2070", "RTX 3080"]
    at = (
        table[(table["n"] == 2**24) & (table["series"] == "korean_course")]
        .groupby("short", sort=False)["median"]
        .min()
    )
    assert built.stages["speed_up"].to_list() == pytest.approx((at.iloc[0] / at).to_list())
    assert built.stages["published: RTX 2070"].iloc[1] == pytest.approx(0.643 / 0.197)
    assert (built.stages["low_speed_up"] <= built.stages["speed_up"]).all() and (
        built.stages["speed_up"] <= built.stages["high_speed_up"]
    ).all()
    other = ladder.build(group, "harris")
    assert other is not None and other.n == 2**28, "2^25 was published and not measured: the largest is taken"


def test_published_figures_of_several_units_and_sizes() -> None:
    figures_of = [
        {"machine": "A", "n": 1, "value": 640, "unit": "M cycles"},
        {"machine": "A", "n": 1, "value": 150, "unit": "K cycles"},
        {"machine": "A", "n": 2, "value": 1, "unit": "M cycles"},
        {"machine": "A", "n": 1, "value": 40, "unit": "GB/s"},
    ]
    speed_ups = [published.speed_up(figures_of[0], figure) for figure in figures_of]
    assert speed_ups[:2] == pytest.approx([1, 640e6 / 150e3]) and all(
        math.isnan(value) for value in speed_ups[2:]
    )
    rates = [{"machine": "A", "value": 9.3, "unit": "MB/s"}, {"machine": "A", "value": 2.3, "unit": "GB/s"}]
    assert published.speed_up(rates[0], rates[1]) == pytest.approx(2300 / 9.3)


def test_csv_of_the_ratio_map(drawn: Path, folder: Path) -> None:
    data = pd.read_csv(next(drawn.glob("ratio_reduce*.csv")))
    rows = cells(load(folder / "paper.json").rows)
    best = next(row for row in rows.itertuples() if row.short == "hopper/best" and row.n == 2**20)
    line = data[(data["entry"] == "hopper/best") & (data["n"] == 2**20)].iloc[0]
    assert (
        line["ratio"] == pytest.approx(best.ratios["reduce/cub/sum"]["value"])
        and line["low"] < line["ratio"] < line["high"]
    )
    assert line["baseline"] == "reduce/cub/sum"


def test_golden_latex_of_a_ladder(drawn: Path) -> None:
    text = next(drawn.glob("ladder_korean*.tex")).read_text()
    golden("ladder.tex", re.sub(r"sha256 [0-9a-f]{64}", "sha256 …", text))


OPTIONAL: list[Callable[[dict[str, Any]], Any]] = [
    lambda cell, key=key: cell.pop(key, None)
    for key in (
        "ceiling",
        "ratios",
        "samples",
        "ci",
        "check",
        "published",
        "stage",
        "bytes",
        "like_for_like",
        "tuning",
        "knobs",
    )
]


@pytest.mark.parametrize("remove", range(len(OPTIONAL)))
def test_figures_of_files_that_lack_a_field(tmp_path: Path, remove: int) -> None:
    document = copy.deepcopy(SMALL)
    for row in document["benchmarks"]:
        OPTIONAL[remove](row["tally"])
        if remove == 2:
            row["tally"].pop("rounds", None)
    document["tally"].pop("ceilings")
    for planned in plans_of(synthetic.write(tmp_path, "cut.json", document)):
        result = planned.draw()
        assert isinstance(result, Drawn) and len(result.data)
        assert not outside(result.figure), planned.name


SMALL = synthetic.machine(sizes=(1024, 2**20, 2**24), samples=8, entries="[hct]*")


def test_several_gpus(folder: Path) -> None:
    plans = plans_of(folder / "paper.json", folder / "a100.json")
    planned = next(planned for planned in plans if planned.name.startswith("gpus_reduce"))
    data = planned.draw().data
    assert set(data["gpu"]) == {"NVIDIA H200", "NVIDIA A100"}
    at = data[(data["entry"] == "cub/sum") & (data["n"] == 2**24)].set_index("gpu")["median_seconds"]
    assert at["NVIDIA A100"] > 1.5 * at["NVIDIA H200"]


def test_nothing_to_draw_and_the_same_group_twice(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nothing to draw"):
        figures.draw_all(
            [load(folder / "counted.json")],
            figures.plan([load(folder / "counted.json")], ["tuning"]),
            tmp_path,
        )
    other = synthetic.write(tmp_path, "other.json", synthetic.machine(sizes=(1024, 2**20), samples=8, seed=4))
    with pytest.raises(UserError, match="two files have the row reduce/korean_course/reduce0"):
        plans_of(folder / "paper.json", other)


def test_published_figures_of_one_ladder_are_of_one_size() -> None:
    def figure(n: int, value: float) -> dict[str, Any]:
        return {"machine": "RTX 2070", "type": "float32", "n": n, "value": value, "unit": "ms"}

    stages = [[figure(2**24, 0.2), figure(2**26, 0.9)], [figure(2**26, 0.8)], [figure(2**26, 0.7)], []]
    assert published.size_of(stages, "RTX 2070", 2**24) == 2**24, "ours, where a stage has it"
    assert published.size_of(stages, "RTX 2070", 2**20) == 2**26, "else that of most"
    assert published.size_of(stages, "no such card", 2**20) == 2**20
    at_26 = [published.figure_of(figures, "RTX 2070", 2**26) for figures in stages]
    assert [found and found["value"] for found in at_26] == [0.9, 0.8, 0.7, None]
    assert published.figure_of(stages[1], "RTX 2070", 2**24) is None, "never one of another size"
