"""Functions of more arrays or axes than NumPy's gufuncs take are called as others are."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import Result, compile_expression, make_numbered_argument
from screwgraph.compiler.backends.llvm.domain_counter import Domains
from screwgraph.compiler.backends.llvm.packed_arrays import MOST, PackedArrays, exceeds_numpy, pack_domains

COUNT = MOST + 6


def products(count, shapes):
    """Return a function of vectors (2,) whose numbers are products of one number and its own place."""
    arguments = tuple(make_numbered_argument(f"a{i}", 2) for i in range(count))
    size = sum(int(np.prod(shape)) for shape in shapes)

    def expression(*vectors):
        return [(1.0 + k) * vectors[k % count][k % 2] for k in range(size)]

    results = tuple(Result(f"r{i}", shape) for i, shape in enumerate(shapes))
    return compile_expression("products", (count, tuple(shapes)), arguments, expression, results=results)


def expected(values, shapes):
    """Return the same by NumPy."""
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in values))
    size = sum(int(np.prod(shape)) for shape in shapes)
    numbers = [(1.0 + k) * np.broadcast_to(values[k % len(values)][..., k % 2], batch) for k in range(size)]
    found = []
    for shape in shapes:
        own, numbers = numbers[: int(np.prod(shape))], numbers[int(np.prod(shape)) :]
        found.append(np.stack(own, axis=-1).reshape(*batch, *shape) if shape else own[0])
    return found


@pytest.mark.parametrize(
    ("count", "shapes"),
    [(2, [()] * COUNT), (3, [(2, 2)] * (COUNT // 2)), (COUNT, [(3, 2), (1,)])],
    ids=["results", "axes", "arguments"],
)
def test_many_arrays_are_as_numpy_has_them(count, shapes):
    f, rng = products(count, shapes), np.random.default_rng(0)
    for batch in ((), (20,), (3, 1)):
        values = [rng.normal(size=(*batch, 2)) for _ in range(count)]
        values[-1] = rng.normal(size=(1, 2) if batch else (2,))
        ways = f(*values), f.few(*values), f.ufunc(*values), f(*values, threads=2)
        out = tuple(np.empty(x.shape) for x in expected(values, shapes))
        for found in (*ways, f(*values, out=out), out):
            for x, y in zip(found, expected(values, shapes), strict=True):
                assert np.shape(x) == np.shape(y)
                np.testing.assert_allclose(x, y, rtol=1e-15)
    alone = [x[0, 0] if x.ndim == 3 else x[0] for x in values]
    for x, y in zip(f.astype("float32")(*alone), expected(alone, shapes), strict=True):
        assert x.dtype == "float32"
        np.testing.assert_allclose(x, y, rtol=1e-6)


def test_errors_say_which_argument():
    f = products(2, [()] * COUNT)
    with pytest.raises(sg.InputError, match=r"a1 has the shape \(3,\), expected \(\.\.\., 2\)"):
        f(np.zeros(2), np.zeros(3))
    with pytest.raises(sg.InputError, match="do not broadcast"):
        f(np.zeros((2, 2)), np.zeros((3, 2)))
    with pytest.raises(sg.InputError, match="real"):
        f(np.zeros(2), np.zeros(2, complex))
    with pytest.raises(sg.InputError, match="call the function without blocks"):
        products(COUNT, [(2,)]).blocked()(*[np.zeros((1, 2, 8))] * COUNT)


def test_raw_arrays_of_other_shapes_are_refused():
    f = PackedArrays(products(2, [(2,)]).ufunc, [(2,), (2,)], [(2,)])
    with pytest.raises(ValueError, match=r"shape \(3,\), whose last axes are not \(2,\)"):
        f(np.zeros(2), np.zeros(3))


def test_domains_stand_where_numbers_do():
    own = Domains(((0, 3), (2, 0)), ((1, 4),))
    assert pack_domains(own, [(7,), (2, 3), (4,)]) == Domains(((0, 3), (0, 13)), ((0, 11),))


@pytest.mark.parametrize("count", [1, 20])
def test_quaternions_that_are_not_unit_are_found(count):
    robot = sg.load("a1", base="floating")
    (position,) = sg.center_of_mass(robot).arguments
    results = tuple(Result(f"r{i}", ()) for i in range(COUNT))
    f = compile_expression(
        "copies", "copies", (position,), lambda q: [(1.0 + k) * q[k % 19] for k in range(COUNT)], results=results
    )
    q = np.tile(robot.neutral(), (count, 1)) if count > 1 else robot.neutral()
    assert np.all(f(q)[6] == 7.0 * q[..., 6])
    q[..., 3:7] *= 1.1
    with pytest.raises(sg.InputError, match="unit"):
        f(q)


def test_derivatives_by_all_arguments():
    """Of functions that NumPy takes, whose derivatives have more axes: those of a step with contacts have 66."""
    shapes = [(2, 2)] * 12
    whole = products(2, shapes).jacobian("a0", "a1")
    assert exceeds_numpy(whole.arguments, [result.shape for result in whole.results])
    place = np.arange(48)
    numbers = np.zeros((48, 2, 2))  # of which vector, at which of its places
    numbers[place, place % 2, place % 2] = 1.0 + place
    found = np.reshape(whole(np.zeros(2), np.zeros(2)), (2, 48, 2)).swapaxes(0, 1)
    np.testing.assert_array_equal(found, numbers)
