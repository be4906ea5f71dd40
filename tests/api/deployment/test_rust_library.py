"""The crate compiles without warnings and without the standard library, and passes its own tests."""

from __future__ import annotations

import pytest

import screwgraph as sg
from screwgraph.api.deployment import Choice, asked_functions
from tests.api.deployment.tools import done, found

RUST = ("rustc", "--edition", "2021", "-D", "warnings")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_crate_tests_itself(tmp_path, dtype):
    found("rustc")
    choice = Choice(parameters=("panda_joint2.armature",), payload="panda_hand_tcp")
    names = ("forward",) if dtype == "float64" else ("control=inverse+kinematics:panda_hand_tcp", "potential_energy")
    made = {name: f.astype(dtype) for name, f in asked_functions(sg.load("panda"), names, choice).items()}
    sg.export_library(made, tmp_path, prefix="arm", language="rust")
    options = ("--crate-type", "rlib", "--crate-name", "arm")
    done(*RUST, *options, "src/lib.rs", cwd=tmp_path)
    done(*RUST, "--test", "--extern", "arm=libarm.rlib", "tests/examples.rs", "-o", "t", cwd=tmp_path)
    assert f"{len(made)} passed" in done("./t", cwd=tmp_path)


def test_no_function_is_so_long_that_the_compiler_overflows():
    source = sg.forward_dynamics(sg.load("panda")).jacobian("q", "qd", "tau").code("rust")["src/lib.rs"]
    assert source.count("let v") > 5000
    assert max(part.count("let v") for part in source.split("fn ")) <= 1000


def test_the_crate_does_without_a_c_library(tmp_path):
    found("rustc")
    sg.export_library({"mass_matrix": sg.mass_matrix(sg.load("rrr"))}, tmp_path, prefix="arm", language="rust")
    (tmp_path / "libm.rs").write_text("pub fn sin(x: f64) -> f64 { x.sin() }\npub fn cos(x: f64) -> f64 { x.cos() }\n")
    (tmp_path / "libm.rs").write_text((tmp_path / "libm.rs").read_text() + MORE)
    done(*RUST, "--crate-type", "rlib", "libm.rs", cwd=tmp_path)
    options = ("--crate-type", "rlib", "--crate-name", "arm", "--cfg", 'feature="libm"', "-L", ".")
    done(*RUST, *options, "--extern", "libm=liblibm.rlib", "src/lib.rs", cwd=tmp_path)
    linked = ("--test", "-L", ".", "--extern", "arm=libarm.rlib", "tests/examples.rs", "-o", "t")
    done(*RUST, *linked, cwd=tmp_path)
    assert "1 passed" in done("./t", cwd=tmp_path)


MORE = "pub fn fabs(x: f64) -> f64 { x.abs() }\npub fn floor(x: f64) -> f64 { x.floor() }\n"
MORE += "pub fn fmod(x: f64, y: f64) -> f64 { x % y }\n"


def test_cargo_builds_the_crate(tmp_path):
    cargo = found("cargo")
    sg.export_library({"bias": sg.bias_forces(sg.load("rr"))}, tmp_path, prefix="arm", language="rust")
    said = done(cargo, "test", "--offline", "--quiet", cwd=tmp_path)
    assert "1 passed" in said
    assert said.count("test result") == 1  # no target without tests comes after it
