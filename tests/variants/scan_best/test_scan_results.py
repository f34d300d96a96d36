"""What is committed agrees with the measurements that it was made from."""

import importlib.util
import pathlib

HERE = pathlib.Path(__file__).parent
SCAN = HERE.parents[2] / "variants/scan"

# By its path: other folders have a tune_table of their own.
spec = importlib.util.spec_from_file_location("scan_tune_table", HERE / "tune_table.py")
tune_table = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tune_table)


def test_the_table_and_the_readme_are_what_the_sweeps_make(tmp_path):
    header = tmp_path / "tuned.h"
    readme = tmp_path / "README.md"
    text = (SCAN / "README.md").read_text()
    assert "| float64 | 2^27 |" in text
    readme.write_text(tune_table.with_table(text, "to be filled"))
    tune_table.main(header, readme, *sorted((HERE / "h200").glob("sweep_*.json.xz")))
    assert header.read_text() == (SCAN / "best/tuned.h").read_text()
    assert readme.read_text() == text
