"""A compiled function of arrays: shapes checked, any broadcasting over leading axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn
from weakref import ref

import numpy as np
from jaxtyping import Float

from screwgraph import displayed
from screwgraph.arguments import checked
from screwgraph.compiler.analytic import further
from screwgraph.compiler.backends import BACKENDS, Library, Listing
from screwgraph.compiler.backends.c import c_header, c_source
from screwgraph.compiler.backends.casadi import casadi_function
from screwgraph.compiler.backends.cuda import CudaFunction, cuda_function
from screwgraph.compiler.backends.jax import JaxFunction, jax_function
from screwgraph.compiler.backends.ptx import kernel_source
from screwgraph.compiler.backends.torch import TorchFunction, torch_function
from screwgraph.compiler.blocked import BlockedFunction
from screwgraph.compiler.bound import BoundFunction, Names
from screwgraph.compiler.cache import Made, pack_code, remembered, unpack_code
from screwgraph.compiler.called import SIGNATURE, Called, call_by
from screwgraph.compiler.coordinates import by_coordinates, plain_arguments
from screwgraph.compiler.derivatives import Analytic
from screwgraph.compiler.evaluation import Evaluation
from screwgraph.compiler.library import library_code
from screwgraph.compiler.numbers import dtype_name
from screwgraph.compiler.pivots import Pivots, pivots
from screwgraph.compiler.plain import Plain
from screwgraph.compiler.signature import (
    PARAMETERS,
    Argument,
    Result,
    check_arrays,
    check_count,
    columns_of,
    numbered,
    written,
)
from screwgraph.compiler.sparsity import Sparsity, entries, sparsities
from screwgraph.compiler.split import CARRIED, Split, split
from screwgraph.compiler.unit import normalising
from screwgraph.compiler.vanished import Differentiated, Fallback, Packed
from screwgraph.compiler.wide import Wide, derived
from screwgraph.elimination import Dag, Parallelism
from screwgraph.elimination.parallelism import of_program
from screwgraph.errors import InputError
from screwgraph.robot import unknown
from screwgraph.summary import one_line
from screwgraph.tape import Operations, Program
from screwgraph.tape.rolled import Code, straight


@dataclass(frozen=True, eq=False)
class Origin:
    """What code was made of, computed when somebody asks.

    `plain` makes the elimination of the robot as it is, in the same order; `savings` counts operations before any pass,
    and after each; `analytic` knows derivatives in closed form, where there are some; `vanished` what to do where a
    pivot vanishes; `examples` are values (k, numbers) of each argument at which exported code is tried.
    """

    __repr__ = one_line

    plain: Callable[[], Dag]
    savings: Callable[[], Mapping[str, int]]
    analytic: Analytic | None = None
    vanished: Fallback | None = None
    examples: Callable[[], Sequence[np.ndarray]] | None = None


@dataclass(frozen=True, eq=False)
class Function(Called):
    """A function that elimination produced, called with arrays `(..., *shape)` that broadcast.

    It returns one array, or a tuple of arrays where there are several `results`. `body` is its code, `program` the same
    without loops, `ordering` the name of the order that it came from. Machine code, which computes with numbers of type
    `dtype`, is made at the first call.

    `f(*values, out=None, threads=1)` evaluates one state or batches, which threads share; arguments may be given by
    name, f(q=q, qd=qd, tau=tau). NaN and infinity go through, with NumPy's floating-point warnings. Where a pivot of
    the code vanishes, a function of ordering "auto" answers by code in another order, which is made then; where there
    is no other, the answer is NaN, and a RuntimeWarning says why. Of arrays of scalars of a tape, one state, it returns
    such arrays: its code is written on that tape. It raises InputError for a wrong number, name, shape or type of
    arguments, and for a quaternion that is not unit.
    """

    _repr_html_ = displayed.html

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    body: Code | Wide
    ordering: str
    origin: Origin
    dtype: str = "float64"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle signature, program and closed-form derivatives; machine code is made again, or found in the cache."""
        code = self.body if isinstance(self.body, Wide) else pack_code(self.body)
        known = (self.origin.analytic, self.origin.vanished)
        return _unpickled, (self.name, self.arguments, self.results, code, self.ordering, known, self.dtype)

    def __post_init__(self) -> None:
        own, code = ref(self), self._evaluation  # neither refers to the function: it is dropped with its last reference

        def first(*values: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
            values = code.in_order(values, named)
            if out is None and code.is_symbolic(values):
                return code.on_tape(values)
            f = own()
            if f is not None and not code.is_batch(values):
                call_by(f, code.whole())
            return code.general(values, out, threads)

        call_by(self, first)
        self.__dict__["__signature__"] = SIGNATURE

    @property
    def program(self) -> Program:
        """The straight-line code; of code with loops, these written out."""
        return straight(self._evaluation.together)

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
        """The function as a NumPy gufunc: broadcasting, `out=`, `where` and dtype rules are NumPy's."""
        return self._evaluation.compiled.ufunc

    @property
    def single(self) -> np.ufunc:
        """The gufunc that answers calls with one state; of long code not `ufunc`, and with loops where these pay."""
        return self._evaluation.single.ufunc

    @property
    def quick(self) -> Callable[..., Any]:
        """The way past NumPy for one state; it returns None where arguments or answer need NumPy's attention.

        Until it is called with numbers, it makes no machine code.
        """
        return self._evaluation.quick

    def astype(self, dtype: Any) -> Function:
        """Return the same function, computed with numbers of another type: "float64" or "float32".

        Arguments of a float32 function are rounded to float32 first, whatever they are.

        Raises:
            InputError: there is no code for this type.
        """
        return replace(self, dtype=dtype_name(dtype))

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
        results = written(self.results).removeprefix("result: ")
        number = "" if self.dtype == "float64" else f", {self.dtype}"
        total = self.operations.total
        return f"<{self.name}({written(self.arguments)}) -> {results}, {total} operations, {self.ordering}{number}>"

    @property
    def operations(self) -> Operations:
        """Counts of + - * / sqrt sin cos in the compiled code, that for batches."""
        return self._evaluation.together.operations

    @property
    def parallelism(self) -> Parallelism:
        """What the code leaves to several processors, each operation a task; `dag.cliques.parallelism` has cliques."""
        return of_program(self.program)

    def pivots(self, *values: Any) -> np.ndarray:
        """Return the smallest relative pivot at each state, `(...)`: near 0, the answer there is not reliable.

        Pivots are what elimination divides by. Each is compared with its median over random states; pivots that do not
        depend on the state count as 1. Where one vanishes, the function itself returns infinity or NaN.

        Raises:
            InputError: wrong number, shape or type of arguments.
        """
        check_count(self.name, self.arguments, values)
        arrays = check_arrays(self.name, self.arguments, values)
        columns = columns_of(self.arguments, arrays)
        return self._pivots.smallest(columns)

    @cached_property
    def _pivots(self) -> Pivots:
        return pivots(self.program, self.arguments)

    @cached_property
    def casadi(self) -> Any:
        """The same function as a `casadi.Function` of column vectors; matrices are columns, row by row.

        Quaternions are divided by their lengths, so that derivatives along them are zero.
        """
        arguments = [(a.name, a.names) for a in self.arguments]
        program = normalising(self.program, self.arguments, self._evaluation.quaternions)
        return casadi_function(self.name, program, arguments, [(r.name, r.size) for r in self.results])

    def jax(self) -> JaxFunction:
        """Return the same function of JAX arrays: the machine code, called by XLA on the processor.

        It takes arrays `(..., *shape)` that broadcast, goes through `jit`, `vmap`, `jvp` and `vjp`, and has derivatives
        of any order, exact and compiled when they are asked for. Derivatives are by the numbers of an argument:
        quaternions are divided by their lengths, so that derivatives along them are zero.

        Raises:
            InputError: JAX is not installed, or computes with single precision only.
        """
        return jax_function(self.name, self.plain)

    def torch(self) -> TorchFunction:
        """Return the same function of PyTorch tensors on the processor: an operator that calls the machine code.

        It takes tensors `(..., *shape)` that broadcast, goes through `autograd`, `torch.func` and `torch.compile`, and
        has the derivatives of `jax`.

        Raises:
            InputError: PyTorch is not installed.
        """
        return torch_function(self._plain, self)

    def cuda(self) -> CudaFunction:
        """Return the same function on an NVIDIA GPU, one thread a sample: of NumPy's arrays, or of arrays there.

        Quaternions are divided by their lengths, angles beyond 2^50 rad (float32: 2^21) give NaN. Where a pivot of its
        code vanishes, the answer is NaN: no other order is tried.

        Raises:
            InputError: `cuda-bindings` is not installed, there is no GPU or no driver.
        """
        return cuda_function(self._plain)

    def plain(self) -> Plain:
        """Return the function of plain numbers, quaternions of any length, for libraries that know no manifolds."""
        return self._plain

    @cached_property
    def _plain(self) -> Plain:
        places, sizes = self._evaluation.quaternions, [r.size for r in self.results]
        arguments = plain_arguments(self.arguments)

        def slopes(by: tuple[str, ...]) -> Code:
            tangent = self.jacobian(*by)
            if not places:
                return tangent._evaluation.together
            question = ("coordinates", pack_code(tangent._evaluation.together), self.arguments, by, sizes)
            made = remembered(
                question,
                lambda: Made(by_coordinates(tangent.program, sizes, self.arguments, by, places), self.ordering),
            )
            return made.body

        program = normalising(self.program, self.arguments, places) if places else self._evaluation.together
        return Plain(self.name, arguments, self.results, program, self.dtype, slopes)

    def with_parameters(self, values: Mapping[str, Any] | Float[np.ndarray, "... k"]) -> BoundFunction:
        """Return the function at values of its parameters (SI units): an array (..., k), or a mapping by name.

        What they alone determine is computed here, once; the function that is returned takes the other arguments.
        Nothing is compiled anew. Parameters that a mapping does not name have the values of the model's file.

        Raises:
            InputError: the function has no parameters, none of a name, or values of another shape.
        """
        vector = self._names.vector(values) if isinstance(values, Mapping) else values
        return BoundFunction(self, vector, self.setting(vector))

    @checked
    def parameter_vector(self, values: Mapping[str, Any]) -> Float[np.ndarray, "... k"]:
        """Return the argument `parameters` (..., k) from values by name, the file's for those that are not named.

        The value of "link7" or "payload" may be a `SpatialInertia`, or its ten `parameters`.

        Raises:
            InputError: the function has no parameters, none of a name, or values of another shape.
        """
        return self._names.vector(values)

    @cached_property
    def _names(self) -> Names:
        return Names(self.name, self._parameters)

    @property
    def _parameters(self) -> Argument:
        found = next((a for a in self.arguments if a.name == PARAMETERS), None)
        if found is None:
            raise InputError(f"{self.name} has no parameters", fix='make it with parameters=["link7", ...]')
        return found

    @cached_property
    def setting(self) -> Function:
        """What parameters alone determine, computed once a change: (..., k) -> (..., m), which `core` takes."""
        carried = Result(CARRIED, (len(self._split.before.outputs),))
        return self._part("setting", (self._parameters,), (carried,), self._split.before)

    @cached_property
    def core(self) -> Function:
        """The function of the other arguments and of the result of `setting`, which comes last."""
        count = len(self._split.before.outputs)
        arguments = (*(a for a in self.arguments if a.name != PARAMETERS), numbered(CARRIED, count))
        return self._part("core", arguments, self.results, self._split.after)

    @cached_property
    def _split(self) -> Split:
        return split(self.program, frozenset(self._parameters.names))

    def _part(self, name: str, arguments: tuple[Argument, ...], results: tuple[Result, ...], code: Program) -> Function:
        origin = Origin(self.origin.plain, dict)
        return Function(f"{self.name}_{name}", arguments, results, code, self.ordering, origin, self.dtype)

    def report(self) -> str:
        """Print the operations of the code before any pass and after each; of a derivative, those of its function."""
        lines, before = [], None
        for name, count in self.origin.savings().items():
            saved = "" if before is None else f"   {before - count:+d} saved"
            lines.append(f"{name:<28}{count:>7}{saved}")
            before = count
        return "\n".join(lines)

    @checked
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
        arguments = {a.name: a for a in self.arguments}
        if not by:
            known = ", ".join(map(repr, arguments))
            raise InputError(f"{self.name}: derivatives by what", why="no argument is named", fix=f"jacobian({known})")
        for name in by:
            if name not in arguments:
                raise unknown("argument", name, tuple(arguments))
        if len(set(by)) < len(by):
            raise InputError(f"derivatives by {', '.join(by)}: one is named twice", fix="name it once")
        analytic = self.origin.analytic
        source = self._evaluation.together
        body = derived(source, self.arguments, by, analytic)
        results = tuple(
            Result(r.name if len(by) == 1 else f"{r.name}_by_{name}", (*r.shape, arguments[name].tangent_size))
            for name in by
            for r in self.results
        )
        vanished = self.origin.vanished and Differentiated(self.origin.vanished, by)
        origin = replace(self.origin, analytic=further(analytic, by), vanished=vanished)
        name = f"{self.name}_by_{'_'.join(by)}"
        return replace(self, name=name, results=results, body=body, origin=origin)

    @cached_property
    def sparsities(self) -> tuple[Sparsity, ...]:
        """Which entries of each result are not always zero; of one that is symmetric, those of a triangle."""
        return sparsities(self.program, self.results)

    @checked
    def packed(self, *kept: Sparsity) -> Function:
        """Return the function whose results are vectors `(..., k)` of the entries that are `kept` of each result.

        By default these are those of `sparsities`, which tell where they stand, and make whole arrays of them. Names of
        results say the indices: "result[2, 0]".

        Raises:
            InputError: there is not one sparsity for each result, of its shape, that keeps an entry.
        """
        asked = kept or self.sparsities
        if [s.shape for s in asked] != [r.shape for r in self.results]:
            given = ", ".join("x".join(map(str, s.shape)) or "1" for s in asked)
            raise InputError(
                f"{self.name} cannot be packed so", why=f"its results are {written(self.results)}, kept of {given}"
            )
        empty = next((r.name for r, s in zip(self.results, asked, strict=True) if not s.places), None)
        if empty:
            raise InputError(f"{self.name} cannot be packed so", why=f"no entry of {empty!r} is kept")
        program, results = entries(self.program, self.results, asked)
        origin = replace(
            self.origin,
            analytic=None,
            vanished=self.origin.vanished and Packed(self.origin.vanished, asked),
        )
        return replace(self, name=f"{self.name}_packed", results=results, body=program, origin=origin)

    def blocked(self) -> BlockedFunction:
        """Return the function of batches in blocks of 8 samples (float32: 16), which need no turning.

        It takes and returns arrays `(blocks, *shape, samples)`, and makes them of rows. Machine code is its own: keep
        what is returned for the next call.
        """
        return BlockedFunction(self)

    @checked
    def code(self, language: str) -> Mapping[str, str]:
        """Return the same function as the texts of files, by path, in a language of `screwgraph.compiler.BACKENDS`.

        Exported code divides quaternions by their lengths. `sg.export_library` writes several functions together.

        Raises:
            InputError: there is no such language, it has no code for this type of numbers, or it is not installed.
        """
        return library_code(Library("", (self.listing(),)), language)

    def listing(self, name: str = "") -> Listing:
        """Return the function as back ends write it for other programs, under a name of its own."""
        program = normalising(self.program, self.arguments, self._evaluation.quaternions)
        return Listing(name or self.name, program, self.arguments, self.results, self.dtype, self.origin.examples)

    def c_source(self) -> str:
        """The same function as self-contained C99 that needs nothing but math.h; matrices stand row by row."""
        return c_source(Library("", (self.listing(),)))

    def c_header(self) -> str:
        """The header that goes with `c_source`, for C and C++."""
        return c_header(Library("", (self.listing(),)))

    def llvm_source(self) -> str:
        """The LLVM assembly that machine code is made from here: a loop as NumPy calls it."""
        own = Listing(self.name, self.program, self.arguments, self.results, self.dtype)
        return BACKENDS["llvm"].files(Library("", (own,)))[f"{self.name}.ll"]

    def ptx_source(self) -> str:
        """The kernel that `cuda` launches, as PTX: its arguments stand in `screwgraph.compiler.backends.ptx`.

        Raises:
            InputError: a thread has less memory than loops need.
        """
        return kernel_source(self._plain)

    def algorithm(self, form: str = "text", *, definitions: bool = True) -> str:
        """Print the elimination DAG as numbered assignments; see `Dag.algorithm`."""
        return self.dag.algorithm(form, definitions=definitions)


def _unpickled(
    name: str,
    arguments: tuple[Argument, ...],
    results: tuple[Result, ...],
    code: bytes | Wide,
    ordering: str,
    known: tuple[Analytic | None, Fallback | None],
    dtype: str,
) -> Function:
    origin = Origin(_forgotten, _forgotten, *known)
    body = code if isinstance(code, Wide) else unpack_code(code)
    return Function(name, arguments, results, body, ordering, origin, dtype)


def _forgotten() -> NoReturn:
    raise InputError(
        "a function that was pickled has no DAG and no report", fix="compile it anew: its code is in the cache"
    )
