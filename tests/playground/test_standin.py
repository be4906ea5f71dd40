"""What stands in for NumPy in the browser, beside NumPy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from playground.bundle import own
from playground.page import urdf

import screwgraph as sg

STANDIN = Path(__file__).parents[2] / "playground" / "standin"
SETUP = """
a = np.array([[4.0, 1.0, -2.0], [1.0, 2.0, 0.5], [-2.0, 0.5, 3.0]])
b, v = np.arange(12).reshape(3, 4) * 0.5 - 2.0, np.array([1.0, -2.0, 0.5])
from scipy.linalg import qr
"""
EXPRESSIONS = [
    "a @ b", "v @ a", "a @ v", "v @ v", "b.T[1:, ::-1]", "b[1, 2]", "b[-1]", "b[:, None, 1]",
    "b[[2, 0], [1, 3]]",
    "b[b > 0.0]", "b[np.ix_([0, 2], [1, 3])]", "b[..., 1:3]", "b[[0, 2]][:, np.array([[0, 1], [2, 3]]).T]",
    "(b - v[:, None]) / 3", "1.0 / (b + 0.25)", "-b ** 2", "abs(b).max(axis=0, initial=0.0)", "b.sum(axis=1)",
    "b.mean(axis=0)",
    "np.linalg.norm(b, axis=0)", "np.linalg.norm(b)", "np.linalg.eigh(a)[0]", "np.linalg.eigvalsh(a)",
    "np.linalg.det(a)",
    "(lambda w, V: V @ np.diag(w) @ V.T)(*np.linalg.eigh(a))",
    "np.concatenate([a, b], axis=1)", "np.stack([v, v], axis=1)", "np.vstack([v, a])", "np.column_stack([v, a])",
    "np.cross(a, v)", "np.outer(v, v)", "np.diag(v)", "np.diag(a)", "np.where(b > 0, b, -1.0)", "np.clip(b, -1, 1)",
    "np.median(b)", "np.diff(b, axis=0)", "np.round(b * 1.3)", "np.sign(b)", "np.nan_to_num(np.array([np.nan, 1.0]))",
    "np.hypot(v, 2.0)", "np.arctan2(v, -1.0)", "np.exp(v)", "np.sqrt(abs(v))", "np.flatnonzero(v > 0)", "np.cumsum(v)",
    "np.argsort(v)", "b.argmax(axis=1)", "np.count_nonzero(b, axis=0)", "np.broadcast_to(v, (2, 3))", "np.eye(3, 4)",
    "np.setdiff1d(np.arange(5), [1, 3])", "np.linspace(0.0, 1.0, 5)", "np.full(3, 2.5)", "np.isfinite(1.0 / v)",
    "np.allclose(a, a.T)", "np.maximum(v, 0.0)", "np.fmod(b, 1.5)", "np.trace(a)", "np.ptp(b, axis=0)",
    "np.linalg.svd(b, compute_uv=False)", "np.linalg.svd(b.T, compute_uv=False)", "np.linalg.matrix_rank(b)",
    "(lambda U, s, Vt: U @ np.diag(s) @ Vt)(*np.linalg.svd(b, full_matrices=False))",
    "(lambda U, s, Vt: U @ np.diag(s) @ Vt)(*np.linalg.svd(b.T, full_matrices=False))",
    "(lambda U, s, Vt: U.T @ U)(*np.linalg.svd(b[:, 1:3], full_matrices=False))",
    "abs(qr(np.column_stack([v, a]), mode='r', pivoting=True)[0][:, :3])",
    "qr(np.column_stack([v, a]), mode='r', pivoting=True)[1][:3]",
    "abs(qr(np.vstack([v, a]), mode='r', pivoting=True)[0])", "qr(np.vstack([v, a]), mode='r', pivoting=True)[1]",
    "np.block([[a, b], [b.T, np.zeros((4, 4))]])", "b.reshape(2, -1).swapaxes(0, 1)",
    "(a[None] @ b[:, :, None].T[:, :1].swapaxes(1, 2)).shape",
]  # fmt: skip
DRAWS = [
    "standard_normal(3000)", "uniform(-2.0, 3.0, 5)", "choice((0.0, 1.5, 3.0), 9)", "integers(0, 7)", "random(3)",
    "uniform(-abs(v), abs(v))", "choice((0.0, 1.5), 4)", "standard_normal((2, 3))",
]  # fmt: skip


def in_standin(expressions: list[str]) -> list[object]:
    """Return what Python without packages, but with the stand-in, makes of expressions."""
    lists = "[x.tolist() if hasattr(x, 'tolist') else x for x in found]"
    program = f"""import json, sys
