"""Values of a tape's nodes, of any kind of number, computed when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from screwgraph.tape.dependencies import LEAVES

T = TypeVar("T")


class Evaluated(Generic[T]):
    """Values of nodes: `leaf` tells those of constants and inputs, `operate` what operations make of others."""

    def __init__(
        self, nodes: Sequence[tuple[Any, ...]], leaf: Callable[[str, Any], T], operate: Callable[..., T]
    ) -> None:
        self._nodes, self._leaf, self._operate = nodes, leaf, operate
        self._known: dict[int, T] = {}

    def forget(self, length: int) -> None:
        """Forget all nodes but the first so many."""
        self._known = {id: value for id, value in self._known.items() if id < length}

    def value_of(self, id: int) -> T:
        """Return the value of a node."""
        known, nodes, stack = self._known, self._nodes, [id]
        while stack:
            i = stack[-1]
            node = nodes[i]
            missing = [o for o in node[1:] if o not in known] if i not in known and node[0] not in LEAVES else ()
            if missing:
                stack += missing
                continue
            if i not in known:
                known[i] = self._evaluate_node(node)
            stack.pop()
        return known[id]

    def of_form(self, node: tuple[Any, ...]) -> T:
        """Return the value of an operation that is no node yet."""
        for operand in node[1:] if node[0] not in LEAVES else ():
            self.value_of(operand)
        return self._evaluate_node(node)

    def _evaluate_node(self, node: tuple[Any, ...]) -> T:
        operation, *operands = node
        if operation in LEAVES:
            return self._leaf(operation, operands[0])
        return self._operate(operation, *[self._known[o] for o in operands])
