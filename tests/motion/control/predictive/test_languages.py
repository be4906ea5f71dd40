"""Horizons in C and in JAX: the same numbers."""

import re

import numpy as np
import pytest
from tests.api.deployment.tools import WARNINGS, done, found
from tests.motion.control.predictive.test_optima import cart_pole
from tests.motion.control.robots import feet, tripod

import screwgraph as sg
from screwgraph.compiler.backends import Library
from screwgraph.compiler.function.function_exports import library_code
from screwgraph.motion.control import stack_references
from screwgraph.tape import Routine


def test_c(tmp_path):
    compiler = found("gcc", "clang", "cc")
    control, _ = cart_pole()
    sg.export_library({"mpc": control}, tmp_path, prefix="cart")
    tests = map(str, (tmp_path / "test").glob("*.c"))
    done(compiler, "-std=c99", *WARNINGS, "-O1", "-I.", "cart.c", *tests, "-o", "t", "-lm", cwd=tmp_path)
    assert "0 numbers differ" in done("./t", cwd=tmp_path)
    assert "alloc" not in (tmp_path / "cart.c").read_text(encoding="utf-8")


def test_c_of_joints_that_feel_nothing_of_one_another(tmp_path):
    """Programs side by side that write nothing: four pendulums on one base."""
    compiler, text = found("gcc", "clang", "cc"), '<robot name="row"><link name="base"/>'
    for i in range(4):
        text += (
            f'<link name="rod{i}"><inertial><origin xyz="0 0 -0.3"/><mass value="1"/>'
            '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="hinge{i}" type="revolute"><parent link="base"/><child link="rod{i}"/><axis xyz="0 1 0"/>'
            f'<origin xyz="{i} 0 0"/><limit lower="-2" upper="2" effort="20" velocity="9"/></joint>'
        )
    row = sg.mpc(sg.load(text + "</robot>"), dt=0.01, horizon=5)
    sg.export_library({"mpc": row}, tmp_path, prefix="row")
    tests = map(str, (tmp_path / "test").glob("*.c"))
    done(compiler, "-std=c99", *WARNINGS, "-O1", "-I.", "row.c", *tests, "-o", "t", "-lm", cwd=tmp_path)
    assert "0 numbers differ" in done("./t", cwd=tmp_path)


def test_jax_has_the_same_bits():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    control, weights = cart_pole()
    state = [0.0, 2.8], [0.1, 0.0], stack_references(control, [0.0, np.pi]), weights, 0.3
    previous = control(*state, np.zeros(control.arguments[-1].shape))[4]
    arrays = [np.asarray(x, dtype=float) for x in (*state, previous)]
    for got, expected in zip(control.jax()(*arrays), control(*arrays), strict=True):
        np.testing.assert_array_equal(np.asarray(got), expected)


def test_batches_are_as_single_states():
    control, weights = cart_pole()
    rng, references = np.random.default_rng(0), stack_references(control, [0.0, np.pi])
    q, qd = [0.0, 2.8] + 0.3 * rng.standard_normal((20, 2)), 0.1 * rng.standard_normal((20, 2))
    q[7, 1] += 1e8  # vectors of sines take it by itself
    nothing = np.zeros(control.arguments[-1].shape)
    together = control(q, qd, references, weights, 0.0, nothing)
    for i in (0, 6, 7, 19):
        for whole, one in zip(together, control(q[i], qd[i], references, weights, 0.0, nothing), strict=True):
            np.testing.assert_array_equal(whole[i], one)


def test_c_takes_lanes_of_long_programs(tmp_path, monkeypatch):
    compiler = found("gcc", "clang", "cc")
    control, _ = cart_pole()
    monkeypatch.setattr("screwgraph.compiler.backends.c.routine.LARGEST", 20)
    sg.export_library({"mpc": control}, tmp_path, prefix="cart")
    assert "cart_lanes" in (tmp_path / "cart.c").read_text(encoding="utf-8")
    tests = list(map(str, (tmp_path / "test").glob("*.c")))
    text = (tmp_path / "cart.c").read_text(encoding="utf-8")
    for known in ("__GNUC__", "__AVX__", "__AVX512F__"):  # any other compiler takes one number at a time
        text = text.replace(known, "UNKNOWN")
    (tmp_path / "numbers.c").write_text(text, encoding="utf-8")
    for source, *flags in (["cart.c"], ["cart.c", "-march=native"], ["numbers.c"]):
        done(compiler, "-std=c99", *WARNINGS, *flags, "-O1", "-I.", source, *tests, "-o", "t", "-lm", cwd=tmp_path)
        assert "0 numbers differ" in done("./t", cwd=tmp_path)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_is_no_argument_begins_with_a_line_of_caches_in_c(dtype):
    listing = cart_pole()[0].astype(dtype).listing()
    text = library_code(Library("cart", (listing,)), "c")["cart.c"]
    places = [re.search(x, text) for x in (r"memory\[(\d+)\] CART_ALIGNED;", r"tau\[0\] = memory\[(\d+)\]")]
    held, shift = (int(found[1]) for found in places if found)
    numbers = sum(len(a.names) for a in listing.arguments) + sum(r.size for r in listing.results)
    assert isinstance(listing.code, Routine)
    assert held == shift + listing.code.size
    assert (shift + numbers) * np.dtype(dtype).itemsize % 64 == 0
    assert "aligned(64)" in text
    header = library_code(Library("cart", (listing,)), "c")["cart.h"]
    assert f"Its numbers take {held * np.dtype(dtype).itemsize} bytes of the stack." in header


def test_c_of_feet_has_no_warnings(tmp_path):
    """Programs side by side have inputs that they do not read: these are no numbers of the loop."""
    compiler, control = found("gcc", "clang", "cc"), sg.mpc(tripod(), 0.02, 2, contacts=feet(), rate=200)
    (tmp_path / "mpc.c").write_text(control.c_source())
    done(compiler, "-std=c99", *WARNINGS, "-fsyntax-only", "mpc.c", cwd=tmp_path)
