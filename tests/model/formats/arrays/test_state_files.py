"""Files of states: damaged ones are refused in one line, and failures leave what was saved before."""

import resource
import sys
from contextlib import contextmanager

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.formats import read_state, write_state

ARRAYS = {"x": np.linspace(0.0, 1.0, 50), "n": np.array(3), "name": np.array("window")}


@contextmanager
def full_disk():
    """Let no file grow beyond 64 bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.fixture
def path(tmp_path):
    write_state(tmp_path / "state.npz", ARRAYS)
    return tmp_path / "state.npz"


def refused(path, match="state"):
    with pytest.raises(sg.InputError, match=match) as caught:
        read_state(path, "saved smoother")
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_state_comes_back_to_the_last_digit(path):
    found = read_state(path, "saved smoother")
    assert found.keys() == ARRAYS.keys()
    assert all(np.array_equal(found[name], ARRAYS[name]) for name in ARRAYS)


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
def test_a_full_disk_leaves_the_state_of_before(path):
    with full_disk(), pytest.raises(sg.InputError, match="cannot be written: File too large"):
        write_state(path, {"x": np.ones(50)})
    assert np.array_equal(read_state(path, "saved smoother")["x"], ARRAYS["x"])
    assert [p.name for p in path.parent.iterdir()] == ["state.npz"]


def test_a_link_leads_to_the_file_that_is_replaced(path):
    link = path.with_name("link.npz")
    link.symlink_to(path)
    write_state(link, {"x": np.ones(2)})
    assert link.is_symlink()
    assert np.array_equal(read_state(path, "saved smoother")["x"], [1.0, 1.0])


@pytest.mark.parametrize("part", [0.0, 0.01, 0.3, 0.7, 0.95, 0.999])
def test_a_file_that_was_cut_is_refused(path, part):
    data = path.read_bytes()
    path.write_bytes(data[: int(part * len(data))])
    refused(path)


def outcome(path):
    """Return the arrays that are read, or the error."""
    try:
        return read_state(path, "saved smoother")
    except sg.InputError as error:
        return str(error)


def test_any_changed_byte_is_refused_or_changes_nothing(path):
    data = path.read_bytes()
    for place in range(0, len(data), 7):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x20]) + data[place + 1 :])
        found = outcome(path)  # times of the archive are bytes that no number is read from
        same = isinstance(found, dict) and all(np.array_equal(found[name], ARRAYS[name]) for name in ARRAYS)
        assert same or "\n" not in found


def test_numbers_of_another_state_do_not_fit_its_checksum(path):
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    np.savez(path, **{**arrays, "x": arrays["x"] + 1e-9})
    refused(path, "is damaged: its numbers are not those of its checksum")
    np.savez(path, x=arrays["x"])
    refused(path, "it has no checksum")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_states_that_are_not_finite_replace_none(path, bad):
    with pytest.raises(sg.InputError, match=r"x of the state .* is not finite"):
        write_state(path, {"x": np.array([1.0, bad])})
    assert np.array_equal(read_state(path, "saved smoother")["x"], ARRAYS["x"])


def test_what_is_no_file_is_refused(tmp_path):
    refused(tmp_path / "none.npz", "there is no such file")
    refused(tmp_path, "this is a directory")
