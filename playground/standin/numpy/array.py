"""Arrays of few numbers in plain Python: values in a list, and the places in it that an array shows, row by row."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from numpy.kinds import BOOL, COMPLEX, FLOAT, INT, OBJECT, DType, as_dtype, common, kind_of


class ndarray:
    """An array; views share `buffer` and have other `places`."""

    __slots__ = ("buffer", "dtype", "places", "shape")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, buffer: list[Any], places: Sequence[int], shape: tuple[int, ...], dtype: DType) -> None:
        self.buffer, self.places, self.shape, self.dtype = buffer, places, shape, dtype

    @property
    def values(self) -> list[Any]:
        """All entries, row by row."""
        buffer, places = self.buffer, self.places
        if isinstance(places, range) and len(places) == len(buffer):
            return buffer
        return [buffer[i] for i in places]

    @property
    def size(self) -> int:
        return len(self.places)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def flat(self) -> list[Any]:
        return list(self.values)

    @property
    def T(self) -> ndarray:
        return self.transpose()

    @property
    def real(self) -> ndarray:
        return self._each(lambda x: x.real, FLOAT)

    @property
    def imag(self) -> ndarray:
        return self._each(lambda x: x.imag, FLOAT)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"array({self.tolist()!r})"

    def __bool__(self) -> bool:
        return bool(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        return operator.index(self.item())

    def __format__(self, spec: str) -> str:
        return format(self.item() if not self.shape else str(self), spec)

    def __contains__(self, x: Any) -> bool:
        return x in self.values

    def item(self, *index: int) -> Any:
        if index:
            return self[index]
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self.values[0]

    def tolist(self) -> Any:
        return nested(self.values, self.shape)

    def copy(self) -> ndarray:
        return made(list(self.values), self.shape, self.dtype)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> ndarray:
        return self.copy()

    def __reduce__(self) -> Any:
        return made, (list(self.values), self.shape, self.dtype)

    def tobytes(self) -> bytes:
        return repr((self.values, self.shape)).encode()

    def setflags(self, **_: Any) -> None:
        """Arrays may always be written to."""

    def astype(self, dtype: Any, copy: bool = True) -> ndarray:
        return cast(self, as_dtype(dtype))

    def fill(self, value: Any) -> None:
        for i in self.places:
            self.buffer[i] = value

    def reshape(self, *shape: Any) -> ndarray:
        wanted = list(shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape)
        if -1 in wanted:
            at = wanted.index(-1)
            others = math.prod(n for i, n in enumerate(wanted) if i != at)
            wanted[at] = self.size // others if others else 0
        if math.prod(wanted) != self.size:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {tuple(wanted)}")
        return ndarray(self.buffer, self.places, tuple(wanted), self.dtype)

    def ravel(self) -> ndarray:
        return self.reshape(self.size)

    def flatten(self) -> ndarray:
        return self.copy().ravel()

    def squeeze(self) -> ndarray:
        return self.reshape(tuple(n for n in self.shape if n != 1))

    def transpose(self, *axes: Any) -> ndarray:
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        order = [a % self.ndim for a in order] if order else list(range(self.ndim))[::-1]
        strides = strides_of(self.shape)
        shape = tuple(self.shape[a] for a in order)
        places = grid([[i * strides[a] for i in range(self.shape[a])] for a in order])
        return ndarray(self.buffer, [self.places[i] for i in places], shape, self.dtype)

    def swapaxes(self, a: int, b: int) -> ndarray:
        order = list(range(self.ndim))
        order[a], order[b] = order[b], order[a]
        return self.transpose(order)

    # Entries

    def __getitem__(self, index: Any) -> Any:
        if type(index) is int and len(self.shape) == 1:
            return self.buffer[self.places[index]]
        if type(index) is tuple and len(index) == len(self.shape) and all(type(i) is int for i in index):
            return self.buffer[self.places[self._place(index)]]
        places, shape = selected(self.shape, index)
        if not shape and not _is_array_index(index):
            return self.buffer[self.places[places[0]]]
        return ndarray(self.buffer, [self.places[i] for i in places], shape, self.dtype)._apart(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if type(index) is int and len(self.shape) == 1:
            self.buffer[self.places[index]] = value if self.dtype is OBJECT else self._one(value)
            return
        places, shape = selected(self.shape, index)
        if isinstance(value, (ndarray, list, tuple)):
            given = list(broadcast_to(asarray(value), shape).values)
        else:
            given = itertools.repeat(value, len(places))
        for i, x in zip(places, given, strict=True):
            self.buffer[self.places[i]] = x if self.dtype is OBJECT else self._one(x)

    def _one(self, value: Any) -> Any:
        return self.dtype.convert(value.item() if isinstance(value, ndarray) else value)

    def _place(self, index: tuple[int, ...]) -> int:
        place = 0
        for i, n in zip(index, self.shape, strict=True):
            if not -n <= i < n:
                raise IndexError(f"index {i} is out of bounds for axis with size {n}")
            place = place * n + (i + n if i < 0 else i)
        return place

    def _apart(self, index: Any) -> ndarray:
        """Copy what lists of places select, as NumPy does; slices stay views."""
        return self.copy() if _is_array_index(index) else self

    # Arithmetic

    def _each(self, of: Callable[[Any], Any], dtype: DType | None = None) -> ndarray:
        found = [of(x) for x in self.values]
        return made(found, self.shape, dtype or kind_of(found, self.dtype))

    def __add__(self, other: Any) -> Any:
        return elementwise(operator.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return elementwise(operator.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return elementwise(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return elementwise(operator.sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return elementwise(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return elementwise(operator.mul, other, self)

    def __truediv__(self, other: Any) -> Any:
        return elementwise(divided, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return elementwise(divided, other, self)

    def __floordiv__(self, other: Any) -> Any:
        return elementwise(operator.floordiv, self, other)

    def __mod__(self, other: Any) -> Any:
        return elementwise(operator.mod, self, other)

    def __pow__(self, other: Any) -> Any:
        return elementwise(operator.pow, self, other)

    def __rpow__(self, other: Any) -> Any:
        return elementwise(operator.pow, other, self)

    def __neg__(self) -> ndarray:
        return self._each(operator.neg)

    def __pos__(self) -> ndarray:
        return self

    def __abs__(self) -> ndarray:
        return self._each(abs)

    def __invert__(self) -> ndarray:
        return self._each(operator.not_, BOOL)

    def __and__(self, other: Any) -> Any:
        return elementwise(operator.and_, self, other)

    def __or__(self, other: Any) -> Any:
        return elementwise(operator.or_, self, other)

    __rand__, __ror__ = __and__, __or__

    def __lt__(self, other: Any) -> Any:
        return elementwise(operator.lt, self, other)

    def __le__(self, other: Any) -> Any:
        return elementwise(operator.le, self, other)

    def __gt__(self, other: Any) -> Any:
        return elementwise(operator.gt, self, other)

    def __ge__(self, other: Any) -> Any:
        return elementwise(operator.ge, self, other)

    def __eq__(self, other: Any) -> Any:
        return elementwise(operator.eq, self, other)

    def __ne__(self, other: Any) -> Any:
        return elementwise(operator.ne, self, other)

    def _in_place(self, found: Any) -> ndarray:
        self[...] = found
        return self

    def __iadd__(self, other: Any) -> ndarray:
        return self._in_place(self + other)

    def __isub__(self, other: Any) -> ndarray:
        return self._in_place(self - other)

    def __imul__(self, other: Any) -> ndarray:
        return self._in_place(self * other)

    def __itruediv__(self, other: Any) -> ndarray:
        return self._in_place(self / other)

    def __iand__(self, other: Any) -> ndarray:
        return self._in_place(self & other)

    def __ior__(self, other: Any) -> ndarray:
        return self._in_place(self | other)

    def __matmul__(self, other: Any) -> Any:
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return matmul(other, self)

    dot = __matmul__

    # Along axes

    def along(
        self, of: Callable[[list[Any]], Any], axis: Any, dtype: DType | None = None, keepdims: bool = False
    ) -> Any:
        """Return what a function makes of the entries along an axis, of all entries where there is none."""
        if axis is None:
            return of(self.values)
        axes = [a % self.ndim for a in (axis if isinstance(axis, tuple) else (axis,))]
        rest = [a for a in range(self.ndim) if a not in axes]
        moved = self.transpose([*rest, *axes])
        values, n = moved.values, math.prod(self.shape[a] for a in axes)
        shape = tuple(self.shape[a] for a in rest)
        found = [of(values[i * n : i * n + n]) for i in range(math.prod(shape))]
        if not shape and not keepdims:
            return found[0]
        if keepdims:
            shape = tuple(1 if a in axes else k for a, k in enumerate(self.shape))
        return made(found, shape, dtype or kind_of(found, self.dtype))

    def sum(self, axis: Any = None, keepdims: bool = False) -> Any:
        return self.along(total, axis, INT if self.dtype is BOOL else None, keepdims)

    def mean(self, axis: Any = None) -> Any:
        return self.along(lambda x: total(x) / len(x), axis)

    def prod(self, axis: Any = None) -> Any:
        return self.along(math.prod, axis)

    def max(self, axis: Any = None, initial: Any = None, keepdims: bool = False) -> Any:
        return self.along(lambda x: largest(x, initial), axis, None, keepdims)

    def min(self, axis: Any = None, initial: Any = None, keepdims: bool = False) -> Any:
        return self.along(lambda x: smallest(x, initial), axis, None, keepdims)

    def any(self, axis: Any = None) -> Any:
        return self.along(lambda x: any(map(bool, x)), axis, BOOL)

    def all(self, axis: Any = None) -> Any:
        return self.along(lambda x: all(map(bool, x)), axis, BOOL)

    def argmax(self, axis: Any = None) -> Any:
        return self.along(lambda x: x.index(max(x)), axis, INT)

    def argmin(self, axis: Any = None) -> Any:
        return self.along(lambda x: x.index(min(x)), axis, INT)

    def argsort(self, axis: Any = -1, kind: Any = None) -> ndarray:
        values = self.values
        return made(sorted(range(len(values)), key=values.__getitem__), self.shape, INT)

    def cumsum(self) -> ndarray:
        return made(list(itertools.accumulate(self.values)), (self.size,), self.dtype)

    def trace(self) -> Any:
        return total([self[i, i] for i in range(min(self.shape))])

    def round(self, decimals: int = 0) -> ndarray:
        return self._each(lambda x: float(round(x, decimals)))

    def nonzero(self) -> tuple[ndarray, ...]:
        found = [i for i, x in zip(itertools.product(*map(range, self.shape)), self.values, strict=True) if x]
        return tuple(made([i[a] for i in found], (len(found),), INT) for a in range(self.ndim))

    def conj(self) -> ndarray:
        return self


def made(values: list[Any], shape: tuple[int, ...], dtype: DType) -> ndarray:
    """Return an array of its own list of values."""
    return ndarray(values, range(len(values)), shape, dtype)


def nested(values: list[Any], shape: tuple[int, ...]) -> Any:
    """Return values as lists of lists."""
    if not shape:
        return values[0]
    if len(shape) == 1:
        return list(values)
    n = math.prod(shape[1:])
    return [nested(values[i * n : i * n + n], shape[1:]) for i in range(shape[0])]


def strides_of(shape: Sequence[int]) -> list[int]:
    """Return how far neighbours along each axis are apart, row by row."""
    return [math.prod(shape[a + 1 :]) for a in range(len(shape))]


def grid(axes: Sequence[Sequence[int]]) -> list[int]:
    """Return the sums of one entry of each list, the last running fastest."""
    found = [0]
    for own in axes:
        found = [place + i for place in found for i in own]
    return found


def array(source: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> ndarray:
    """Return a new array of numbers, lists of numbers, or arrays."""
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(source, ndarray):
        return cast(source, wanted or source.dtype)
    values: list[Any] = []
    shape = _collect(source, values)
    arrays = [x.dtype for x in source if isinstance(x, ndarray)] if isinstance(source, (list, tuple)) else []
    found = made(values, shape, kind_of(values, common(*arrays) if arrays and not values else None))
    return found if wanted is None else cast(found, wanted)


def asarray(source: Any, dtype: Any = None) -> ndarray:
    """Return an array as it is where it fits, else a new one."""
    if isinstance(source, ndarray) and (dtype is None or as_dtype(dtype) is source.dtype):
        return source
    return array(source, dtype)


def cast(source: ndarray, dtype: DType) -> ndarray:
    """Return a copy of an array with numbers of another kind."""
    values = source.values
    return made(list(values) if dtype is source.dtype else [dtype.convert(x) for x in values], source.shape, dtype)


def _collect(source: Any, values: list[Any]) -> tuple[int, ...]:
    if isinstance(source, ndarray):
        values += source.values
        return source.shape
    if isinstance(source, (str, bytes)) or not (isinstance(source, Sequence) or hasattr(source, "__array__")):
        values.append(source)
        return ()
    shapes = {_collect(item, values) for item in source}
    if len(shapes) > 1:
        raise ValueError("setting an array element with a sequence: the shape is inhomogeneous")
    return (len(source), *(shapes.pop() if shapes else ()))


def broadcast_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape to which arrays of some shapes are stretched."""
    found: list[int] = []
    for sizes in itertools.zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1):
        several = {n for n in sizes if n != 1}
        if len(several) > 1:
            raise ValueError(f"operands could not be broadcast together with shapes {shapes}")
        found.append(several.pop() if several else 1)
    return tuple(reversed(found))


