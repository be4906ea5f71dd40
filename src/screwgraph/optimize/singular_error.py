"""Matrices that cannot be factored."""

from __future__ import annotations


class SingularError(Exception):
    """A matrix is singular, or not positive definite where it has to be.

    `unknown` is the first unknown with a bad pivot, `block` the block that it belongs to.
    """

    def __init__(self, unknown: int, block: int) -> None:
        self.unknown, self.block = unknown, block
        super().__init__(f"unknown {unknown} (of block {block}) is not determined")
