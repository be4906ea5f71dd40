"""Tables and archives that are read from the disk piece by piece."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.formats import read_long_arrays, read_long_table
from screwgraph.model.formats.arrays import mapped_tables
from screwgraph.model.formats.arrays.mapped_tables import load_table


def test_a_table_of_many_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(mapped_tables, "PIECE", 100)
    table = np.random.default_rng(0).standard_normal((50, 3))
    path = tmp_path / "log.csv"
    np.savetxt(path, table, delimiter=",", header="t, a,b", comments="# a remark\n", fmt="%.17g")
    path.write_text(path.read_text().replace("# a remark\n", "# a remark\n\n"))
    names, rows = read_long_table(path)
    assert names == ("t", "a", "b")
    np.testing.assert_array_equal(rows, table)


def test_cells_that_are_empty(tmp_path):
    (tmp_path / "log.csv").write_text("t,a\n0,1\n1,\n2,nan\n")
    np.testing.assert_array_equal(read_long_table(tmp_path / "log.csv")[1], [[0, 1], [1, np.nan], [2, np.nan]])


@pytest.mark.parametrize("cell", ["", "nan"])
def test_cells_are_missing_in_small_tables_only_where_that_is_said(tmp_path, cell):
    path = tmp_path / "log.csv"
    path.write_text(f"t,a\n0,1\n1,{cell}\n")
    np.testing.assert_array_equal(load_table(path, missing=True)["a"], [1, np.nan])
    with pytest.raises(sg.InputError, match=r"log\.csv:3"):
        load_table(path)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "the table is empty"),
        ("t,a\n", "names and no numbers"),
        ("t,t\n1,2\n", "two columns"),
        ("t,a\n1,2\n1,2,3\n", "log.csv:3: 3 values"),
        ("t,a\n1,inf\n", "log.csv:2: a is"),
        ("t,a\n1,x\n", "log.csv:2: a is"),
    ],
)
def test_tables_that_are_refused(tmp_path, text, match):
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(sg.InputError, match=match):
        read_long_table(tmp_path / "log.csv")


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_of_an_archive(tmp_path, save):
    arrays = {
        "q": np.arange(12.0).reshape(4, 3),
        "f": np.asfortranarray(np.arange(12.0, dtype=np.float32).reshape(4, 3)),
        "n": np.arange(4),
        "none": np.zeros((0, 3)),
    }
    save(tmp_path / "log.npz", **arrays, name=np.array("text"))
    found = read_long_arrays(tmp_path / "log.npz")
    assert set(found) == set(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)


def test_what_is_no_archive(tmp_path):
    (tmp_path / "log.npz").write_text("q")
    with pytest.raises(sg.InputError, match=r"not an .npz file"):
        read_long_arrays(tmp_path / "log.npz")
    with pytest.raises(sg.InputError, match="no such file"):
        read_long_arrays(tmp_path / "other.npz")
