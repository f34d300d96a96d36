"""What is committed agrees with the measurements that it was made from."""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

import readme_tables  # noqa: E402
import tune_table  # noqa: E402


def test_the_table_is_what_the_sweeps_make(tmp_path):
    made = tmp_path / "tuned.h"
    tune_table.main(made, *sorted((HERE / "h200").glob("sweep_*.json.xz")))
    assert made.read_text() == (HERE.parents[2] / "variants/reduce/best/tuned.h").read_text()


def test_the_readme_shows_the_measured_tables():
    text = readme_tables.README.read_text()
    assert readme_tables.rewritten(text) == text
