"""The step with contacts in other languages: the same loop of sweeps, the same numbers."""

import json
import shutil
import subprocess

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.backends.reference_results import make_reference
from screwgraph.compiler.function.function_exports import export_function
from tests.motion.simulation.contacts.bodies import feet, quadruped, standing

LEGS = "ad"
"""Two legs across, on which a body stands for a while: compilers of C take a third of the time of four."""
ROBOT = quadruped(names=LEGS)


def step_and_state():
    """Return the function of a step, and arguments at which feet touch the ground."""
    simulator = sg.Simulator(ROBOT, 1e-3, standing(ROBOT, 0.33), contacts=feet(LEGS, friction=0.3))
    simulator.step(steps=20)
    assert simulator.forces[:, 2].min() > 0.0
    numbers = np.concatenate([contact.values for contact in feet(LEGS, friction=0.3)])
    return simulator.function, (
        simulator.q,
        simulator.qd,
        np.zeros(ROBOT.nv),
        [1e-3],
        numbers,
        simulator.forces,
    )


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_c_has_the_same_numbers(tmp_path):
    function, _ = step_and_state()
    sg.export_library({"step": function}, tmp_path, prefix="legs")
    build = [
        "gcc",
        "-O0",
        "-std=c99",
        "-I.",
        "legs.c",
        *map(str, (tmp_path / "test").glob("*.c")),
        "-lm",
        "-o",
        "check",
    ]
    subprocess.run(build, cwd=tmp_path, check=True)
    said = subprocess.run(["./check"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert "0 numbers differ" in said
    assert "alloc" not in (tmp_path / "legs.c").read_text(encoding="utf-8")


def test_jax_has_the_same_bits():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    function, state = step_and_state()
    for found, expected in zip(function.jax()(*map(np.asarray, state)), function(*state), strict=True):
        np.testing.assert_array_equal(np.asarray(found), expected)


def test_numbers_are_named_by_their_contacts():
    toes = [*feet(LEGS), sg.Contact("d_calf", at=(0.01, 0.0, -0.2))]
    q = standing(ROBOT)
    simulator = sg.Simulator(ROBOT, 1e-3, q, contacts=toes, external_wrenches=["body"], parameters=["ground"])
    function = simulator.function
    names = {argument.name: argument.names for argument in function.arguments}
    laws = ("friction", "restitution", "compliance", "damping")
    frames = ("a_calf", "d_calf[0]", "d_calf[1]")
    assert names["contacts"] == tuple(f"{law}:{frame}" for frame in frames for law in laws)
    assert names["ground"][4:8] == tuple(f"{x}:d_calf[0]" for x in ("normal_x", "normal_y", "normal_z", "height"))
    assert names["forces"][:3] == ("force_x:a_calf", "force_y:a_calf", "force_z:a_calf")
    assert names["external_wrenches"][5] == "external_wrenches:body[5]"
    assert {r.name: r.names for r in function.results}["gaps"] == tuple(f"gap:{frame}" for frame in frames)


@pytest.mark.parametrize("contacts", [(), feet(LEGS)], ids=["free", "standing"])
def test_exported_steps_take_quaternions_of_any_length(contacts):
    """As headers say. Python's step takes them as they are: its derivatives are by a quaternion's four numbers."""
    q = standing(ROBOT, 0.3)
    q[3:7] = np.array([0.1, 0.2, 0.05, 1.0]) / np.linalg.norm([0.1, 0.2, 0.05, 1.0])
    simulator = sg.Simulator(ROBOT, 1e-3, q, contacts=contacts)
    code = export_function(simulator.function, "step").code
    more = [x for c in contacts for x in c.values] + [0.0] * 3 * len(contacts)

    def step(length):
        longer = np.concatenate([q[:3], length * q[3:7], q[7:]])
        return np.array(code.evaluate([*longer, *(0.3 * np.ones(ROBOT.nv)), *np.zeros(ROBOT.nv), 1e-3, *more]))

    np.testing.assert_allclose(step(2.5), step(1.0), rtol=0, atol=1e-9)


def test_states_at_which_libraries_are_tried_touch_and_slide():
    """Each obeys the laws: forces within cones, and at least one state at each of a cone's edge and its inside."""
    function, _ = step_and_state()
    tried = make_reference(export_function(function, "step"))
    given = dict(zip((a.name for a in function.arguments), tried.inputs, strict=True))
    forces = tried.outputs[2].reshape(4, -1, 3)
    mu, normal = given["contacts"].reshape(4, -1, 4)[..., 0], forces[..., 2]
    along = np.linalg.norm(forces[..., :2], axis=-1)
    assert (normal > 0.0).any(axis=1).sum() >= 3
    assert (along <= mu * normal + 1e-6 * normal.max()).all()
    edges = normal > 0.0
    assert (along[edges] > 0.999 * mu[edges] * normal[edges]).any()
    assert (along[edges] < 0.9 * mu[edges] * normal[edges]).any()


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js")
def test_webassembly_walks_as_the_simulator_does(tmp_path):
    """Fifty steps in Node.js, states and forces handed on from step to step."""
    function, state = step_and_state()
    sg.export_library({"step": function}, tmp_path, prefix="legs", language="wasm")
    flat = [np.ravel(x).tolist() for x in state]
    (tmp_path / "walk.mjs").write_text(
        'import { legs_step } from "./legs.mjs";\n'
        f"let [q, qd, tau, dt, laws, forces] = {json.dumps(flat)};\n"
        "for (let k = 0; k < 50; k++) {\n"
        "  const next = legs_step(q, qd, tau, dt, laws, forces);\n"
        "  q = [...next.q]; qd = [...next.qd]; forces = [...next.forces].flat();\n"
        "}\n"
        "console.log(JSON.stringify([q, qd, forces]));\n",
        encoding="utf-8",
    )
    said = subprocess.run(["node", "walk.mjs"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    q, qd, tau, dt, laws, forces = map(np.asarray, state)
    for _ in range(50):
        q, qd, forces, *_ = function(q, qd, tau, dt, laws, forces)
    for found, expected in zip(json.loads(said), (q, qd, np.ravel(forces)), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="there is no assembler of PTX")
def test_kernels_are_accepted_by_the_assembler(tmp_path):
    function, _ = step_and_state()
    sg.export_library({"step": function}, tmp_path, prefix="legs", language="ptx")
    (kernel,) = tmp_path.glob("*.ptx")
    assembled = tmp_path / "legs.cubin"
    subprocess.run(["ptxas", "-arch=sm_90", "-O1", str(kernel), "-o", str(assembled)], check=True)
    assert assembled.stat().st_size > 1000
