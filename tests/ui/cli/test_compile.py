"""`screwgraph compile`: a library for other programs, or one clear line."""

from __future__ import annotations

import json

import casadi as ca
import numpy as np
import pytest

import screwgraph as sg

C_FILES = ("CMakeLists.txt", "rr.c", "rr.h", "rr.pc.in", "screwgraph.json", "test/rr_examples.h", "test/rr_test.c")


@pytest.mark.parametrize(
    ("lang", "files"),
    [
        ("c", C_FILES),
        ("llvm", ("rr_bias.ll", "rr_forward.ll", "screwgraph.json")),
        ("ptx", ("rr_bias.ptx", "rr_forward.ptx", "screwgraph.json")),
        ("casadi", ("rr_bias.casadi", "rr_forward.casadi", "screwgraph.json")),
        ("numpy", ("rr_bias.py", "rr_forward.py", "screwgraph.json")),
    ],
)
def test_files_are_written_into_a_new_directory(command, tmp_path, lang, files):
    folder = tmp_path / "new" / "code"
    result = command("compile", "rr", "--functions", "forward,bias", "--lang", lang, "-o", folder)
    assert (result.status, result.err) == (0, "")
    written = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    assert written == sorted(files)
    assert all(str(folder / name) in result.out for name in files if name != "screwgraph.json")
    assert "forward: <forward_dynamics(" in result.out


def test_rotations_that_are_nearly_right_angles_get_a_hint_of_what_snap_saves(command, tmp_path):
    arm = """
bodies:
  - {link: one, joint: a, axis: z, mass: 1, com: [0.1, 0.2, 0.3], inertia: [0.1, 0.2, 0.3]}
  - {link: two, joint: b, axis: z, parent: one, at: [0.1, 0.2, 0.3], rpy: [%s, 0, 0], mass: 1, com: [0.1, 0.2, 0.3],
     inertia: [0.1, 0.2, 0.3]}
"""
    path, asked = tmp_path / "arm.yaml", ("--functions", "forward", "--lang", "numpy", "-o")
    counts = []
    for number, angle in enumerate(("1.5708", "pi/2", "0.3")):
        path.write_text(arm % angle)
        counts.append(sg.forward_dynamics(sg.load(path)).operations.total)
        found = command("compile", path, *asked, tmp_path / str(number)).err
        assert ("--snap 1e-05" in found) is (angle == "1.5708")
        if number == 0:
            first = found
    assert f"(forward {counts[0]} to {counts[1]})" in first
    assert command("compile", path, *asked, tmp_path / "3", "--snap", "1e-5").err.count("takes operations out") == 0


def test_the_casadi_file_loads_and_computes(command, tmp_path):
    command("compile", "rr", "--functions", "inverse", "--prefix", "arm", "--lang", "casadi", "-o", tmp_path)
    loaded = ca.Function.load(str(tmp_path / "arm_inverse.casadi"))
    state = np.random.default_rng(0).normal(size=(3, 2))
    np.testing.assert_allclose(np.array(loaded(*state)).ravel(), sg.inverse_dynamics(sg.load("rr"))(*state), rtol=1e-12)


