"""Functions of numbers, entry by entry, and what makes and joins arrays."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from numpy.array import (
    array,
    asarray,
    broadcast_shape,
    broadcast_to,
    divided,
    elementwise,
    largest,
    made,
    ndarray,
    smallest,
)
from numpy.kinds import BOOL, FLOAT, INT, DType, as_dtype, common, kind_of

ufunc = Callable


def _of_one(name: str, of: Callable[[Any], Any], dtype: DType | None = None) -> Callable[..., Any]:
    def on_number(x: Any) -> Any:
        if not isinstance(x, (int, float, complex)):
            return getattr(x, name)()
        try:
            return of(x)
        except (ValueError, ZeroDivisionError):
            return -math.inf if name == "log" and x == 0 else math.nan
        except OverflowError:
            return math.inf

    def function(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            x = array(x)
        return x._each(on_number, dtype) if isinstance(x, ndarray) else on_number(x)

    return function


def _of_two(of: Callable[[Any, Any], Any], name: str = "") -> Callable[[Any, Any], Any]:
    def on_numbers(a: Any, b: Any) -> Any:
        if name and not isinstance(a, (int, float)):
            return getattr(a, name)(b)
        try:
            return of(a, b)
        except (ValueError, ZeroDivisionError):
            return math.nan
        except OverflowError:
            return math.inf

    def function(a: Any, b: Any) -> Any:
        if any(isinstance(x, (ndarray, list, tuple)) for x in (a, b)):
            return elementwise(on_numbers, a, b)
        return on_numbers(a, b)

    return function


sin, cos, tan = _of_one("sin", math.sin), _of_one("cos", math.cos), _of_one("tan", math.tan)
sinh, cosh, tanh = _of_one("sinh", math.sinh), _of_one("cosh", math.cosh), _of_one("tanh", math.tanh)
arcsin, arccos, arctan = _of_one("arcsin", math.asin), _of_one("arccos", math.acos), _of_one("arctan", math.atan)
arcsinh, arccosh = _of_one("arcsinh", math.asinh), _of_one("arccosh", math.acosh)
arctanh, exp, log = _of_one("arctanh", math.atanh), _of_one("exp", math.exp), _of_one("log", math.log)
sqrt = _of_one("sqrt", math.sqrt)
floor, ceil = _of_one("floor", lambda x: float(math.floor(x))), _of_one("ceil", lambda x: float(math.ceil(x)))
isfinite = _of_one("isfinite", lambda x: math.isfinite(abs(x)), BOOL)
isinf = _of_one("isinf", math.isinf, BOOL)
sign = _of_one("sign", lambda x: x if x != x else float((x > 0) - (x < 0)))
logical_not = _of_one("logical_not", operator.not_, BOOL)
hypot, arctan2, fmod = _of_two(math.hypot), _of_two(math.atan2, "arctan2"), _of_two(math.fmod)
power = _of_two(lambda a, b: a**b)
minimum, maximum = _of_two(lambda a, b: smallest((a, b))), _of_two(lambda a, b: largest((a, b)))
less, less_equal = _of_two(operator.lt), _of_two(operator.le)
equal, not_equal = _of_two(operator.eq), _of_two(operator.ne)
logical_and, logical_or = _of_two(lambda a, b: bool(a) and bool(b)), _of_two(lambda a, b: bool(a) or bool(b))


def divide(a: Any, b: Any) -> Any:
    """Return a / b, infinite or no number where b is zero."""
    return elementwise(divided, a, b) if isinstance(a, ndarray) or isinstance(b, ndarray) else divided(a, b)


def real(x: Any) -> Any:
    """Return the real part."""
    return x.real


def imag(x: Any) -> Any:
    """Return the imaginary part."""
    return x.imag


def where(condition: Any, *both: Any) -> Any:
    """Return entries of the first array where the condition holds, else of the second; or places where it holds."""
    if not both:
        return asarray(condition).nonzero()
    if not any(isinstance(x, (ndarray, list, tuple)) for x in (condition, *both)):
        return both[0] if condition else both[1]
    arrays = [asarray(x) for x in (condition, *both)]
    shape = broadcast_shape(*(x.shape for x in arrays))
    c, a, b = (broadcast_to(x, shape).values for x in arrays)
    found = [y if x else z for x, y, z in zip(c, a, b, strict=True)]
    return made(found, shape, common(arrays[1].dtype, arrays[2].dtype))


def clip(x: Any, low: Any, high: Any) -> Any:
    """Return numbers moved into bounds."""
    return minimum(maximum(x, low), high)


def nan_to_num(x: Any, nan: float = 0.0, posinf: float = 1.7976931348623157e308, neginf: float | None = None) -> Any:
    """Return numbers in the place of NaN and infinities."""
    low = -posinf if neginf is None else neginf
    return asarray(x)._each(lambda v: nan if v != v else posinf if v == math.inf else low if v == -math.inf else v)


def full(shape: Any, value: Any, dtype: Any = None) -> ndarray:
    """Return an array of one number."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    wanted = kind_of([value]) if dtype is None else as_dtype(dtype)
    return made([wanted.convert(value)] * math.prod(sizes), sizes, wanted)


