"""A program as a genuine NumPy gufunc: broadcasting, `out=`, dtype rules, no GIL held inside."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler.backends.llvm.assembly import Arguments, emit_module, emit_packed_block
from screwgraph.compiler.backends.llvm.domain_counter import COUNTER, EVERYTHING, Domains
from screwgraph.compiler.backends.llvm.fastcall import (
    is_layout_known,
    load_numpy_table,
    make_fastcall,
    make_full_fastcall,
    no_fastcall,
)
from screwgraph.compiler.backends.llvm.inner_loop import Shape
from screwgraph.compiler.backends.llvm.machine_code import (
    FAST,
    QUICK,
    Entry,
    MachineCode,
    cache_bytes,
    compile_tiered,
    make_entry,
)
from screwgraph.compiler.backends.llvm.packed_arrays import MOST, PackedArrays, exceeds_numpy, pack_domains
from screwgraph.compiler.cache import pack_code
from screwgraph.compiler.passes.outlining import WHOLE
from screwgraph.tape import Code, Routine

_FROM_SIGNATURE = 31
"""Place of PyUFunc_FromFuncAndDataAndSignature in NumPy's table of C functions."""

STEPS = 50
"""States that a call of code with such loops counts as, when it is judged whether faster code pays."""

EMPTY = "empty"
"""Name of the core dimensions that have no entries."""

CALLED = ("loop", "call", "whole")
"""The functions of machine code that are called from outside."""


@dataclass(frozen=True, eq=False)
class CompiledProgram:
    """Machine code of a program: `ufunc` for arrays of all kinds, and `quick`, which may return None, for one state.

    `whole` makes a function that is as quick, and calls another one with its arguments where `quick` returns None.
    `outside` grows in calls of `ufunc`, of any thread, in which a number is outside of its domain.
    """

    ufunc: np.ufunc
    quick: Callable[..., Any]
    outside: ctypes.c_int64
    whole: Callable[[Callable[..., Any]], Callable[..., Any]]


def compile_program(
    name: str,
    program: Code,
    arguments: Arguments,
    results: Sequence[Shape],
    dtype: str = "float64",
    *,
    batches: bool = True,
    quickly: bool = False,
    domains: Domains = EVERYTHING,
) -> CompiledProgram:
    """Compile a program for this machine; `results` are the outputs' core shapes, `dtype` float64 or float32.

    Without `batches`, and of code whose samples go alone, code for single states only is made, in a fraction of the
    time; `quickly` takes less time for long programs whose code may be a little slower. The quick call leaves
    numbers outside of their `domains` to the caller; in batches they are counted. Of more arrays or axes than NumPy
    takes, `ufunc` is a callable alike, which has no `where`, and there is no quick call.
    """
    if exceeds_numpy(arguments, results):
        cores, names = [core for core, _ in arguments], tuple(n for _, own in arguments for n in own)
        one, whole = ((len(names),), names), (sum(map(prod, results)),)
        ways: dict[str, bool] = {"batches": batches, "quickly": quickly}
        made = compile_program(name, program, [one], [whole], dtype, **ways, domains=pack_domains(domains, cores))
        packed: Any = PackedArrays(made.ufunc, cores, results)
        return CompiledProgram(packed, no_fastcall, made.outside, lambda otherwise: otherwise)
    batches = batches and not program.goes_alone
    large = cache_bytes()
    question = (pack_code(program), arguments, results, dtype, large, *(() if batches else ("single",)), domains)

    def source(whole: int) -> str:
        limbs = None if quickly or whole < WHOLE else emit_packed_block(program, arguments, dtype, domains)
        return emit_module(program, arguments, results, dtype, batches and whole >= least, domains, whole, limbs)

    level, least = (QUICK, WHOLE) if quickly else (FAST, 0)  # drafts of kernels take their states one by one
    counter = ctypes.c_int64()
    code = compile_tiered(
        question,
        source,
        CALLED,
        level,
        _weight(program),
        (lambda engine: None) if domains.is_everything else partial(install_counter, counter),
    )
    number = np.dtype(dtype)
    ufunc = make_ufunc(name, [shape for shape, _ in arguments], results, number, code, [counter])
    if not is_layout_known():
        return CompiledProgram(ufunc, no_fastcall, counter, lambda otherwise: otherwise)
    return CompiledProgram(ufunc, make_fastcall(code, number), counter, partial(make_full_fastcall, code, number))


def install_counter(counter: ctypes.c_int64, engine: Any, name: str = COUNTER) -> None:
    """Let machine code count, by default states with numbers outside of their domains."""
    ctypes.c_void_p.from_address(engine.get_global_value_address(name)).value = ctypes.addressof(counter)


