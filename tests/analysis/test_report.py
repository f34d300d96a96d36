"""The report in a real browser: no console message, no request, it sorts, filters and toggles; and its text
is safe and reproducible.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import synthetic

from analysis.__main__ import main
from analysis.load import load
from analysis.report import build, embedded

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    base = synthetic.machine(
        families=("reduce", "scan"),
        sizes=(1024, 2**20),
        caches=("cold", "warm"),
        samples=10,
        processes=8,
        title="A <script>alert(1)</script> & title",
    )
    new = synthetic.machine(
        families=("reduce", "scan"),
        sizes=(1024, 2**20),
        caches=("cold", "warm"),
        samples=10,
        processes=8,
        seed=2,
        slower={"hopper/best": 1.2},
    )
    new["tally"]["config"], new["tally"]["config_hash"] = (
        base["tally"]["config"],
        base["tally"]["config_hash"],
    )
    paths = [
        synthetic.write(folder, "base.json", base),
        synthetic.write(folder, "new.json", new),
        synthetic.write(folder, "counted.json", synthetic.counted()),
    ]
    assert main(["report", str(paths[0]), "--out", str(folder / "one.html")]) == 0
    assert main(["report", str(paths[0]), str(paths[1]), "--out", str(folder / "two.html")]) == 0
    assert main(["report", str(paths[2]), "--out", str(folder / "counted.html")]) == 0
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("chromium and chromedriver (packages chromium, chromium-driver) are not installed")
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--window-size=1400,1600",
        "--disable-background-networking",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.set_page_load_timeout(120)
    yield driver
    driver.quit()


def opened(browser: Any, page: Path) -> Any:
    browser.get_log("performance")
    browser.get_log("browser")
    browser.get(page.as_uri())
    wait_for(
        browser,
        "return !!window.Plotly && (document.getElementById('plots').hidden || "
        "!!document.querySelector('#plot .main-svg'))",
    )
    return browser


def wait_for(browser: Any, script: str) -> None:
    end = time.monotonic() + 60
    while not browser.execute_script(script):
        assert time.monotonic() < end, f"never true: {script}"
        time.sleep(0.05)


def requests(browser: Any) -> list[str]:
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    return [url for url in sent if not url.startswith(("data:", "blob:"))]


@pytest.mark.parametrize("name", ["one.html", "two.html", "counted.html"])
def test_no_console_message_and_no_request(browser: Any, pages: Path, name: str) -> None:
    opened(browser, pages / name)
    assert browser.get_log("browser") == []
    assert requests(browser) == [(pages / name).as_uri()]
    browser.save_screenshot(str(pages / f"{name}.png"))
    print("screenshot:", pages / f"{name}.png")


def column(browser: Any, table: str, name: str) -> list[str]:
    return browser.execute_script(
        """
        const table = document.getElementById(arguments[0]);
        const index = Array.from(table.tHead.rows[0].cells).findIndex((cell) => cell.textContent ===
        arguments[1]); return Array.from(table.tBodies[0].rows).filter((row) => !row.hidden).map((row) =>
        row.cells[index].dataset.sort ?? row.cells[index].textContent)""",
        table,
        name,
    )


def click_header(browser: Any, table: str, name: str) -> None:
    browser.execute_script(
        """Array.from(document.getElementById(arguments[0]).tHead.rows[0].cells).find((cell) =>
        cell.textContent === arguments[1]).click()""",
        table,
        name,
    )


def test_sorts(browser: Any, pages: Path) -> None:
    opened(browser, pages / "one.html")
    click_header(browser, "table", "time")
    times = [float(value) for value in column(browser, "table", "time")]
    assert times == sorted(times) and times[0] < times[-1]
    click_header(browser, "table", "time")
    assert [float(value) for value in column(browser, "table", "time")] == sorted(times, reverse=True)
    click_header(browser, "table", "entry")
    entries = column(browser, "table", "entry")
    assert entries == sorted(entries)
    click_header(browser, "table", "Thrust's time ÷ time")
    ratios = column(browser, "table", "Thrust's time ÷ time")
    assert ratios[-1] == "" and ratios[0] != "", "cells without a value are last"


def test_filters(browser: Any, pages: Path) -> None:
    opened(browser, pages / "one.html")
    everything = len(column(browser, "table", "entry"))
    browser.find_element("id", "find").send_keys("hopper n:2^10")
    found = column(browser, "table", "entry")
    assert 0 < len(found) < everything and all("hopper" in entry for entry in found)
    browser.execute_script(
        "const box = document.getElementById('find'); box.value = ''; box.dispatchEvent(new Event('input'))"
    )
    browser.execute_script(
        "const box = document.querySelector('[data-column=cache]'); box.value = 'warm'; "
        "box.dispatchEvent(new Event('change'))"
    )
    assert len(column(browser, "table", "entry")) == everything / 2 and set(
        column(browser, "table", "cache")
    ) == {"warm"}
    browser.execute_script(
        "const box = document.querySelector('[data-column=family]'); box.value = 'scan'; "
        "box.dispatchEvent(new Event('change'))"
    )
    assert {entry.split("/")[0] for entry in column(browser, "table", "entry")} == {"scan"}
    assert browser.find_element("id", "count").text.endswith(f"of {everything} cells")


def visible(browser: Any) -> list[str]:
    return browser.execute_script(
        "return document.getElementById('plot').data.filter((line) => line.visible === true).map((line) "
        "=> line.name)"
    )


def test_toggles_a_series_and_changes_the_plot(browser: Any, pages: Path) -> None:
    opened(browser, pages / "one.html")
    assert any(name.startswith("hopper/") for name in visible(browser))
    browser.find_element("css selector", "#series input[value=hopper]").click()
    wait_for(
        browser,
        "return !document.getElementById('plot').data.some((line) => line.visible === true && "
        "line.name.startsWith('hopper/'))",
    )
    assert any(name.startswith("harris/") for name in visible(browser))
    browser.find_element("css selector", "#series input[value=hopper]").click()
    wait_for(
        browser,
        "return document.getElementById('plot').data.some((line) => line.visible === true && "
        "line.name.startsWith('hopper/'))",
    )
    browser.execute_script(
        "const box = document.getElementById('metric'); box.value = 'time'; box.dispatchEvent(new "
        "Event('change'))"
    )
    wait_for(
        browser, "return document.getElementById('plot').layout.yaxis.title.text === 'time (µs) (log axis)'"
    )
    browser.execute_script(
        "const box = document.getElementById('group'); box.value = box.options[box.options.length - "
        "1].value; box.dispatchEvent(new Event('change'))"
    )
    wait_for(
        browser, "return document.getElementById('plot').data.some((line) => line.name.startsWith('ladder/'))"
    )
    browser.execute_script(
        "const box = document.getElementById('ladder'); box.value = '1'; box.dispatchEvent(new "
        "Event('change'))"
    )
    assert browser.execute_script(
        "return Array.from(document.querySelectorAll('.ladder'), (ladder) => ladder.hidden)"
    )[:2] == [True, False]
    assert browser.get_log("browser") == []


def test_comparison_is_in_the_page(browser: Any, pages: Path) -> None:
    opened(browser, pages / "two.html")
    assert browser.find_element("css selector", "#comparison .answer").text == "regression"
    verdicts = column(browser, "verdicts", "verdict")
    assert verdicts.count("slower") == 4 and verdicts[0] == "slower"
    click_header(browser, "verdicts", "change")
    changes = [float(value) for value in column(browser, "verdicts", "change")]
    assert changes == sorted(changes)


def test_titles_are_not_markup(browser: Any, pages: Path) -> None:
    opened(browser, pages / "one.html")
    assert browser.find_element("tag name", "h1").text == "A <script>alert(1)</script> & title"
    assert "got 511 <want 523> & more" in browser.find_element("id", "failed").text


def test_no_gpu_is_said(browser: Any, pages: Path) -> None:
    opened(browser, pages / "counted.html")
    assert "No GPU was used" in browser.find_element("class name", "notice").text
    assert "sectors loaded" in browser.find_element("css selector", "#table thead").text


def test_counters_are_plotted_against_n(browser: Any, pages: Path, tmp_path: Path) -> None:
    path = synthetic.write(tmp_path, "two.json", synthetic.counted(sizes=(1024, 65536)))
    assert main(["report", str(path), "--out", str(tmp_path / "two.html")]) == 0
    opened(browser, tmp_path / "two.html")
    shown = browser.execute_script(
        "return Array.from(document.getElementById('metric').options, (option) => option.text)"
    )
    assert "sectors loaded" in shown and "average active lanes" in shown
    assert any(name.startswith("harris/") for name in visible(browser)) and browser.get_log("browser") == []


def test_same_input_same_page(pages: Path) -> None:
    files = [load(pages / "base.json"), load(pages / "new.json")]
    assert build(files) == build(files) == (pages / "two.html").read_text(encoding="utf-8")


def test_incomparable_files_say_so(pages: Path, tmp_path: Path) -> None:
    text = build([load(pages / "base.json"), load(pages / "counted.json")])
    assert "not comparable" in text or "nothing to compare" in text


def test_embedded_json_cannot_end_its_element() -> None:
    text = embedded({"a": "</script><b>", "b": float("nan"), "c": [1e-6, float("inf")]})
    assert "<" not in text and json.loads(text) == {"a": "</script><b>", "b": None, "c": [1e-6, None]}