def zeros(shape: Any, dtype: Any = float) -> ndarray:
    """Return an array of zeros."""
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: Any = float) -> ndarray:
    """Return an array of ones."""
    return full(shape, 1, dtype)


def empty(shape: Any, dtype: Any = float) -> ndarray:
    """Return an array to be filled."""
    return full(shape, None, object) if as_dtype(dtype).kind == "O" else full(shape, 0, dtype)


def eye(n: int, m: int | None = None, k: int = 0, dtype: Any = float) -> ndarray:
    """Return the identity, or one on another diagonal."""
    columns = n if m is None else m
    return array([[float(j == i + k) for j in range(columns)] for i in range(n)], dtype).reshape(n, columns)


def arange(*bounds: Any) -> ndarray:
    """Return whole numbers."""
    return made(list(range(*map(int, bounds))), (len(range(*map(int, bounds))),), INT)


def linspace(a: float, b: float, n: int = 50) -> ndarray:
    """Return numbers at equal distances, both ends included."""
    return array([a + (b - a) * i / max(1, n - 1) for i in range(n)], float)


def diag(x: Any) -> ndarray:
    """Return a diagonal matrix, or the diagonal of one."""
    x = asarray(x)
    if x.ndim == 2:
        return array([x[i, i] for i in range(min(x.shape))])
    n = len(x)
    found = zeros((n, n), x.dtype)
    for i in range(n):
        found[i, i] = x[i]
    return found


def concatenate(arrays: Iterable[Any], axis: int = 0) -> ndarray:
    """Join arrays along an axis."""
    parts = [asarray(a) for a in arrays]
    axis %= parts[0].ndim
    moved = [p if axis == 0 else p.swapaxes(0, axis) for p in parts]
    if any(m.shape[1:] != moved[0].shape[1:] for m in moved):
        raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
    values = [x for m in moved for x in m.values]
    shape = (sum(m.shape[0] for m in moved), *moved[0].shape[1:])
    joined = made(values, shape, common(*(p.dtype for p in parts)))
    return joined if axis == 0 else joined.swapaxes(0, axis)


def stack(arrays: Iterable[Any], axis: int = 0) -> ndarray:
    """Join arrays along a new axis."""
    parts = [asarray(a) for a in arrays]
    axis %= parts[0].ndim + 1
    return concatenate([p.reshape(*p.shape[:axis], 1, *p.shape[axis:]) for p in parts], axis)


def vstack(arrays: Iterable[Any]) -> ndarray:
    """Join rows."""
    return concatenate([atleast_2d(a) for a in arrays])


def column_stack(arrays: Iterable[Any]) -> ndarray:
    """Join vectors as columns."""
    return concatenate([a.reshape(-1, 1) if asarray(a).ndim == 1 else asarray(a) for a in map(asarray, arrays)], 1)


def block(rows: Sequence[Sequence[Any]]) -> ndarray:
    """Return a matrix of matrices."""
    return concatenate([concatenate(row, axis=1) for row in rows])


def atleast_1d(x: Any) -> ndarray:
    """Return at least a vector."""
    x = asarray(x)
    return x if x.ndim else x.reshape(1)


def atleast_2d(x: Any) -> ndarray:
    """Return at least a matrix."""
    x = atleast_1d(x)
    return x if x.ndim > 1 else x.reshape(1, -1)


def outer(a: Any, b: Any) -> ndarray:
    """Return all products of two vectors' entries."""
    return asarray(a).reshape(-1, 1) * asarray(b).reshape(1, -1)


def cross(a: Any, b: Any) -> ndarray:
    """Return the cross product of vectors, or of the rows of matrices."""
    a, b = asarray(a), asarray(b)
    if a.ndim > 1 or b.ndim > 1:
        shape = broadcast_shape(a.shape, b.shape)
        pairs = zip(broadcast_to(a, shape).reshape(-1, 3), broadcast_to(b, shape).reshape(-1, 3), strict=True)
        return array([cross(x, y).tolist() for x, y in pairs]).reshape(shape)
    return array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def trace(x: Any) -> Any:
    """Return the sum of the diagonal."""
    return asarray(x).trace()


