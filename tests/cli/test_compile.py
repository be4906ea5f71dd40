"""`screwgraph compile`: files for other programs, or one clear line."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import screwgraph as sg


@pytest.mark.parametrize(("lang", "suffixes"), [("c", (".c", ".h")), ("llvm", (".ll",)), ("casadi", (".casadi",))])
def test_files_are_written_into_a_new_directory(command, tmp_path, lang, suffixes):
    folder = tmp_path / "new" / "code"
    result = command("compile", "rr", "--problem", "forward", "--lang", lang, "-o", folder)
    assert (result.status, result.err) == (0, "")
    assert sorted(p.name for p in folder.iterdir()) == sorted(f"forward_dynamics{s}" for s in suffixes)
    assert all(str(folder / f"forward_dynamics{s}") in result.out for s in suffixes)


def test_the_casadi_file_loads_and_computes(command, tmp_path):
    command("compile", "rr", "--problem", "inverse", "--lang", "casadi", "-o", tmp_path)
    loaded = ca.Function.deserialize((tmp_path / "inverse_dynamics.casadi").read_text())
    state = np.random.default_rng(0).normal(size=(3, 2))
    np.testing.assert_allclose(np.array(loaded(*state)).ravel(), sg.inverse_dynamics(sg.load("rr"))(*state), rtol=1e-12)


def test_parameters_are_an_argument(command, tmp_path):
    options = ("--parameters", "link1.mass,joint2.friction", "--payload", "tool")
    command("compile", "rrr", "--problem", "inverse", "--lang", "c", "-o", tmp_path, *options)
    assert "const double parameters[12]" in (tmp_path / "inverse_dynamics.h").read_text()


def test_c_for_small_machines_computes_with_floats(command, tmp_path):
    result = command("compile", "rr", "--problem", "forward", "--lang", "c", "--dtype", "float32", "-o", tmp_path)
    assert "float32" in result.out
    code = (tmp_path / "forward_dynamics.c").read_text()
    assert "const float q[2]" in code
    assert "double" not in code


def test_casadi_has_no_floats(refused, tmp_path):
    line = refused(
        2, "compile", "rr", "--problem", "forward", "--lang", "casadi", "--dtype", "float32", "-o", tmp_path
    ).err
    assert "cannot be used with --lang casadi" in line


def test_the_report_lists_passes(command, tmp_path):
    out = command("compile", "rr", "--problem", "forward", "--lang", "c", "-o", tmp_path, "--report").out
    assert "inertial regrouping" in out


def test_help_shows_an_example(command):
    assert "Example" in command("compile", "--help").out


def test_a_file_in_the_place_of_the_directory_is_refused(refused, tmp_path):
    (tmp_path / "file").write_text("")
    line = refused(1, "compile", "rr", "--problem", "forward", "--lang", "c", "-o", tmp_path / "file").err
    assert "the folder cannot be created" in line


def test_an_unknown_language_is_wrong_use(refused, tmp_path):
    assert "fortran" in refused(2, "compile", "rr", "--problem", "forward", "--lang", "fortran", "-o", tmp_path).err
