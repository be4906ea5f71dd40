"""Functions of arrays: evaluation, given arrays, fixed parameters, Jacobians, sparsity, exports."""