def cumsum(x: Any) -> ndarray:
    """Return running sums."""
    return asarray(x).cumsum()


def diff(x: Any, axis: int = -1) -> ndarray:
    """Return differences of neighbours."""
    x = asarray(x)
    moved = x.swapaxes(0, axis % x.ndim)
    return (moved[1:] - moved[:-1]).swapaxes(0, axis % x.ndim)


def ptp(x: Any, axis: Any = None) -> Any:
    """Return largest less smallest."""
    return asarray(x).max(axis) - asarray(x).min(axis)


def swapaxes(x: Any, a: int, b: int) -> ndarray:
    """Return an array with two axes exchanged."""
    return asarray(x).swapaxes(a, b)


def median(x: Any, axis: Any = None) -> Any:
    """Return the middle value."""

    def middle(values: list[Any]) -> Any:
        values = sorted(values)
        half = len(values) // 2
        return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2

    return asarray(x).along(middle, axis)


def _without_nan(of: Callable[..., Any]) -> Callable[..., Any]:
    def function(x: Any, axis: Any = None) -> Any:
        return asarray(x).along(lambda v: of([e for e in v if e == e] or [math.nan]), axis)

    return function


nanmax, nanmin = _without_nan(largest), _without_nan(smallest)


def count_nonzero(x: Any, axis: Any = None) -> Any:
    """Count entries that are not zero."""
    return asarray(x).along(lambda values: len([v for v in values if v]), axis, INT)


def flatnonzero(x: Any) -> ndarray:
    """Return the places of entries that are not zero."""
    return array([i for i, v in enumerate(asarray(x).values) if v], int)


def setdiff1d(a: Any, b: Any) -> ndarray:
    """Return entries of a that b does not have, in order."""
    return array(sorted(set(asarray(a).values) - set(asarray(b).values)), int)


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> Any:
    """Whether numbers are close."""
    return abs(asarray(a) - b) <= abs(asarray(b)) * rtol + atol


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> bool:
    """Whether all numbers are close."""
    return asarray(isclose(a, b, rtol, atol)).all()


def array_equal(a: Any, b: Any) -> bool:
    """Whether arrays are the same."""
    a, b = asarray(a), asarray(b)
    return a.shape == b.shape and list(a.values) == list(b.values)


def shape(x: Any) -> tuple[int, ...]:
    """Return the shape of an array; a number has none."""
    return asarray(x).shape if isinstance(x, (ndarray, list, tuple)) else ()


def ndindex(*sizes: Any) -> Iterator[tuple[int, ...]]:
    """Iterate over all places of an array of a shape."""
    wanted = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], tuple) else sizes
    return itertools.product(*map(range, wanted))


def ix_(*lists: Any) -> tuple[ndarray, ...]:
    """Return indices of all combinations of places."""
    n = len(lists)
    return tuple(asarray(x).reshape((1,) * i + (-1,) + (1,) * (n - i - 1)) for i, x in enumerate(lists))


def split(x: Any, places: Any) -> list[ndarray]:
    """Cut an array at places."""
    ends = [0, *(int(p) for p in places), len(x)]
    return [asarray(x)[a:b] for a, b in itertools.pairwise(ends)]


def resize(x: Any, shape: Any) -> ndarray:
    """Return an array filled by repeating another one's entries."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    values = list(itertools.islice(itertools.cycle(asarray(x).values), math.prod(sizes)))
    return made(values, sizes, asarray(x).dtype)


class broadcast:
    """Pairs of entries of two arrays of one shape."""

    def __init__(self, a: Any, b: Any) -> None:
        a, b = asarray(a), asarray(b)
        self.shape = broadcast_shape(a.shape, b.shape)
        self._pairs = zip(broadcast_to(a, self.shape).values, broadcast_to(b, self.shape).values, strict=True)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return self._pairs


def result_type(*given: Any) -> DType:
    """Return the kind that holds all."""
    return common(*(x.dtype if isinstance(x, ndarray) else as_dtype(x) for x in given))


class finfo:
    """Limits of doubles."""

    eps, max, tiny = 2.220446049250313e-16, 1.7976931348623157e308, 2.2250738585072014e-308

    def __init__(self, dtype: Any = float) -> None:
        self.dtype = dtype


@contextmanager
def errstate(**_: Any) -> Iterator[None]:
    """Warn of nothing: there are no warnings."""
    yield


pi, inf, nan = math.pi, math.inf, math.nan
deg2rad = _of_one("deg2rad", math.radians, FLOAT)
