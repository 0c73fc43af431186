"""Settings files: what every table is made of."""

import inspect

import pytest

from shoal.errors import InputError
from shoal.methods import build
from shoal.registry import BATCH_METHODS, METHODS, find
from shoal.reproduce.comparing import claimed_columns
from shoal.reproduce.images import COMBINED
from shoal.reproduce.protocols import PROTOCOLS, filled
from shoal.reproduce.tables import load_sources, load_table, load_tables, table_names

IMAGE_TABLES = [name for name in table_names() if load_table(name).protocol == "images"]
METHOD_TABLES = [name for name in table_names() if load_table(name).protocol in ("static", "stream")]


@pytest.mark.parametrize("name", METHOD_TABLES)
def test_every_column_can_be_built(name):
    """Every column of a table is a method of shoal, given settings that it has and takes."""
    for column in load_table(name).columns:
        settings = dict(column.settings)
        if column.tune is not None:
            assert column.tune[0] in inspect.signature(find("method", METHODS, column.method)).parameters
        build(column.method, filled(settings, 100))


@pytest.mark.parametrize("name", table_names())
def test_every_data_set_and_protocol_is_described(name):
    """Every data set of a table has a source, every table a protocol, every claim columns that are there."""
    table = load_table(name)
    assert table.protocol in PROTOCOLS
    assert set(table.datasets) <= load_sources().keys()
    assert set(table.prefix) <= set(table.datasets)
    names = [column.name for column in table.columns]
    for claim in table.claims:
        assert set(claimed_columns(claim, names)) <= set(names)


@pytest.mark.parametrize("name", IMAGE_TABLES)
def test_every_column_on_images_can_be_built(name):
    """Every column is a reservoir method, boosts on samples or combines stumps, with settings that it takes."""
    for column in load_table(name).columns:
        if column.method in BATCH_METHODS:
            find("method", BATCH_METHODS, column.method)(**column.settings).check()
        elif column.method in COMBINED:
            assert set(column.settings) == {"initial", "n_learners"}
        else:
            build(column.method, column.settings)


def test_printed_accuracies_become_errors():
    """What is printed as accuracy in per cent, with its deviation, is read as error."""
    table = load_table("lefakis-3")
    assert table.printed["MNIST", "geem_r100"] == pytest.approx(0.1534)
    assert table.printed_deviations["MNIST", "geem_r100"] == pytest.approx(0.0030)
    assert ("MNIST", "geem_shared_r100") not in table.printed


@pytest.mark.parametrize("name", [n for n in METHOD_TABLES if not load_table(n).figure])
def test_every_cell_has_its_published_number(name):
    """Every cell of a table has a published error, but on data sets that the paper does not have."""
    table, sources = load_table(name), load_sources()
    wanted = {(d, c.name) for d in table.datasets if not sources[d].unpublished for c in table.paper_columns}
    assert table.printed.keys() >= wanted


def test_numbers_are_those_printed():
    """A published error is read from the paper's row and column."""
    assert load_table("bai-1").printed["german", "ours"] == 0.309
    assert load_table("chen-2").printed["ijcnn1", "osboost"] == 0.0764


def test_the_best_printed_error_is_over_all_tables():
    """The default method is held against the least error that any method with any learner has in any table."""
    best = load_table("chen-1").best
    asked = {
        "heart": 0.1755, "breast-cancer": 0.0408, "australian": 0.1611, "diabetes": 0.2467, "german": 0.2667,
        "splice": 0.1344, "mushrooms": 0.0029, "adult": 0.1581, "ijcnn1": 0.0764, "webpage": 0.0171,
    }  # fmt: skip
    assert {name: best[name] for name in asked} == asked
    assert load_table("bai-1").best["heart"] == 0.239


def test_unknown_name_is_refused():
    """A name that is no table is refused with the names that are."""
    with pytest.raises(InputError, match="bai-1"):
        load_tables("bai-9")


def test_all_is_every_table():
    """The name "all" stands for every table; several names may be joined by commas."""
    assert [table.name for table in load_tables("all")] == table_names()
    assert [table.name for table in load_tables("bai-2, chen-1")] == ["bai-2", "chen-1"]


def test_a_sweep_has_a_column_for_each_value():
    """A sweep's columns differ in the swept setting only."""
    first, second, *_ = load_table("bai-fig2").columns
    assert first.name == "beta=0.01"
    assert {k: v for k, v in first.settings.items() if k != "beta"} == {
        k: v for k, v in second.settings.items() if k != "beta"
    }
