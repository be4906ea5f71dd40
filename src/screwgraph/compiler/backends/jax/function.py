"""A function as JAX calls it: what it is given is checked, then XLA calls the machine code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from screwgraph.compiler.backends.jax.arrays import broadcast
from screwgraph.compiler.backends.jax.derivatives import differentiable
from screwgraph.compiler.backends.jax.library import check_precision, jax_module
from screwgraph.compiler.plain import Plain
from screwgraph.compiler.signature import check_count


def jax_function(name: str, plain: Callable[[], Plain]) -> JaxFunction:
    """Return a function of JAX arrays `(..., *shape)` that broadcast, made of machine code for this processor.

    `plain` returns the function of plain numbers, and can be pickled.

    Raises:
        InputError: JAX is not installed, or computes with single precision only where the function has double.
    """
    check_precision(jax_module(), name, plain().dtype)
    return JaxFunction(plain, name)


@dataclass(frozen=True, eq=False)
class JaxFunction:
    """A function of JAX arrays `(..., *shape)` on the processor, which broadcast; it returns an array, or several.

    It raises InputError for a wrong number, shape or type of arguments, and where JAX is not installed or computes
    with single precision only: another process, in which it was unpickled, may say so at the first call.
    """

    plain: Callable[[], Plain]
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
        return self._jitted(*values)

    @cached_property
    def _jitted(self) -> Callable[..., Any]:
        jax, f = jax_module(), self.plain()
        apply = differentiable(jax, f)

        def called(*values: Any) -> Any:
            check_count(f.name, f.arguments, values)
            found = apply(*broadcast(jax, f, values))
            return found[0] if len(f.results) == 1 else found

        called.__name__ = called.__qualname__ = f.name
        return jax.jit(called)
