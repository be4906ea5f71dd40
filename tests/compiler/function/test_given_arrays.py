"""Arrays as users bring them: other types of numbers, odd strides, results that would overwrite each other."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import screwgraph as sg

RNG = np.random.default_rng(0)
Q, QD, TAU = RNG.normal(size=(3, 60, 2))
ROBOT = sg.load("rr")


@pytest.fixture(scope="module")
def f():
    return sg.forward_dynamics(ROBOT)


@pytest.fixture(scope="module")
def step():
    """A function of two results."""
    return sg.Simulator(ROBOT).function


@pytest.fixture(scope="module")
def right(f):
    """The answer to Q, QD, TAU, sample by sample: closed form of two point-like links would be as good."""
    M, h = sg.mass_matrix(ROBOT)(Q), sg.bias_forces(ROBOT)(Q, QD)
    return np.linalg.solve(M, (TAU - h)[..., None])[..., 0]


def objects(of):
    return np.array([[of(x) for x in row] for row in Q], dtype=object)


READ_ONLY = Q.copy()
READ_ONLY.setflags(write=False)
SAME = {
    "objects that are floats": objects(float),
    "objects that are numbers of NumPy": objects(np.float64),
    "fractions": objects(Fraction),
    "read-only": READ_ONLY,
    "columns first": np.asfortranarray(Q),
    "every second row": np.repeat(Q, 2, axis=0)[::2],
    "part of rows": np.concatenate([Q, Q], axis=1)[:, 2:],
    "backwards": Q[::-1].copy()[::-1],
    "big endian": Q.astype(">f8"),
    "long double": Q.astype(np.longdouble),
    "unaligned": np.frombuffer(b"-" + Q.tobytes(), dtype="u1")[1:].view("f8").reshape(Q.shape),
    "lists": Q.tolist(),
    "a masked array without masked numbers": np.ma.masked_array(Q, mask=np.zeros(Q.shape, bool)),
}


@pytest.mark.parametrize("name", SAME)
def test_numbers_of_any_real_type_and_order_in_memory_are_the_same(f, right, name):
    values = SAME[name]
    np.testing.assert_allclose(f(values, QD, TAU), right, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(f(values[0], QD[0], TAU[0]), right[0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", ["f4", "f2", "i8", "?"])
def test_narrower_numbers_are_widened(f, dtype):
    narrow = Q.astype(dtype)
    np.testing.assert_array_equal(f(narrow, QD, TAU), f(narrow.astype(float), QD, TAU))


@pytest.mark.parametrize("shape", [(0, 2), (3, 0, 2), (0, 3, 2)])
def test_batches_of_nothing_have_answers_of_nothing(f, shape):
    assert f(np.zeros(shape), np.zeros(2), np.zeros(2)).shape == shape


NONE = {
    "complex numbers": Q.astype(complex),
    "texts": Q.astype(str),
    "bytes": Q.astype(bytes),
    "None among objects": np.array([[None, 1.0]] * 3, dtype=object),
    "a text among objects": np.array([["a", 1.0]] * 3, dtype=object),
    "complex among objects": np.array([[1j, 1.0]] * 3, dtype=object),
    "decimals": objects(lambda x: Decimal(str(x))),
    "whole numbers beyond all floats": np.array([[10**400, 1]] * 3, dtype=object),
    "dates": np.zeros((3, 2), "M8[s]"),
    "durations": np.zeros((3, 2), "m8[s]"),
    "records": np.zeros((3, 2), [("a", "f8"), ("b", "f8")]),
    "rows of different lengths": [[0.1], [0.1, 0.2]],
}


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_array_of_real_numbers_is_refused_in_one_line(f, name):
    with pytest.raises(
        sg.InputError, match=r"forward_dynamics: q is not an array of real numbers|has the shape"
    ) as one:
        f(NONE[name], QD[0], TAU[0])
    assert "\n" not in str(one.value)
    with pytest.raises(sg.InputError):
        f(NONE[name][0], QD[0], TAU[0])


def test_masked_numbers_are_refused(f):
    masked = np.ma.masked_array(Q, mask=Q > 1.0)
    for values in (masked, masked[int(np.argmax((Q > 1.0).any(axis=1)))]):
        with pytest.raises(sg.InputError, match="numbers of an argument are masked"):
            f(values, QD[0], TAU[0])
        with pytest.raises(sg.InputError, match="numbers of an argument are masked"):
            f.few(values, QD[0], TAU[0])


def shared():
    """Yield pairs of arrays (60, 2) that share memory."""
    one, long, wide = np.empty((60, 2)), np.empty((61, 2)), np.empty((60, 3))
    yield one, one
    yield one, one[::-1]
    yield one, one.view()
    yield long[:60], long[1:]
    yield wide[:, :2], wide[:, 1:]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("pair", list(shared()))
def test_results_that_share_memory_are_refused(step, pair, threads):
    for into, values in ((pair, (Q, QD, TAU)), ((pair[0][5], pair[1][5]), (Q[0], QD[0], TAU[0]))):
        if np.shares_memory(*into):
            with pytest.raises(sg.InputError, match=r"step: the arrays in out for 'q' and 'qd' share memory"):
                step(*values, np.array([1e-3]), out=into, threads=threads)


def test_views_that_do_not_overlap_are_results(step):
    expected = step(Q, QD, TAU, np.array([1e-3]))
    both = np.empty((60, 4))
    step(Q, QD, TAU, np.array([1e-3]), out=(both[:, ::2], both[:, 1::2]))
    np.testing.assert_array_equal(both[:, ::2], expected[0])
    np.testing.assert_array_equal(both[:, 1::2], expected[1])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shift", [0, 1, 2, 3, 120, 121])
def test_results_may_overlap_arguments(f, shift, threads):
    """What an argument held before is what counts."""
    values, memory = np.tile(Q, (10, 1)), np.zeros(1200 + 121)
    expected = f(values, QD[0], TAU[0])
    memory[:1200] = values.ravel()
    found = f(
        memory[:1200].reshape(-1, 2), QD[0], TAU[0], out=memory[shift : 1200 + shift].reshape(-1, 2), threads=threads
    )
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["panda", "a1"])
def test_results_of_one_state_may_be_its_arguments(name):
    robot = sg.load(name)
    step = sg.Simulator(robot, method="semi_implicit").function
    q, qd = robot.neutral() + 0.1, RNG.normal(size=robot.nv)
    expected = step(q, qd, np.zeros(robot.nv), np.array([1e-3]))
    for swapped in (False, robot.nq == robot.nv):
        state = [q.copy(), qd.copy()]
        step(*state, np.zeros(robot.nv), np.array([1e-3]), out=tuple(state[::-1] if swapped else state))
        for found, right in zip(state[::-1] if swapped else state, expected, strict=True):
            np.testing.assert_array_equal(found, right)


def test_a_result_with_several_numbers_at_one_place_is_refused(f):
    folded = np.lib.stride_tricks.as_strided(np.zeros(80), (60, 2), (8, 8))
    for out in (folded, np.lib.stride_tricks.as_strided(np.zeros(2), (60, 2), (0, 8)), np.broadcast_to(0.0, (60, 2))):
        with pytest.raises(sg.InputError, match="several numbers at one place in memory"):
            f(Q, QD, TAU, out=out)
    apart = np.lib.stride_tricks.as_strided(np.zeros(400), (60, 2), (24, 8))
    np.testing.assert_array_equal(f(Q, QD, TAU, out=apart), f(Q, QD, TAU))


@pytest.mark.parametrize("question", [sg.kinetic_energy, sg.potential_energy])
def test_scalars_are_packed_to_one_number(question):
    g = question(ROBOT)
    values = (Q, QD)[: len(g.arguments)]
    packed = g.packed()
    np.testing.assert_array_equal(packed(*values), g(*values)[:, None])
    np.testing.assert_array_equal(g.sparsities[0].dense(packed(*values)), g(*values))
    assert packed.results[0].names == (g.results[0].name,)


NEGATIVE = [
    ({"link2.mass": -1.0}, r"parameter 'link2.mass' is -1: it cannot be negative"),
    ({"joint1.damping": -0.1}, r"'joint1.damping' is -0.1"),
    ({"joint2.armature": [[0.1], [-2.0]]}, r"'joint2.armature' is -2"),
    ({"payload": [-1.0, *np.zeros(9)]}, r"the mass of parameter 'payload' is -1"),
    ({"link2.mass": np.nan}, r"'link2.mass' is not finite"),
    ({"joint1.damping": np.inf}, r"'joint1.damping' is not finite"),
]


@pytest.mark.parametrize(("values", "complaint"), NEGATIVE)
def test_live_parameters_that_no_robot_has_are_refused(values, complaint):
    names = ["link2.mass", "joint1.damping", "joint2.armature"]
    g = sg.forward_dynamics(ROBOT, parameters=names, payload="link2")
    for ask in (g.with_parameters, g.parameter_vector):
        with pytest.raises(sg.InputError, match=complaint):
            ask(values)
    vector = g.parameter_vector({})
    vector[0] = -1.0
    with pytest.raises(sg.InputError, match=r"'link2.mass' is -1"):
        g.with_parameters(vector)
    simulator = sg.Simulator(ROBOT, parameters=names, payload="link2")
    with pytest.raises(sg.InputError, match=complaint):
        simulator.set_parameters(values)
    with pytest.raises(sg.InputError, match=complaint):
        sg.rollout(ROBOT, time=0.01, parameters=values, payload="link2" if "payload" in values else None)


@pytest.mark.parametrize("loop", [(), (1,), (7,), (9,), (3, 40)])
def test_negative_parameters_in_a_vector_are_refused_by_every_call(loop):
    names = ["link2.mass", "joint1.damping", "link1", "joint2.origin"]
    g = sg.forward_dynamics(ROBOT, parameters=names, payload="link2")
    values, given = (Q[0], QD[0], TAU[0]), np.broadcast_to(g.parameter_vector({}), (*loop, 28))
    calls = [g, g.few, g.setting, g.astype("float32"), g.jacobian("q"), lambda *x: g(*x, threads=2)]
    calls += [lambda *x: g(*x, out=np.empty((*loop, 2)))]
    for place, complaint in ((0, "'link2.mass'"), (1, "'joint1.damping'"), (2, "'link1'"), (-10, "'payload'")):
        wrong = given.copy()
        wrong.reshape(-1, 28)[-1, place] = -1e-3
        for call in calls:
            with pytest.raises(sg.InputError, match=f"{complaint} is -0.001: it cannot be negative"):
                call(*(() if call is g.setting else values), wrong)
    free = given.copy()  # products of inertia, first moments, lengths, and what is no number
    free[..., 3:5], free[..., 12:15] = -0.1, -0.1
    assert np.isfinite(g(*values, free)).all()
    unknown = given.copy()
    unknown[..., 1] = np.nan
    with np.errstate(invalid="ignore"):
        assert np.isnan(g(*values, unknown)).all()


def test_negative_parameters_of_blocks_are_refused():
    g = sg.inverse_dynamics(ROBOT, parameters=["joint2.armature"])
    b, given = g.blocked(), g.parameter_vector({})
    rows = [b.blocks(np.tile(x, (20, 1))) for x in (Q[0], QD[0], TAU[0])]
    wrong = np.tile(given, (20, 1))
    assert np.isfinite(b(*rows, b.blocks(wrong))).all()
    wrong[13] = -2.0
    with pytest.raises(sg.InputError, match=r"'joint2.armature' is -2"):
        b(*rows, b.blocks(wrong))
