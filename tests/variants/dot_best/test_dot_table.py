"""The committed table is what the measurements make."""

import importlib.util
import pathlib

HERE = pathlib.Path(__file__).parent


def test_the_table_is_what_the_sweeps_make():
    spec = importlib.util.spec_from_file_location("tune_table_of_dot", HERE / "tune_table.py")
    tune_table = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tune_table)
    text = tune_table.TUNED.read_text()
    assert tune_table.rewritten(text) == text
    # The test would notice: another kernel in the table is put right.
    wrong = text.replace("{Way::blocks, 256, 4}, 4}", "{Way::blocks, 512, 4}, 4}", 1)
    assert wrong != text
    assert tune_table.rewritten(wrong) == text
