"""What is wrong with tensors that do not fit."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.compiler.backends.torch.library import Tensor
from screwgraph.compiler.derivatives.ambient_function import AmbientFunction


def check_tensors(
    torch: Any, f: AmbientFunction, tensors: Sequence[Tensor], devices: Collection[str] = ("cpu",)
) -> None:
    """Raise InputError unless tensors are on one of the devices, have the arguments' shapes, and broadcast."""
    batches = []
    for argument, tensor in zip(f.arguments, tensors, strict=True):
        name, shape, rank = f"{f.name}: {argument.name}", argument.shape, len(argument.shape)
        if tensor.device.type not in devices:
            raise InputError(
                f"{name} is on the device {tensor.device}",
                why="f.torch() computes on the processor",
                fix=f"{argument.name}.cpu(), or f.cuda()",
            )
        if tensor.ndim < rank or tuple(tensor.shape[tensor.ndim - rank :]) != shape:
            expected = ", ".join(["...", *map(str, shape)])
            raise InputError(f"{name} has the shape {tuple(tensor.shape)}, expected ({expected})")
        batches.append(tensor.shape[: tensor.ndim - rank])
    try:
        torch.broadcast_shapes(*batches)
    except (RuntimeError, ValueError):
        listed = ", ".join(f"{a.name} {tuple(t.shape)}" for a, t in zip(f.arguments, tensors, strict=True))
        raise InputError(
            f"{f.name}: the batches do not broadcast, {listed}", fix="give leading axes that PyTorch can broadcast"
        ) from None
