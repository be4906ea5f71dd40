"""Programs evaluated with numbers: machine code for one state or batches, the interpreter for few states.

Arrays that users give are checked: numbers in other types, results that would overwrite each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from numbers import Real
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import validate_count
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler.argument_domains import argument_domains, check_domains
from screwgraph.compiler.backends.llvm import CompiledProgram, Domains, compile_program
from screwgraph.compiler.derivatives.derivative_code import DerivativeCode, batch_code
from screwgraph.compiler.function.singular_fallback import Fallback, resolve_singular
from screwgraph.compiler.function.threads import ThreadPool, run_on_threads
from screwgraph.compiler.passes.tape_inlining import are_symbolic, inline_on_tape
from screwgraph.compiler.signature import Argument, Result, check_arrays, check_count, concatenate_columns, order_values
from screwgraph.tape import Code, Program

APART = 2_000
"""Instructions from which code for one state and code for batches are made apart, each when it is called.

Code for one state takes 40 % of the time of both, which is 0.3 ms an instruction.
"""

BATCH = 8
"""States from which batches are worth their own code."""

BELOW = 5
"""How far below its caller an evaluation warns, as `warnings.warn` counts."""

SEARCH = 100_000
"""Numbers of an array of unusual strides that are looked at one by one."""

CHUNK = 1024
"""States at once: every operation keeps its values."""

MAKING, CALLED, EACH = 3e-4, 1e-6, 2e-9
"""Seconds an operation that it takes to make machine code, and to interpret: once, and for each state."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How a function of arrays is computed.

    `vanished` says what to do where a pivot vanishes. A `body` may make other code for one state than for batches.
    """

    __repr__ = one_line

    name: str
    arguments: Sequence[Argument]
    results: Sequence[Result]
    body: Code | DerivativeCode
    dtype: str
    vanished: Fallback | None

    @cached_property
    def compiled(self) -> CompiledProgram:
        """The machine code, for batches and for one state."""
        return self._compile_body(self.together, batches=True)

    @property
    def together(self) -> Code:
        """The code for batches."""
        return batch_code(self.body)

    @property
    def alone(self) -> Code:
        """The code for one state."""
        return self.body.alone if isinstance(self.body, DerivativeCode) else self.body

    @cached_property
    def single(self) -> CompiledProgram:
        """The machine code for one state; of short programs, or where it is there already, that for batches, too."""
        if not self._is_apart:
            return self.compiled
        return self._compile_body(self.alone, batches=False)

    @property
    def _is_apart(self) -> bool:
        """Whether code for batches would be made in addition, or is another."""
        return isinstance(self.body, DerivativeCode) or ("compiled" not in self.__dict__ and self._is_long)

    @property
    def _is_long(self) -> bool:
        """Whether machine code takes so long that it is made for what is called only."""
        return not isinstance(self.body, Program) or len(self.body.instructions) >= APART

    def _compile_body(self, body: Code, *, batches: bool) -> CompiledProgram:
        shapes, results = [(a.shape, a.names) for a in self.arguments], [r.shape for r in self.results]
        return compile_program(self.name, body, shapes, results, self.dtype, batches=batches, domains=self.domains)

    @cached_property
    def domains(self) -> Domains:
        """Which numbers of the arguments are not any."""
        return argument_domains(self.arguments)

    @cached_property
    def _is_without_entries(self) -> bool:
        """Whether an argument or a result of one state has no numbers, as of a robot without joints."""
        return any(0 in part.shape for part in (*self.arguments, *self.results))

    def _empty(self) -> tuple[np.ndarray, ...]:
        """Return arrays for results whose sizes no argument tells."""
        return tuple(np.empty(result.shape, self.dtype) for result in self.results)

    @cached_property
    def _pool(self) -> ThreadPool:
        return ThreadPool()

    @cached_property
    def quick(self) -> Callable[..., Any]:
        """The way past NumPy for one state; it returns None where arguments or answer need NumPy's attention.

        Until it is called with numbers, it makes no machine code.
        """
        if "compiled" in self.__dict__ or "single" in self.__dict__:
            return self.single.quick

        def first(*values: Any) -> Any:
            if self.is_symbolic(values):
                return self.on_tape(values)
            self.__dict__["quick"] = quick = self.single.quick
            return quick(*values)

        return first

    def whole(self) -> Callable[..., Any]:
        """Return what answers any call: machine code for one state, which leaves others to `general`."""

        def general(*values: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
            return self.general(self.in_order(values, named), out, threads)

        return self.single.whole(general)

    def in_order(self, values: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return values in the order of the arguments, where some were given by name. Raises InputError."""
        return order_values(self.name, self.arguments, values, named) if named else values

    def general(self, values: tuple[Any, ...], out: Any, threads: int = 1) -> Any:
        """Evaluate any arrays: batches, which threads share, and what machine code for one state leaves to others."""
        threads = threads if threads == 1 else validate_count("threads", threads)
        if out is not None:
            targets = out if isinstance(out, tuple) else (out,)
            if len(targets) > 1:
                check_separate(self.name, self.results, targets)
            answer = self._quick_into(values, targets)
            if answer is not None:
                return answer
            check_unfolded(self.name, targets)
        check_count(self.name, self.arguments, values)
        check_unmasked(self.name, values)
        if self._is_without_entries and not self.is_symbolic(values):
            values = tuple(check_arrays(self.name, self.arguments, values))  # NumPy does not know that sizes are zero
            out = self._empty() if out is None and not values else out
        is_single = self._is_apart and not self.is_batch(values)
        code, body = (self.single, self.alone) if is_single else (self.compiled, self.together)
        into = {} if out is None else {"out": out if isinstance(out, tuple) else (out,)}
        call = code.ufunc
        if threads != 1:
            shapes = [a.shape for a in self.arguments], [r.shape for r in self.results]
            call = partial(run_on_threads, self._pool, call, *shapes, threads)
        counted = code.outside.value
        try:
            # Code that decides by numbers says itself, by its status, where these have no sense.
            quiet, over = body.guarded or body.is_conditional, "ignore" if body.is_conditional else None
            with np.errstate(invalid="ignore", divide="ignore", over=over) if quiet else nullcontext():
                found = call(*values, **into, dtype=self.dtype)  # wider numbers are rounded
        except (TypeError, ValueError) as error:
            if self.is_symbolic(values):
                return self.on_tape(values)
            numbers = as_numbers(values)
            if numbers is not None:
                return self.general(numbers, out, threads)
            raise self._explain_error(values, error) from None
        if code.outside.value != counted:  # in this call, or in one of another thread
            check_domains(self.name, self.arguments, self.domains, values)
        return self._complete(found, values, body)

    def few(self, *values: Any) -> Any:
        """Evaluate once or few states: interpreted, until the time spent would have made machine code."""
        if not isinstance(self.body, Program):  # machine code of loops is quickly made
            return self.general(values, None)
        check_count(self.name, self.arguments, values)
        check_unmasked(self.name, values)
        arrays, done = check_arrays(self.name, self.arguments, values), self.__dict__
        states = max(x.size // max(1, len(a.names)) for x, a in zip(arrays, self.arguments, strict=True))
        spent = done.get("_interpreting", 0.0) + estimate_seconds(self.body, states)
        if (
            "compiled" in done
            or "single" in done
            or self.dtype != "float64"
            or spent > MAKING * len(self.body.instructions)
        ):
            return self.general(tuple(arrays), None)
        done["_interpreting"] = spent
        check_domains(self.name, self.arguments, self.domains, arrays)
        with np.errstate(all="ignore") if self.body.guarded else nullcontext():
            found = interpret_program(self.body, self.arguments, self.results, arrays)
        return self._complete(found, arrays, self.body)

    def is_batch(self, values: Sequence[Any]) -> bool:
        """Tell whether these are so many states that they are worth code for batches."""
        try:
            return any(np.size(x) >= BATCH * len(a.names) > 0 for x, a in zip(values, self.arguments, strict=False))
        except (TypeError, ValueError):  # no arrays, which NumPy refuses in its turn
            return False

    def is_symbolic(self, values: Sequence[Any]) -> bool:
        """Tell whether these are arrays of scalars of a tape, one for each argument."""
        return len(values) == len(self.arguments) and are_symbolic(values)

    def on_tape(self, values: Sequence[Any]) -> Any:
        """Write the program on the tape of its arguments, and return arrays of scalars of that tape."""
        return inline_on_tape(self.together.unrolled, self.arguments, self.results, values)

    def _quick_into(self, values: tuple[Any, ...], into: tuple[Any, ...]) -> Any:
        """Write the results for one state to arrays, past NumPy; None where it has to be asked, which tells why."""
        if len(values) != len(self.arguments) or len(into) != len(self.results):
            return None
        return self.quick(*values, *into, np.ndarray)

    def _complete(self, found: Any, values: Sequence[Any], body: Code) -> Any:
        if not body.guarded:
            return found
        return resolve_singular(found, values, (self.name, self.arguments, self.results), self.vanished, BELOW)

    def _explain_error(self, values: tuple[Any, ...], error: Exception) -> InputError:
        """Return an InputError that says what NumPy did not like."""
        try:
            check_arrays(self.name, self.arguments, values)
        except InputError as found:
            return found
        return InputError(f"{self.name} cannot be called so", why=str(error))


def estimate_seconds(program: Program, states: int) -> float:
    """Return about how long it takes to interpret code at so many states."""
    return len(program.instructions) * (CALLED * (1 + states // CHUNK) + EACH * states)


def interpret_program(
    program: Program, arguments: Sequence[Argument], results: Sequence[Result], arrays: Sequence[np.ndarray]
) -> np.ndarray | tuple[np.ndarray, ...]:
    """Return what a function returns for arguments whose leading axes broadcast."""
    batch = np.broadcast_shapes(*(x.shape[: x.ndim - len(a.shape)] for x, a in zip(arrays, arguments, strict=True)))
    names = [name for argument in arguments for name in argument.names]
    columns = [np.broadcast_to(column, batch).ravel() for column in concatenate_columns(arguments, arrays)]
    flat = dict(zip(names, columns, strict=True))
    given = [flat[name] for name in program.input_names]
    found = np.empty((int(np.prod(batch)), len(program.outputs)))
    for start in range(0, len(found), CHUNK):
        part = slice(start, start + CHUNK)
        for i, value in enumerate(program.evaluate([column[part] for column in given])):
            found[part, i] = value
    ends = np.cumsum([r.size for r in results])
    parts = [x.reshape((*batch, *r.shape)) for x, r in zip(np.split(found, ends[:-1], axis=1), results, strict=True)]
    return parts[0] if len(parts) == 1 else tuple(parts)


def as_numbers(values: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return values whose objects are real numbers as arrays of floats; None where there are no such objects."""
    found = []
    for value in values:
        array = value if isinstance(value, np.ndarray) else None
        if array is not None and array.dtype == object and all(isinstance(x, Real) for x in array.flat):
            try:
                value = array.astype(float)
            except (OverflowError, TypeError, ValueError):
                return None
        found.append(value)
    return tuple(found) if any(a is not b for a, b in zip(found, values, strict=True)) else None


def check_unmasked(function: str, values: Sequence[Any]) -> None:
    """Raise InputError where numbers of an array are masked: nothing says what a function is to make of them."""
    for value in values:
        if type(value) is np.ndarray:  # the usual one; a call of few states is measured in microseconds
            continue
        if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
            why, fix = "there is no result for them", "x.filled(np.nan)"
            raise InputError(f"{function}: numbers of an argument are masked", why=why, fix=fix)


def check_separate(function: str, results: Sequence[Result], out: Sequence[Any]) -> None:
    """Raise InputError where arrays for results share memory: one would overwrite the other."""
    if len(out) == 2 and out[0] is not out[1] and getattr(out[0], "base", out) is getattr(out[1], "base", out) is None:
        return  # as most often: arrays that own their memory share none
    for j, x in enumerate(out):
        for i in range(j):
            if x is out[i] or (_is_view(x, out[i]) and np.shares_memory(x, out[i])):
                names = [results[k].name if k < len(results) else f"result {k}" for k in (i, j)]
                raise InputError(
                    f"{function}: the arrays in out for {names[0]!r} and {names[1]!r} share memory",
                    why="one would overwrite the other",
                    fix="give each result an array of its own",
                )


def check_unfolded(function: str, out: Sequence[Any]) -> None:
    """Raise InputError where several numbers of an array for results are at one place: all but one would be lost."""
    for x in out:
        if isinstance(x, np.ndarray) and not x.flags.forc and _folds(x):
            raise InputError(
                f"{function}: an array in out has several numbers at one place in memory",
                why=f"its strides are {x.strides}, as np.broadcast_to makes them",
                fix="give np.empty(shape)",
            )


def _is_view(x: Any, y: Any) -> bool:
    """Return whether two things are arrays that may share memory: such that own theirs do not."""
    if not (isinstance(x, np.ndarray) and isinstance(y, np.ndarray)) or (x.base is None and y.base is None):
        return False
    return bool(np.may_share_memory(x, y))


def _folds(x: np.ndarray) -> bool:
    """Return whether two numbers of an array are at one place."""
    reach = x.itemsize
    for stride, count in sorted((abs(s), n) for s, n in zip(x.strides, x.shape, strict=True) if n > 1):
        if stride < reach:
            break
        reach = stride * count
    else:
        return False
    if x.size > SEARCH or 0 in x.strides:
        return bool(x.size)
    places = sum(
        np.arange(n).reshape(-1, *[1] * (x.ndim - i - 1)) * s
        for i, (n, s) in enumerate(zip(x.shape, x.strides, strict=True))
    )
    return len(np.unique(places)) < x.size
