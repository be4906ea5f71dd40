"""Machine code called on the memory of tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from screwgraph.compiler.backends.llvm import compile_program
from screwgraph.compiler.backends.torch.library import Tensor
from screwgraph.compiler.derivatives.ambient_function import AmbientFunction


def make_tensor_call(torch: Any, f: AmbientFunction) -> Callable[..., Any]:
    """Return a function of tensors of the right type and shapes, which returns a tensor, or several.

    Autograd does not see it. Its machine code is made at the first call.
    """
    from_numpy, several, numbers = torch.from_numpy, len(f.results) > 1, not f.results[0].shape

    @cache
    def code() -> Callable[..., Any]:
        arguments, results = f.operands
        made = compile_program(f.name, f.program, arguments, results, f.dtype)

        def batches(*arrays: np.ndarray) -> Any:
            with np.errstate(all="ignore"):  # NaN goes through, as in PyTorch's own operators
                return made.ufunc(*arrays)

        return made.whole(batches)

    def call(*tensors: Tensor) -> Any:
        found = code()(*[t.numpy() for t in tensors])
        if several:
            return tuple([from_numpy(np.asarray(x)) for x in found])
        return from_numpy(np.asarray(found) if numbers else found)

    return call
