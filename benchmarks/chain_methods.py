"""Other ways to solve a block-tridiagonal system: diagonal blocks D (N, d, d), below them E (N - 1, d, d)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Float
from scipy.linalg import cholesky_banded, get_blas_funcs, get_lapack_funcs

Blocks = Float[np.ndarray, "N d d"]
_POTRF, _POTRS = get_lapack_funcs(("potrf", "potrs"), dtype=np.float64)
_TRSM, _TRSV, _SYRK = get_blas_funcs(("trsm", "trsv", "syrk"), dtype=np.float64)
_PBTRS = get_lapack_funcs(("pbtrs",), dtype=np.float64)[0]


def banded(D: Blocks, E: Blocks, b: Float[np.ndarray, "N d"]) -> Float[np.ndarray, "N d"]:
    """LAPACK's banded Cholesky, packing included."""
    count, d, _ = D.shape
    band = np.zeros((count * d, 2 * d))  # a column's entries from the diagonal down
    blocks = band.reshape(count, d, 2 * d)
    for j in range(d):
        blocks[:, j, : d - j] = D[:, j:, j]
        blocks[:-1, j, d - j : 2 * d - j] = E[:, :, j]
    factor = cholesky_banded(band.T, overwrite_ab=True, lower=True, check_finite=False)
    return _PBTRS(factor, b.reshape(-1), lower=1)[0].reshape(count, d)


def block_by_block(D: Blocks, E: Blocks, b: Float[np.ndarray, "N d"]) -> Float[np.ndarray, "N d"]:
    """LAPACK's potrf, trsm, syrk for each step, called from Python."""
    count = D.shape[0]
    factors, gains, x = [], [], b.copy()
    own = np.array(D[0], order="F")
    for i in range(count):
        factor, _ = _POTRF(own, lower=1)
        x[i] = _TRSV(factor, x[i], lower=1)
        factors.append(factor)
        if i + 1 < count:
            gain = _TRSM(1.0, factor, E[i], side=1, lower=1, trans_a=1)
            own = _SYRK(-1.0, gain, 1.0, D[i + 1].T, lower=1)
            x[i + 1] -= gain @ x[i]
            gains.append(gain)
    for i in reversed(range(count)):
        if i + 1 < count:
            x[i] -= gains[i].T @ x[i + 1]
        x[i] = _TRSV(factors[i], x[i], lower=1, trans=1)
    return x


def cyclic_reduction(D: Blocks, E: Blocks, b: Float[np.ndarray, "N d"]) -> Float[np.ndarray, "N d"]:
    """Eliminate every other step, all of these at once, by NumPy's batches; then the half that is left the same way."""
    count = D.shape[0]
    if count == 1:
        return np.linalg.solve(D, b[..., None])[..., 0]
    even, odd = np.arange(0, count, 2), np.arange(1, count, 2)
    before = E[even[: odd.size]]  # odd step k below even step k
    after = E[odd[: even.size - 1]]  # even step k + 1 below odd step k
    turned = np.swapaxes(before, 1, 2)
    inverse = np.linalg.inv(D[even])
    left = before @ inverse[: odd.size]
    D_odd = D[odd] - left @ turned
    b_odd = b[odd] - (left @ b[even[: odd.size], :, None])[..., 0]
    right = np.swapaxes(after, 1, 2) @ inverse[1:]
    D_odd[: after.shape[0]] -= right @ after
    b_odd[: after.shape[0]] -= (right @ b[even[1:], :, None])[..., 0]
    E_odd = -left[1:] @ after[: odd.size - 1]
    x = np.empty_like(b)
    x[odd] = cyclic_reduction(D_odd, E_odd, b_odd)
    rest = b[even].copy()
    rest[: odd.size] -= (turned @ x[odd, :, None])[..., 0]
    rest[1:] -= (after @ x[odd[: after.shape[0]], :, None])[..., 0]
    x[even] = (inverse @ rest[..., None])[..., 0]
    return x


WAYS: Mapping[str, Callable[..., np.ndarray]] = {
    "LAPACK banded": banded,
    "LAPACK block by block": block_by_block,
    "NumPy cyclic reduction": cyclic_reduction,
}
