"""Functions of plain numbers, for libraries that know no manifolds: quaternions of any length."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from screwgraph.compiler.cache import Made, pack_code, remembered
from screwgraph.compiler.derivatives import derivatives
from screwgraph.compiler.signature import Argument, Result
from screwgraph.summary import one_line
from screwgraph.tape.rolled import Code


@dataclass(frozen=True, eq=False)
class Plain:
    """A function of plain numbers; `slopes` makes the code of its derivatives by arguments."""

    __repr__ = one_line

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    program: Code
    dtype: str
    slopes: Callable[[tuple[str, ...]], Code]

    @cached_property
    def operands(self) -> tuple[list[tuple[tuple[int, ...], tuple[str, ...]]], list[tuple[int, ...]]]:
        """Shapes and names of the arguments, and shapes of the results, as machine code is made for them."""
        return [(a.shape, a.names) for a in self.arguments], [r.shape for r in self.results]

    @cached_property
    def code_name(self) -> str:
        """By what libraries may know the machine code: the same in every process, another for other code."""
        question = repr((pack_code(self.program), *self.operands, self.dtype))
        return f"f{hashlib.sha256(question.encode()).hexdigest()[:24]}"

    def jacobian(self, *by: str) -> Plain:
        """Return derivatives by the numbers of arguments, `(*result, n)` each, which is such a function."""
        sizes = {a.name: len(a.names) for a in self.arguments}
        results = tuple(Result(f"{r.name}_by_{name}", (*r.shape, sizes[name])) for name in by for r in self.results)
        code = self.slopes(by)

        def slopes(again: tuple[str, ...]) -> Code:
            question = ("coordinates again", pack_code(code), self.arguments, again)
            return remembered(question, lambda: Made(derivatives(code, self.arguments, again, None), "")).body

        return Plain(f"{self.name}_by_{'_'.join(by)}", self.arguments, results, code, self.dtype, slopes)