def broadcast_to(source: Any, shape: Any) -> ndarray:
    """Return an array stretched to a shape."""
    source, shape = asarray(source), tuple(shape) if not isinstance(shape, int) else (shape,)
    if source.shape == shape:
        return source
    own = (1,) * (len(shape) - source.ndim) + source.shape
    if len(own) != len(shape) or any(m not in (1, n) for m, n in zip(own, shape, strict=True)):
        raise ValueError(f"could not broadcast input array from shape {source.shape} into shape {shape}")
    axes = [
        [0] * n if m == 1 else [i * s for i in range(n)] for m, n, s in zip(own, shape, strides_of(own), strict=True)
    ]
    return ndarray(source.buffer, [source.places[i] for i in grid(axes)], shape, source.dtype)


_ARITHMETIC = {operator.add, operator.sub, operator.mul}
_TRUTHS = {operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne}


def elementwise(of: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """Apply a function of two numbers to each two entries."""
    if isinstance(a, (list, tuple)):
        a = array(a)
    if isinstance(b, (list, tuple)):
        b = array(b)
    if not isinstance(b, ndarray):
        if b is None or isinstance(b, (str, type)):
            return NotImplemented
        shape, found = a.shape, [of(x, b) for x in a.values]
    elif not isinstance(a, ndarray):
        shape, found = b.shape, [of(a, y) for y in b.values]
    elif a.shape == b.shape:
        shape, found = a.shape, list(map(of, a.values, b.values))
    else:
        shape = broadcast_shape(a.shape, b.shape)
        found = list(map(of, broadcast_to(a, shape).values, broadcast_to(b, shape).values))
    known = [x.dtype for x in (a, b) if isinstance(x, ndarray)]
    if of in _TRUTHS and OBJECT not in known:
        return made([bool(x) for x in found], shape, BOOL) if shape else bool(found[0])
    if of in _ARITHMETIC and known[0] is FLOAT and known[-1] is FLOAT:
        dtype = FLOAT if isinstance(found[0] if found else 0.0, float) else kind_of(found)  # a number may be an object
    else:
        dtype = kind_of(found, FLOAT if of is divided else common(*known))
    return made(found, shape, dtype) if shape else found[0]


def matmul(a: Any, b: Any) -> Any:
    """Return the product of vectors, matrices, and stacks of matrices."""
    a, b = asarray(a), asarray(b)
    if a.ndim > 2 or b.ndim > 2:
        return _stacked_product(a, b)
    rows = [a.values] if a.ndim == 1 else _rows(a)
    columns = [b.values] if b.ndim == 1 else _rows(b.T)
    if a.shape[-1] != b.shape[0]:
        raise ValueError(f"matmul: shapes {a.shape} and {b.shape} do not fit")
    found = [dot(row, column) for row in rows for column in columns]
    shape = (a.shape[:-1] if a.ndim > 1 else ()) + (b.shape[1:] if b.ndim > 1 else ())
    return made(found, shape, kind_of(found, common(a.dtype, b.dtype))) if shape else found[0]


def _stacked_product(a: ndarray, b: ndarray) -> ndarray:
    stack = broadcast_shape(a.shape[:-2], b.shape[:-2])
    a, b = broadcast_to(a, stack + a.shape[-2:]), broadcast_to(b, stack + b.shape[-2:])
    products = [matmul(a[i], b[i]) for i in itertools.product(*map(range, stack))]
    values = [x for product in products for x in product.values]
    return made(values, (*stack, a.shape[-2], b.shape[-1]), kind_of(values, common(a.dtype, b.dtype)))


def _rows(a: ndarray) -> list[list[Any]]:
    values, n = a.values, a.shape[1]
    return [values[i * n : i * n + n] for i in range(a.shape[0])]


def dot(x: Sequence[Any], y: Sequence[Any]) -> Any:
    """Return the sum of products."""
    return total([a * b for a, b in zip(x, y, strict=True)])


def total(values: Sequence[Any]) -> Any:
    """Return a sum that begins with its first term, so that objects add as they are."""
    if not values:
        return 0.0
    found = values[0] + 0 if values[0] is True or values[0] is False else values[0]
    for x in values[1:]:
        found = found + x
    return found


def divided(a: Any, b: Any) -> Any:
    """Return a / b, which is infinite or no number where b is the number zero."""
    try:
        return a / b
    except ZeroDivisionError:
        if a != a or a == 0:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)