def _weight(program: Code) -> int:
    """Return what a state counts."""
    has_loops = program.is_conditional or (isinstance(program, Routine) and program.repeats)
    return STEPS if has_loops else 1


def compile_loop(program: Code, arguments: Arguments, results: Sequence[Shape], dtype: str) -> Entry:
    """Compile a program to a loop over samples, of NumPy's signature, and return memory that holds its address."""
    question = (pack_code(program), arguments, results, dtype, cache_bytes())

    def source(whole: int) -> str:
        limbs = None if whole < WHOLE else emit_packed_block(program, arguments, dtype)
        return emit_module(program, arguments, results, dtype, not program.goes_alone, EVERYTHING, whole, limbs)

    return make_entry(compile_tiered(question, source, CALLED), "loop")


def compile_gufunc(
    name: str, program: Code, arguments: Arguments, results: Sequence[Shape], dtype: str = "float64"
) -> np.ufunc:
    """Compile a program to a gufunc; see `compile_program`."""
    return compile_program(name, program, arguments, results, dtype).ufunc


def loop_address(ufunc: np.ufunc) -> Any:
    """Return memory with the address of the loop that a gufunc of ours runs, which is another one with fast code."""
    return kept_alive(ufunc)[1]


class _UFunc(ctypes.Structure):
    """The beginning of `PyUFuncObject`, the same in all NumPy 1 and 2."""

    _fields_ = (
        ("count", ctypes.c_ssize_t),
        ("type", ctypes.c_void_p),
        ("numbers", ctypes.c_int * 4),  # nin, nout, nargs, identity
        ("functions", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        ("ntypes", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("types", ctypes.c_void_p),
        ("doc", ctypes.c_void_p),
        ("owner", ctypes.c_void_p),
        ("owned", ctypes.c_void_p),  # an object whose reference the ufunc gives back at its end
    )


def keep_alive(ufunc: np.ufunc, things: tuple[Any, ...]) -> None:
    """Let things live as long as a ufunc, which has none yet."""
    if hasattr(ufunc, "__dict__"):
        ufunc.__dict__["kept_alive"] = things
        return
    own = _UFunc.from_address(id(ufunc))
    assert own.name == ufunc.__name__.encode()
    assert not own.owned
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(things))
    own.owned = id(things)


def kept_alive(ufunc: np.ufunc) -> tuple[Any, ...]:
    """Return what `keep_alive` was given."""
    if hasattr(ufunc, "__dict__"):
        return ufunc.__dict__["kept_alive"]
    return ctypes.cast(_UFunc.from_address(id(ufunc)).owned, ctypes.py_object).value


def _core(shape: Shape) -> str:
    """Write a core shape; NumPy takes sizes of zero by name only."""
    return "(" + ",".join(str(size or EMPTY) for size in shape) + ")"


def make_ufunc(
    name: str,
    arguments: Sequence[Shape],
    results: Sequence[Shape],
    dtype: np.dtype,
    code: MachineCode,
    counters: Sequence[ctypes.c_int64],
) -> np.ufunc:
    """Make a gufunc of code's `loop` from core shapes; it keeps code and counters.

    Raises:
        InputError: NumPy takes no gufunc of so many arrays.
    """
    signature = "->".join(",".join(_core(shape) for shape in shapes) for shapes in (arguments, results))
    nin, nout = len(arguments), len(results)
    if nin + nout > MOST:
        why, fix = f"NumPy takes {MOST} at most", "call the function without blocks"
        raise InputError(f"{name} in blocks has {nin + nout} arrays", why=why, fix=fix)
    pointer = ctypes.c_void_p
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        pointer,
        pointer,
        pointer,
        *[ctypes.c_int] * 4,
        *[ctypes.c_char_p] * 2,
        ctypes.c_int,
        ctypes.c_char_p,
    )
    loops = make_entry(code, "loop")
    data = (pointer * 1)(None)
    types = (ctypes.c_char * (nin + nout))(*[bytes([dtype.num])] * (nin + nout))
    texts = (name.encode(), b"Generated code.", signature.encode())
    address_of = [pointer(ctypes.addressof(b)) for b in (loops, data, types)]
    no_identity = -1
    ufunc = prototype(load_numpy_table("_UFUNC_API")[_FROM_SIGNATURE])(
        *address_of, 1, nin, nout, no_identity, texts[0], texts[1], 0, texts[2]
    )
    # NumPy only borrows these; they live as long as the ufunc.
    keep_alive(ufunc, (code, loops, data, types, texts, counters))
    return ufunc
