"""Functions as PyTorch functions: machine code on the tensors' memory, derivatives exact and compiled."""

from screwgraph.compiler.backends.torch.function import TorchFunction, make_torch_function

__all__ = ["TorchFunction", "make_torch_function"]
