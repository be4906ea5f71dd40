"""Functions on NVIDIA's GPUs: kernels, launched by the driver through `cuda-bindings`."""

from screwgraph.compiler.backends.cuda.arrays import DeviceArray
from screwgraph.compiler.backends.cuda.function import CudaFunction, cuda_function

__all__ = ["CudaFunction", "DeviceArray", "cuda_function"]
