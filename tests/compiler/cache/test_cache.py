"""Functions from the cache are the functions that were kept, and what cannot be believed is made anew."""

from __future__ import annotations

import errno
import os
import stat
import sys
import warnings

import numpy as np
import pytest

import screwgraph as sg
from tests.compiler.caches import entries, is_whole

STATE = np.random.default_rng(0).normal(size=(3, 5, 2))
posix = pytest.mark.skipif(sys.platform == "win32", reason="files have other owners there")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache that is not there yet."""
    path = tmp_path / "cache"
    monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", str(path))
    return path


@pytest.fixture
def nothing_is_made(monkeypatch):
    """Call it, and from then on nothing is eliminated or compiled."""

    def refused(*_):
        raise AssertionError("this should have come from the cache")

    def forbid():
        monkeypatch.setattr("screwgraph.compiler.compile.eliminate", refused)
        monkeypatch.setattr("screwgraph.compiler.schur_complement.eliminate_rows", refused)
        monkeypatch.setattr("screwgraph.compiler.derivatives.derivative_code.differentiate_program", refused)
        monkeypatch.setattr("llvmlite.binding.create_pass_builder", refused)

    return forbid


def answer() -> np.ndarray:
    return sg.forward_dynamics(sg.load("rr"))(*STATE)


@pytest.fixture(scope="module")
def right():
    return answer()


def test_a_function_is_found_again_bit_for_bit(folder, nothing_is_made):
    first = sg.forward_dynamics(sg.load("rr"))
    result = first(*STATE)
    nothing_is_made()
    again = sg.forward_dynamics(sg.load("rr"))
    assert again.program == first.program
    assert repr(again) == repr(first)
    np.testing.assert_array_equal(again(*STATE), result)
    assert again.c_source() == first.c_source()
    assert again.llvm_source() == first.llvm_source()


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        (sg.inverse_dynamics, 3),
        (sg.bias_forces, 2),
        (sg.mass_matrix, 1),
        (lambda robot: sg.hybrid_dynamics(robot, ["joint1"]), 3),
        (lambda robot: sg.forward_dynamics(robot).jacobian("q"), 3),
    ],
)
def test_every_kind_of_function_is_found_again(folder, nothing_is_made, make, arguments):
    expected = make(sg.load("rr"))(*STATE[:arguments])
    nothing_is_made()
    np.testing.assert_array_equal(make(sg.load("rr"))(*STATE[:arguments]), expected)


def test_what_people_ask_about_a_function_from_the_cache_is_made_when_they_ask(folder):
    first = sg.forward_dynamics(sg.load("rr"))
    again = sg.forward_dynamics(sg.load("rr"))
    assert again.algorithm() == first.algorithm()
    assert again.report() == first.report()


def test_sines_of_huge_angles_find_the_c_library_from_a_kept_object(folder, nothing_is_made):
    far = STATE + np.array([[[1e7]], [[0.0]], [[0.0]]])
    expected = sg.forward_dynamics(sg.load("rr"))(*far)
    nothing_is_made()
    np.testing.assert_array_equal(sg.forward_dynamics(sg.load("rr"))(*far), expected)


def test_an_impossible_order_is_refused_every_time(folder):
    for _ in range(2):
        with pytest.raises(sg.EliminationError, match="leaves out"):
            sg.inverse_dynamics(sg.load("rr"), ordering=["tau"])
    assert entries(folder) == []


@pytest.mark.parametrize("kind", [".program", ".object"])
def test_a_flipped_bit_anywhere_is_noticed_and_mended(folder, kind, right):
    answer()
    (entry,) = (e for e in entries(folder) if e.suffix == kind)
    whole = entry.read_bytes()
    for position in np.linspace(0, len(whole) - 1, 9, dtype=int):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << (position % 8)
        entry.write_bytes(damaged)
        np.testing.assert_array_equal(answer(), right)
        assert entry.read_bytes() == whole


@pytest.mark.parametrize("content", [b"", b"screwgraph cache 1\n", b"\x7fELF somebody else's file"])
def test_what_is_cut_short_or_foreign_is_made_anew(folder, content, right):
    answer()
    assert {entry.suffix for entry in entries(folder)} == {".program", ".object"}
    for entry in entries(folder):
        whole = entry.read_bytes()
        for damaged in (content, whole[: len(whole) // 2], whole + b"\0"):
            entry.write_bytes(damaged)
            np.testing.assert_array_equal(answer(), right)
            assert entry.read_bytes() == whole


def test_an_entry_under_another_name_is_not_believed(folder, right):
    sg.inverse_dynamics(sg.load("rr"))(*STATE)
    strange = {entry.suffix: entry.read_bytes() for entry in entries(folder)}
    before = set(entries(folder))
    answer()
    added = set(entries(folder)) - before
    assert len(added) == len(strange) == 2
    for entry in added:
        entry.write_bytes(strange[entry.suffix])
        np.testing.assert_array_equal(answer(), right)


@posix
def test_the_folder_is_the_users_alone(folder):
    answer()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in entries(folder)} == {0o600}


@posix
@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_folder_that_others_may_write_to_is_not_used(folder, mode, right):
    folder.mkdir()
    folder.chmod(mode)
    with pytest.warns(RuntimeWarning, match="other users may write to it") as said:
        np.testing.assert_array_equal(answer(), right)
    assert "SCREWGRAPH_CACHE_DIR" in str(said[0].message)
    assert list(folder.iterdir()) == []


@posix
def test_another_users_folder_is_not_used(folder, monkeypatch, right):
    answer()
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        np.testing.assert_array_equal(answer(), right)


@posix
@pytest.mark.parametrize("spoil", [lambda entry: entry.chmod(0o666), lambda entry: os.chown(entry, 12345, 12345)])
def test_an_entry_that_others_could_have_written_is_not_used_but_replaced(folder, spoil, right):
    answer()
    for entry in entries(folder):
        try:
            spoil(entry)
        except PermissionError:
            pytest.skip("only root gives files away")
    with pytest.warns(RuntimeWarning, match="an entry of the cache is not used"):
        np.testing.assert_array_equal(answer(), right)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(answer(), right)


@posix
def test_a_link_to_a_file_elsewhere_is_not_followed(folder, tmp_path, right):
    answer()
    for entry in entries(folder):
        elsewhere = tmp_path / entry.name
        entry.rename(elsewhere)
        entry.symlink_to(elsewhere)
    np.testing.assert_array_equal(answer(), right)
    assert not any(entry.is_symlink() for entry in entries(folder))


@posix
def test_a_pipe_in_place_of_an_entry_is_not_waited_for(folder, right):
    answer()
    for entry in entries(folder):
        entry.unlink()
        os.mkfifo(entry)
    with pytest.warns(RuntimeWarning, match="it is no file"):
        np.testing.assert_array_equal(answer(), right)
    assert all(entry.is_file() for entry in entries(folder))


def test_a_full_disk_is_told_and_the_function_works(folder, monkeypatch, right):
    class Full:
        def __init__(self, descriptor):
            self.descriptor = descriptor

        def __enter__(self):
            return self

        def __exit__(self, *_):
            os.close(self.descriptor)

        def write(self, data):
            os.write(self.descriptor, data[:100])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    real = os.fdopen
    monkeypatch.setattr(os, "fdopen", lambda fd, mode: real(fd, mode) if mode == "rb" else Full(fd))
    with pytest.warns(RuntimeWarning, match="cannot be kept: No space left on device"):
        np.testing.assert_array_equal(answer(), right)
    assert list(folder.iterdir()) == []


def test_a_read_only_folder_is_told_and_still_read(folder, monkeypatch, right):
    answer()
    entries(folder)[0].unlink()
    real = os.open

    def read_only(path, flags=os.O_CREAT, *rest):
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, flags, *rest)

    monkeypatch.setattr(os, "open", read_only)
    monkeypatch.setattr(os, "utime", read_only)
    with pytest.warns(RuntimeWarning, match="cannot be kept: Read-only file system"):
        np.testing.assert_array_equal(answer(), right)
    assert len(entries(folder)) == 1


def test_a_path_that_cannot_be_a_folder_is_told(tmp_path, monkeypatch, right):
    (tmp_path / "file").write_text("not a folder")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", str(path))
        with pytest.warns(RuntimeWarning, match="the cache of compiled code is not used") as caught:
            np.testing.assert_array_equal(answer(), right)
        assert not any("Errno" in str(warning.message) for warning in caught)


@pytest.mark.parametrize("off", ["0", "off", "OFF", " no "])
def test_it_can_be_switched_off(folder, monkeypatch, off, right):
    monkeypatch.setenv("SCREWGRAPH_CACHE", off)
    np.testing.assert_array_equal(answer(), right)
    assert not folder.exists()


def test_it_is_the_platforms_folder_for_caches_unless_told(tmp_path, monkeypatch):
    import platformdirs

    from screwgraph.compiler.cache.store import cache_folder

    monkeypatch.delenv("SCREWGRAPH_CACHE_DIR")
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name, **_: tmp_path / name)
    assert cache_folder() == tmp_path / "screwgraph"


def test_other_sources_ask_other_questions(folder, monkeypatch):
    answer()
    assert len(entries(folder)) == 2
    monkeypatch.setattr("screwgraph.compiler.cache.lookup.digest_sources", lambda **_: b"another version")
    answer()
    assert len(entries(folder)) == 4
    assert all(is_whole(entry) for entry in entries(folder))
