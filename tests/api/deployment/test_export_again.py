"""A library that is exported again: files that it no longer has go, those that somebody changed stay."""

import pytest

import screwgraph as sg
from screwgraph.api.deployment import export

WHAT = {"prefix": "arm", "language": "c"}


def write(folder, files, **options):
    return export._write_library(folder, files, options.pop("what", WHAT), options.pop("overwrite", False))


def test_files_that_are_no_longer_made_go(tmp_path):
    write(tmp_path, {"arm.c": "first", "old/arm.h": "head", "touched.h": "head"})
    (tmp_path / "touched.h").write_text("mine")
    (tmp_path / "notes.txt").write_text("mine")
    write(tmp_path, {"arm.c": "second"})
    assert (tmp_path / "arm.c").read_text() == "second"
    assert not (tmp_path / "old" / "arm.h").exists()
    assert (tmp_path / "touched.h").read_text() == "mine"
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_what_somebody_changed_is_not_lost(tmp_path):
    write(tmp_path, {"arm.c": "first"})
    (tmp_path / "arm.c").write_text("changed")
    with pytest.raises(sg.InputError, match="changed since it was written"):
        write(tmp_path, {"arm.c": "second"})
    write(tmp_path, {"arm.c": "changed"})  # it is what stands there
    write(tmp_path, {"arm.c": "third"}, overwrite=True)
    (tmp_path / "arm.h").write_text("of somebody")
    with pytest.raises(sg.InputError, match="no file of an earlier export"):
        write(tmp_path, {"arm.c": "third", "arm.h": "head"})
    with pytest.raises(sg.InputError, match="a library of the language 'c'"):
        write(tmp_path, {"arm.c": "third"}, what={**WHAT, "language": "cpp"})
    assert (tmp_path / "arm.c").read_text() == "third"


@pytest.mark.parametrize("is_absolute", [False, True])
def test_a_record_that_names_files_elsewhere_is_none(tmp_path, is_absolute):
    outside = tmp_path / "arm.c"
    path = outside.as_posix() if is_absolute else "../arm.c"
    outside.write_text("of somebody")
    folder = tmp_path / "library"
    write(folder, {"arm.c": "first"})
    record = folder / export.RECORD
    text = record.read_text().replace('"arm.c"', f'"{path}"')
    record.write_text(text.replace(export._sum(b"first"), export._sum(b"of somebody")))
    write(folder, {"arm.c": "first"})
    assert outside.read_text() == "of somebody"