sys.path.insert(0, {str(STANDIN)!r})
import numpy as np
{SETUP}
rng = np.random.default_rng(20260)
found = [eval(e) for e in json.loads(sys.stdin.read())]
print(json.dumps({lists}))"""
    command = [sys.executable, "-I", "-S", "-c", program]
    done = subprocess.run(command, input=json.dumps(expressions), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def in_numpy(expressions: list[str]) -> list[object]:
    names: dict[str, object] = {"np": np}
    exec(SETUP + "rng = np.random.default_rng(20260)", names)
    return [eval(e, names) for e in expressions]


@pytest.fixture(scope="module")
def pairs():
    return dict(zip(EXPRESSIONS, zip(in_standin(EXPRESSIONS), in_numpy(EXPRESSIONS), strict=True), strict=True))


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_values_are_those_of_numpy(expression, pairs):
    found, expected = pairs[expression]
    np.testing.assert_allclose(np.array(found, dtype=float), expected, rtol=1e-12, atol=1e-13)


def test_random_numbers_are_those_of_numpy():
    drawn = [f"rng.{draw}" for draw in DRAWS]
    for found, expected in zip(in_standin(drawn), in_numpy(drawn), strict=True):
        np.testing.assert_allclose(np.array(found), expected, rtol=1e-13)


ROBOT = """<robot name="arm"><link name="base"/>
<link name="slide"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.25"/></inertial></link>
<link name="tool"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.2" izz="0.25"/></inertial>
<visual><geometry><cylinder radius="0.1" length="0.4"/></geometry></visual></link>
<joint name="rail" type="prismatic"><parent link="base"/><child link="slide"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
<joint name="hinge" type="continuous"><parent link="slide"/><child link="tool"/><axis xyz="0 1 0"/></joint></robot>"""
PROGRAM = """
import sys; sys.path.insert(0, sys.argv[1])
import json, program
from screwgraph.model.formats.load import load
session = program.Session(load(sys.argv[1] + "/" + sys.argv[2]), print)
shown = json.loads(session.described())
counts = {"forward": {}, "inverse": {}}
for question, found in counts.items():
    asked = session.asked(question)
    for order in json.loads(asked.drawn())["orders"][: int(sys.argv[3])]:
        found[order] = json.loads(asked.eliminated(order))["operations"]
print(json.dumps({"joints": [joint["name"] for joint in shown["joints"]], "counts": counts}))
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """Return the folder with all sources that the page has."""
    folder = tmp_path_factory.mktemp("page")
    for name, content in own().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.mark.cheapest
@pytest.mark.parametrize(("robot", "orders"), [("arm", 9), ("five_bar", 1)])
def test_the_program_of_the_page_shows_and_eliminates_as_the_library_without_packages(robot, orders, unpacked):
    path = unpacked / f"{robot}.urdf"
    path.write_text(ROBOT if robot == "arm" else urdf(robot))
    command = [sys.executable, "-I", "-S", "-c", PROGRAM, str(unpacked), path.name, str(orders)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found, model = json.loads(done.stdout.splitlines()[-1]), sg.load(path)
    assert found["joints"] == list(model.joint_names)
    forward = {order: sg.forward_dynamics(model, ordering=order) for order in found["counts"]["forward"]}
    assert found["counts"]["forward"] == {order: f.program.operations.total for order, f in forward.items()}
    if not model.is_closed:  # where loops are closed, the page asks for the torques of the independent joints alone
        inverse = {order: sg.inverse_dynamics(model, ordering=order) for order in found["counts"]["inverse"]}
        assert found["counts"]["inverse"] == {order: f.program.operations.total for order, f in inverse.items()}
