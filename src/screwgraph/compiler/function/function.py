"""A compiled function of arrays: shapes checked, any broadcasting over leading axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import ref

import numpy as np
from jaxtyping import Float

from screwgraph.base import html_display
from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.compiler.backends import ExportedFunction, Library
from screwgraph.compiler.backends.c import emit_header, emit_source
from screwgraph.compiler.backends.cuda import CudaFunction, make_cuda_function
from screwgraph.compiler.backends.jax import JaxFunction, make_jax_function
from screwgraph.compiler.backends.ptx import kernel_source
from screwgraph.compiler.backends.torch import TorchFunction, make_torch_function
from screwgraph.compiler.cache import pack_code, unpack_code
from screwgraph.compiler.derivatives.ambient_function import AmbientFunction
from screwgraph.compiler.derivatives.derivative_code import DerivativeCode
from screwgraph.compiler.derivatives.tape_derivatives import Analytic
from screwgraph.compiler.function.block_layout import BlockedFunction
from screwgraph.compiler.function.bound_parameters import (
    BoundFunction,
    Names,
    make_core,
    make_setting,
    parameter_argument,
)
from screwgraph.compiler.function.function_exports import (
    emit_llvm_text,
    export_function,
    library_code,
    make_ambient_function,
    to_casadi,
)
from screwgraph.compiler.function.function_help import describe_functions
from screwgraph.compiler.function.jacobian import make_jacobian
from screwgraph.compiler.function.native_callable import SIGNATURE, NativeCallable, set_call_target
from screwgraph.compiler.function.packed_results import make_packed
from screwgraph.compiler.function.pivot_sizes import PivotSizes, find_pivots
from screwgraph.compiler.function.provenance import Provenance, make_unknown_provenance
from screwgraph.compiler.function.singular_fallback import Fallback
from screwgraph.compiler.function.sparsity import Sparsity, find_sparsities
from screwgraph.compiler.function.tiered_evaluation import Evaluation
from screwgraph.compiler.passes.parameter_hoisting import Split, split_code
from screwgraph.compiler.signature import (
    Argument,
    Result,
    check_arrays,
    check_count,
    concatenate_columns,
    format_arguments,
    validate_dtype,
)
from screwgraph.elimination import Dag, Parallelism
from screwgraph.elimination.parallelism import program_parallelism
from screwgraph.tape import Code, Operations, Program, Routine, format_operations


@describe_functions
@dataclass(frozen=True, eq=False)
class Function(NativeCallable):
    """A function that elimination produced, called with arrays `(..., *shape)` that broadcast.

    It returns one array, or a tuple of arrays where there are several `results`. `body` is its code, `program` the same
    without loops, `ordering` the name of the order that it came from. Machine code, which computes with numbers of type
    `dtype`, is made at the first call.

    `f(*values, out=None, threads=1)` evaluates one state or batches, which threads share; arguments may be given by
    name, f(q=q, qd=qd, tau=tau). NaN and infinity go through, with NumPy's floating-point warnings. Where a pivot of
    the code vanishes, a function of ordering "auto" answers by code in another order, which is made then; where there
    is no other, the answer is NaN, and a RuntimeWarning says why. Of arrays of scalars of a tape, one state, it returns
    such arrays: its code is written on that tape. It raises InputError for a wrong number, name, shape or type of
    arguments, a quaternion that is not unit, and a parameter that is never negative, as a mass, but is.
    """

    _repr_html_ = html_display.html

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    body: Code | DerivativeCode
    ordering: str
    origin: Provenance
    dtype: str = "float64"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle signature, program and closed-form derivatives; machine code is made again, or found in the cache."""
        code = self.body if isinstance(self.body, DerivativeCode) else pack_code(self.body)
        kept = {name: getattr(self, name) for name in ("name", "arguments", "results", "ordering", "dtype")}
        return _unpickle_function, (kept, code, self.origin.analytic, self.origin.vanished)

    def __post_init__(self) -> None:
        own, code = ref(self), self._evaluation  # neither refers to the function: it is dropped with its last reference

        def first(*values: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
            values = code.in_order(values, named)
            if out is None and code.is_symbolic(values):
                return code.on_tape(values)
            f = own()
            if f is not None and not code.is_batch(values):
                set_call_target(f, code.whole())
            return code.general(values, out, threads)

        set_call_target(self, first)
        self.__dict__["__signature__"] = SIGNATURE

    @property
    def program(self) -> Program:
        """The straight-line code; of code with loops, these written out."""
        return self._evaluation.together.unrolled

    @cached_property
    def _evaluation(self) -> Evaluation:
        return Evaluation(self.name, self.arguments, self.results, self.body, self.dtype, self.origin.vanished)

    def few(self, *values: Any) -> Any:
        """Evaluate as a call does, for once or for few states: interpreted, while that costs less than machine code.

        So it is until the time spent would have made machine code, which then answers, equal up to rounding.

        Raises:
            InputError: as a call does.
        """
        return self._evaluation.few(*values)

    @property
    def ufunc(self) -> np.ufunc:
        """The function as a NumPy gufunc; of too many arrays for one, a callable alike that has no `where`."""
        return self._evaluation.compiled.ufunc

    @property
    def single(self) -> np.ufunc:
        """The gufunc that answers calls with one state; of long code not `ufunc`, and with loops where these pay."""
        return self._evaluation.single.ufunc

    @property
    def quick(self) -> Callable[..., Any]:
        """The way past NumPy for one state, made when it is first called; None where an answer needs NumPy."""
        return self._evaluation.quick

    def astype(self, dtype: Any) -> Function:
        """Return the same function, computed with numbers of another type: "float64" or "float32".

        Arguments of a float32 function are rounded to float32 first, whatever they are.

        Raises:
            InputError: there is no code for this type.
        """
        return replace(self, dtype=validate_dtype(dtype))

    @property
    def result_shape(self) -> tuple[int, ...]:
        """Shape of the result of one state, for functions of one result.

        Raises:
            InputError: there are several.
        """
        if len(self.results) != 1:
            raise InputError(f"{self.name} has {len(self.results)} results", fix="`results` has a shape for each")
        return self.results[0].shape

    @cached_property
    def dag(self) -> Dag:
        """The elimination DAG of the robot as it is; passes may have made the code of an equivalent, cheaper one."""
        return self.origin.plain()

    def __repr__(self) -> str:
        results = format_arguments(self.results).removeprefix("result: ")
        number = "" if self.dtype == "float64" else f", {self.dtype}"
        code = f"{format_operations(self._evaluation.together)}, {self.ordering}{number}"
        return f"<{self.name}({format_arguments(self.arguments)}) -> {results}, {code}>"

    @property
    def operations(self) -> Operations:
        """Counts of + - * / sqrt sin cos in the compiled code, that for batches."""
        return self._evaluation.together.operations

    @property
    def parallelism(self) -> Parallelism:
        """Parallelism of the code, each operation a task; `dag.cliques.parallelism` has cliques."""
        return program_parallelism(self.program)

    def pivots(self, *values: Any) -> np.ndarray:
        """Return the smallest relative pivot at each state, `(...)`: near 0, the answer there is not reliable.

        Pivots are what elimination divides by. Each is compared with its median over random states; pivots that do not
        depend on the state count as 1. Where one vanishes, the function itself returns infinity or NaN.

        Raises:
            InputError: wrong number, shape or type of arguments.
        """
        check_count(self.name, self.arguments, values)
        arrays = check_arrays(self.name, self.arguments, values)
        return self._pivots.smallest(concatenate_columns(self.arguments, arrays))

    @cached_property
    def _pivots(self) -> PivotSizes:
        return find_pivots(self.program, self.arguments)

    @cached_property
    def casadi(self) -> Any:
        """The same function as a `casadi.Function` of column vectors; matrices are columns, row by row.

        Quaternions are divided by their lengths, so that derivatives along them are zero.
        """
        return to_casadi(self)

    def jax(self) -> JaxFunction:
        """Return the same function of JAX arrays: the machine code, called by XLA on the processor.

        It takes arrays `(..., *shape)` that broadcast, goes through `jit`, `vmap`, `jvp` and `vjp`, and has derivatives
        of any order, exact and compiled when they are asked for. Derivatives are by the numbers of an argument:
        quaternions are divided by their lengths, so that derivatives along them are zero.

        Raises:
            InputError: JAX is not installed, or computes with single precision only.
        """
        return make_jax_function(self.name, self.plain)

    def torch(self) -> TorchFunction:
        """Return the same function of PyTorch tensors on the processor: an operator that calls the machine code.

        It takes tensors `(..., *shape)` that broadcast, goes through `autograd`, `torch.func` and `torch.compile`, and
        has the derivatives of `jax`.

        Raises:
            InputError: PyTorch is not installed.
        """
        return make_torch_function(self._plain, self)

    def cuda(self) -> CudaFunction:
        """Return the same function on an NVIDIA GPU, one thread a sample: of NumPy's arrays, or of arrays there.

        Quaternions are divided by their lengths; angles beyond 2^50 rad (float32: 2^21) and vanishing pivots give NaN.

        Raises:
            InputError: `cuda-bindings` is not installed, there is no GPU or no driver.
        """
        return make_cuda_function(self._plain)

    def plain(self) -> AmbientFunction:
        """Return the function of plain numbers, quaternions of any length, for libraries that know no manifolds."""
        return self._plain

    @cached_property
    def _plain(self) -> AmbientFunction:
        return make_ambient_function(self)

    def with_parameters(self, values: Mapping[str, Any] | Float[np.ndarray, "... k"]) -> BoundFunction:
        """Return the function at values of its parameters (SI units): an array (..., k), or a mapping by name.

        What they alone determine is computed here, once; the function that is returned takes the other arguments.
        Nothing is compiled again. Parameters that a mapping does not name have the values of the model's file.

        Raises:
            InputError: the function has no parameters, none of a name, values of another shape, or that are not finite,
                or negative masses, dampings, friction, armatures or stiffness.
        """
        vector = self._names.vector(values) if isinstance(values, Mapping) else values
        self._names.check(vector)
        return BoundFunction(self, vector, self.setting(vector))

    @check_arguments
    def parameter_vector(self, values: Mapping[str, Any]) -> Float[np.ndarray, "... k"]:
        """Return the argument `parameters` (..., k) from values by name, the file's for those that are not named.

        The value of "link7" or "payload" may be a `SpatialInertia`, or its ten `parameters`.

        Raises:
            InputError: the function has no parameters, none of a name, or values of another shape.
        """
        return self._names.vector(values)

    @cached_property
    def _names(self) -> Names:
        return Names(self.name, parameter_argument(self))

    @cached_property
    def setting(self) -> Function:
        """Preamble: values of parameters alone, computed once a change: (..., k) -> (..., m), which `core` takes."""
        return make_setting(self, self._split)

    @cached_property
    def core(self) -> Function:
        """The function of the other arguments and of the result of `setting`, which comes last."""
        return make_core(self, self._split)

    @cached_property
    def _split(self) -> Split:
        code = self.body if isinstance(self.body, Routine) else self.program
        return split_code(code, frozenset(parameter_argument(self).names))

    def passes(self) -> Mapping[str, Code]:
        """Return the code before any pass ("as it is") and after each, by the names of the passes, in their order.

        `to_text()` of straight-line code lists its instructions. Of a derivative, it is the code of its function. The
        code is made anew: this takes as long as compiling once for each pass.

        Raises:
            InputError: the function was pickled.
        """
        return self.origin.passes()

    def report(self) -> str:
        """Print the operations of the code before any pass and after each; of a derivative, those of its function."""
        return self.origin.report() or f"{'code':<28}{self.operations.total:>7}"

    @check_arguments
    def jacobian(self, *by: str) -> Function:
        """Return exact derivatives by arguments, `(..., *result, n)` each: one function of the same arguments.

        By "q", the n directions are the velocity coordinates: a quaternion's are turns in the child's frame, a floating
        base's are (omega, v) in its own frame, the others those of q itself. Several arguments give a tuple, in their
        order, and cost less than one after the other.

        Of closed chains, q is differentiated coordinate by coordinate of the spanning tree, as if loops were open: the
        law K qdd = k holds at any q, and nothing pulls them closed. Only along changes that keep positions closed and
        velocities allowed (K dq = 0, and K dqd = -dK qd) is the result what the mechanism does.

        Raises:
            InputError: no argument is named, none has that name, or one is named twice.
        """
        return make_jacobian(self, by)

    @cached_property
    def sparsities(self) -> tuple[Sparsity, ...]:
        """Which entries of each result are not always zero; of one that is symmetric, those of a triangle."""
        return find_sparsities(self.program, self.results)

    @check_arguments
    def packed(self, *kept: Sparsity) -> Function:
        """Return the function whose results are vectors `(..., k)` of the entries that are `kept` of each result.

        By default these are those of `sparsities`, which tell where they stand, and make whole arrays of them. Names of
        results say the indices: "result[2, 0]".

        Raises:
            InputError: there is not one sparsity for each result, of its shape, that keeps an entry.
        """
        return make_packed(self, kept or self.sparsities)

    def blocked(self) -> BlockedFunction:
        """Return the function of batches in blocks of 8 samples (float32: 16), which need no turning.

        It takes and returns arrays `(blocks, *shape, samples)`, and makes them of rows; keep it for the next call.
        """
        return BlockedFunction(self)

    @check_arguments
    def code(self, language: str) -> Mapping[str, str]:
        """Return the same function as the texts of files, by path, in a language of `screwgraph.compiler.BACKENDS`.

        Exported code divides quaternions by their lengths. `sg.export_library` writes several functions together.

        Raises:
            InputError: there is no such language, it has no code for this type of numbers, or it is not installed.
        """
        return library_code(Library("", (self.listing(),)), language)

    def listing(self, name: str = "") -> ExportedFunction:
        """Return the function as back ends write it for other programs, under a name of its own."""
        return export_function(self, name or self.name)

    def c_source(self) -> str:
        """The same function as self-contained C99 that needs nothing but math.h; matrices stand row by row."""
        return emit_source(Library("", (self.listing(),)))

    def c_header(self) -> str:
        """The header that goes with `c_source`, for C and C++."""
        return emit_header(Library("", (self.listing(),)))

    def llvm_source(self) -> str:
        """The LLVM assembly that machine code is made from here: a loop as NumPy calls it."""
        return emit_llvm_text(self)

    def ptx_source(self) -> str:
        """The kernel that `cuda` launches, as PTX: its arguments stand in `screwgraph.compiler.backends.ptx`.

        Raises:
            InputError: a thread has less memory than loops need.
        """
        return kernel_source(self._plain)

    def algorithm(self, form: str = "text", *, definitions: bool = True) -> str:
        """Print the elimination DAG as numbered assignments; see `Dag.algorithm`."""
        return self.dag.algorithm(form, definitions=definitions)


def _unpickle_function(
    kept: Mapping[str, Any], code: bytes | DerivativeCode, analytic: Analytic | None, vanished: Fallback | None
) -> Function:
    body = code if isinstance(code, DerivativeCode) else unpack_code(code)
    return Function(**kept, body=body, origin=make_unknown_provenance(analytic, vanished))
