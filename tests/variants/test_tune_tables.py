"""What is committed agrees with the measurements that it was made from."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import readme_of_tables  # noqa: E402
import tune_tables  # noqa: E402

FAMILIES = [tune_tables.ELEMENTWISE, tune_tables.UPSAMPLE]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.folder)
def test_the_table_is_what_the_sweep_makes(family):
    committed = tune_tables.VARIANTS / family.folder / "best/tuned.h"
    assert committed.read_text() == tune_tables.tuned_header(family)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.folder)
def test_the_readme_shows_the_measured_table(family):
    text = readme_of_tables.readme_of(family).read_text()
    assert readme_of_tables.rewritten(family, text) == text


def test_a_row_that_is_not_worth_its_cost_is_not_made():
    def rows(fast_at_2048):
        return [
            {"what": "w", "type": "float32", "n": n, "cache": cache, "round": "all", "candidate": c, "us": us}
            for n, times in [(1024, (1, 2)), (2048, (1, fast_at_2048)), (4096, (1, 2))]
            for cache in ("cold", "warm")
            for c, us in zip(("loads/t32/u1/nn/at_once", "loads/t64/u1/nn/at_once"), times, strict=True)
        ]

    table = tune_tables.Table("table", "w", 1)
    assert len(tune_tables.choose(rows(0.99), table)) == 1
    assert [size for size, _ in tune_tables.choose(rows(0.5), table)] == [4096, 8192, 16384]