def test_parameters_are_fields_of_a_structure(command, tmp_path):
    options = ("--parameters", "link1.mass,joint2.friction", "--payload", "tool")
    command("compile", "rrr", "--functions", "inverse,mass_matrix", "--lang", "c", "-o", tmp_path, *options)
    header = (tmp_path / "rrr.h").read_text()
    fields = header.partition("typedef struct rrr_parameters {")[2].partition("}")[0]
    inertia = [f"payload_{n}" for n in ("m", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")]
    named = [line.split()[1] for line in fields.strip().splitlines()]
    assert named == ["link1_mass;", "joint2_friction;", *(f"{n};" for n in inertia)]
    assert header.count("const rrr_parameters *parameters") == 2


def test_c_for_small_machines_computes_with_floats(command, tmp_path):
    result = command("compile", "rr", "--functions", "forward", "--lang", "c", "--dtype", "float32", "-o", tmp_path)
    assert "float32" in result.out
    assert "const float q[2]" in (tmp_path / "rr.h").read_text()
    assert "double" not in (tmp_path / "rr.c").read_text()


def test_casadi_has_no_floats(refused, tmp_path):
    line = refused(
        2, "compile", "rr", "--functions", "forward", "--lang", "casadi", "--dtype", "float32", "-o", tmp_path
    ).err
    assert "cannot be used with --lang casadi" in line


def test_the_report_lists_passes(command, tmp_path):
    out = command("compile", "rr", "--functions", "forward", "--lang", "c", "-o", tmp_path, "--report").out
    assert "inertial regrouping" in out


def test_help_shows_functions_languages_and_an_example(command):
    out = command("compile", "--help").out
    assert "Example" in out
    assert "jacobian:FRAME" in out
    assert "casadi:" in out


def test_another_export_replaces_its_own_files_only(command, refused, tmp_path):
    arguments = ("compile", "rr", "--functions", "forward,bias", "--lang", "numpy", "-o", tmp_path)
    command(*arguments)
    (tmp_path / "mine.txt").write_text("kept")
    shorter = [a if a != "forward,bias" else "forward" for a in arguments]
    assert command(*shorter).status == 0
    assert not (tmp_path / "rr_bias.py").exists()
    assert (tmp_path / "mine.txt").read_text() == "kept"
    assert json.loads((tmp_path / "screwgraph.json").read_text())["functions"] == ["forward"]
    (tmp_path / "rr_forward.py").write_text("changed by hand")
    assert "it was changed since it was written" in refused(1, *arguments).err
    assert command(*arguments, "--overwrite").status == 0
    assert "holds a library of the prefix 'rr'" in refused(1, *arguments, "--prefix", "other").err


def test_files_that_are_there_are_not_lost(refused, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text("project(mine)")
    line = refused(1, "compile", "rr", "--functions", "forward", "--lang", "c", "-o", tmp_path).err
    assert f"{tmp_path / 'CMakeLists.txt'}: the file would be lost: it is no file of an earlier export" in line
    assert [p.name for p in tmp_path.iterdir()] == ["CMakeLists.txt"]


def test_a_file_in_the_place_of_the_directory_is_refused(refused, tmp_path):
    (tmp_path / "file").write_text("")
    line = refused(1, "compile", "rr", "--functions", "forward", "--lang", "c", "-o", tmp_path / "file").err
    assert "the folder cannot be written to" in line


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--functions", "forwards"), "no function is called 'forwards' (did you mean forward"),
        (("--functions", "kinematics"), "kinematics needs the name of a link or frame"),
        (("--functions", "mass_matrix:tool"), "mass_matrix is of no frame"),
        (("--functions", "a=bias", "--functions", "a=forward"), "two functions are called 'a'"),
        (("--functions", "bias+bias"), "names a function twice"),
        (("--functions", "mass_matrix", "--ordering", "rnea"), "no function takes account of that"),
        (("--functions", "hybrid"), "hybrid needs accelerations"),
        (("--functions", "bias", "--prefix", "2d"), "the prefix '2d' is no identifier"),
        (("--functions", "bias", "--prefix", "class"), "the prefix 'class' has another meaning"),
        (("--functions", "nominal=bias"), "the function's name 'nominal' has another meaning"),
        (("--functions", "bias", "--lang", "fortran"), "fortran"),
    ],
)
def test_wrong_names_are_wrong_use(refused, tmp_path, options, complaint):
    assert complaint in refused(2, "compile", "rr", "--lang", "c", "-o", tmp_path / "x", *options).err
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--functions", "jacobian:tol"), "no frame is called 'tol'"),
        (("--functions", "jacobian:link2", "--parameters", "link1.mass"), "no function depends on 'link1.mass'"),
        (("--functions", "forward", "--parameters", "link9.mass"), "no link is called 'link9'"),
    ],
)
def test_wrong_names_of_the_robot_are_refused(refused, tmp_path, options, complaint):
    assert complaint in refused(1, "compile", "rr", "--lang", "c", "-o", tmp_path / "x", *options).err
