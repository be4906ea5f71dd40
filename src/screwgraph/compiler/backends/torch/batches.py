"""Leading axes of tensors: those that a map adds, and those that a gradient sums over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from screwgraph.compiler.backends.torch.library import Tensor


def move_batch_first(
    tensors: Sequence[Tensor], places: Sequence[int | None], ranks: Sequence[int], count: int
) -> list[Tensor]:
    """Return tensors whose mapped axis comes first; the others broadcast as they are."""
    most = max(t.ndim - rank - (p is not None) for t, p, rank in zip(tensors, places, ranks, strict=True))
    whole = []
    for tensor, place, rank in zip(tensors, places, ranks, strict=True):
        if place is not None:
            moved = tensor.movedim(place, 0)
            own = moved.shape[1:]
            tensor = moved.reshape(count, *[1] * (most - len(own) + rank), *own)
        whole.append(tensor)
    return whole


def sum_to_shapes(found: Any, tensors: Sequence[Tensor], by: Sequence[int]) -> tuple[Tensor | None, ...]:
    """Return gradients of the tensors' shapes, of those in `by`, from one or several that have all leading axes."""
    gradients: list[Tensor | None] = [None] * len(tensors)
    for i, gradient in zip(by, found if len(by) > 1 else (found,), strict=True):
        shape = tensors[i].shape
        gradients[i] = gradient if gradient.shape == shape else gradient.sum_to_size(shape)
    return tuple(gradients)
