"""Functions on NVIDIA's GPUs: kernels, launched by the driver through `cuda-bindings`."""

from screwgraph.compiler.backends.cuda.arrays import DeviceArray
from screwgraph.compiler.backends.cuda.function import CudaFunction, make_cuda_function

__all__ = ["CudaFunction", "DeviceArray", "make_cuda_function"]
