"""A function as JAX calls it: what it is given is checked, then XLA calls the machine code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from screwgraph.compiler.backends.jax.arrays import broadcast_arguments
from screwgraph.compiler.backends.jax.derivatives import make_differentiable
from screwgraph.compiler.backends.jax.library import check_precision, import_jax
from screwgraph.compiler.derivatives.ambient_function import AmbientFunction
from screwgraph.compiler.signature import check_count


def make_jax_function(name: str, plain: Callable[[], AmbientFunction]) -> JaxFunction:
    """Return a function of JAX arrays `(..., *shape)` that broadcast, made of machine code for this processor.

    `plain` returns the function of plain numbers, and can be pickled.

    Raises:
        InputError: JAX is not installed, or computes with single precision only where the function has double.
    """
    check_precision(import_jax(), name, plain().dtype)
    return JaxFunction(plain, name)


@dataclass(frozen=True, eq=False)
class JaxFunction:
    """A function of JAX arrays `(..., *shape)` on the processor, which broadcast; it returns an array, or several.

    It raises InputError for a wrong number, shape or type of arguments, and where JAX is not installed or computes
    with single precision only: another process, in which it was unpickled, may say so at the first call.
    """

    plain: Callable[[], AmbientFunction]
    __name__: str

    def __repr__(self) -> str:
        return f"<{self.__name__} of JAX arrays>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it is made of: machine code and what XLA knows of it belong to a process."""
        return JaxFunction, (self.plain, self.__name__)

    def __deepcopy__(self, memo: Any) -> JaxFunction:
        """Return itself: it never changes."""
        return self

    def __call__(self, *values: Any) -> Any:
        """Return the results, arrays of all leading axes, of the function's type."""
        return self._jit_function(*values)

    @cached_property
    def _jit_function(self) -> Callable[..., Any]:
        jax, f = import_jax(), self.plain()
        apply = make_differentiable(jax, f)

        def call_function(*values: Any) -> Any:
            check_count(f.name, f.arguments, values)
            found = apply(*broadcast_arguments(jax, f, values))
            return found[0] if len(f.results) == 1 else found

        call_function.__name__ = call_function.__qualname__ = f.name
        return jax.jit(call_function)