def largest(values: Iterable[Any], initial: Any = None) -> Any:
    """Return the largest value; NaN where there is one."""
    values = [*values] if initial is None else [initial, *values]
    return next((x for x in values if x != x), None) or max(values)


def smallest(values: Iterable[Any], initial: Any = None) -> Any:
    """Return the smallest value; NaN where there is one."""
    values = [*values] if initial is None else [initial, *values]
    return next((x for x in values if x != x), None) or min(values)


def _is_array_index(index: Any) -> bool:
    return any(isinstance(i, (ndarray, list)) for i in (index if isinstance(index, tuple) else (index,)))


def selected(shape: tuple[int, ...], index: Any) -> tuple[list[int], tuple[int, ...]]:
    """Return the places, row by row, that an index selects of an array of a shape, and the shape that they have."""
    items = list(index) if isinstance(index, tuple) else [index]
    items = [_positions(item) for item in items]
    used = sum(item.ndim if _is_mask(item) else item is not None and item is not Ellipsis for item in items)
    if Ellipsis not in [item for item in items if not isinstance(item, ndarray)]:
        items.append(Ellipsis)
    at = next(i for i, item in enumerate(items) if item is Ellipsis)
    items[at : at + 1] = [slice(None)] * (len(shape) - used)
    items = [part for item in items for part in (item.nonzero() if _is_mask(item) else (item,))]
    lists = [item for item in items if isinstance(item, ndarray)]
    together = broadcast_shape(*(item.shape for item in lists)) if lists else ()
    strides, axis, axes, sizes, place = strides_of(shape), 0, [], [], None
    shared = [0] * math.prod(together)
    for item in items:
        if item is None:
            axes.append([0])
            sizes.append(1)
            continue
        n, stride = shape[axis], strides[axis]
        axis += 1
        if isinstance(item, slice):
            axes.append([i * stride for i in range(*item.indices(n))])
            sizes.append(len(axes[-1]))
        elif isinstance(item, ndarray):
            own = [int(i) for i in broadcast_to(item, together).values]
            _check_bounds(own, n)
            shared = [s + (i % n) * stride for s, i in zip(shared, own, strict=True)]
            if place is None:
                place = len(axes)
                axes.append(shared)
                sizes += together
            axes[place] = shared
        else:
            i = operator.index(item)
            _check_bounds([i], n)
            axes.append([(i % n) * stride])
    return grid(axes), tuple(sizes)


def _positions(item: Any) -> Any:
    if isinstance(item, (list, range)):
        return array(item) if len(item) else made([], (0,), INT)
    return item


def _is_mask(item: Any) -> bool:
    return isinstance(item, ndarray) and item.dtype is BOOL


def _check_bounds(found: Sequence[int], n: int) -> None:
    for i in found:
        if not -n <= i < n:
            raise IndexError(f"index {i} is out of bounds for axis with size {n}")


__all__ = ["COMPLEX", "array", "asarray", "broadcast_to", "ndarray"]
