"""What the road from a robot's file to straight-line code takes of NumPy, in plain Python: arrays of few numbers.

There is no NumPy for the browser's Python that would fit. Random numbers differ from NumPy's; nothing else does, beyond
rounding.
"""

from numpy import linalg, ma, random
from numpy.array import array, asarray, broadcast_to, matmul, ndarray
from numpy.functions import *
from numpy.kinds import bool_, integer, number
from numpy.reductions import abs, all, any, argmax, argmin, argsort, max, mean, min, prod, round, sum

asanyarray = asarray
float64, int64 = float, int
