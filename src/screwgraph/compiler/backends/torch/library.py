"""PyTorch, where it is installed, and what of it follows calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from screwgraph.base.optional_packages import extra_module

Tensor = Any
"""A `torch.Tensor`."""


def import_torch() -> Any:
    """Return PyTorch.

    Raises:
        InputError: it is not installed.
    """
    return extra_module("torch", "PyTorch")


def make_transform_check(torch: Any) -> Callable[[], bool]:
    """Return what tells whether something of PyTorch, beside autograd, follows the operators of a call.

    That are transforms of `torch.func`, forward derivatives, modes (tracing, fake tensors) and `torch.jit.trace`. Then
    machine code is not to be called on the tensors' memory: these tensors may have none, and PyTorch would not see it.
    """
    core = torch._C
    try:
        transforms, traced = core._are_functorch_transforms_active, core._get_tracing_state
        modes, others, forward = (
            core._len_torch_dispatch_stack,
            core._len_torch_function_stack,
            torch.autograd.forward_ad,
        )
        _ = forward._current_level
    except AttributeError:  # a version that hides them: each call is an operator, as if it were followed
        return lambda: True

    def is_watched() -> bool:
        return bool(transforms() or modes() or others() or forward._current_level >= 0 or traced() is not None)

    return is_watched
