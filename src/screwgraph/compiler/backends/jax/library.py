"""JAX, where it is installed, and whether it computes with numbers of a function's type."""

from __future__ import annotations

from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.base.optional_packages import extra_module


def import_jax() -> Any:
    """Return JAX.

    Raises:
        InputError: it is not installed.
    """
    return extra_module("jax", "JAX")


def check_precision(jax: Any, name: str, dtype: str) -> None:
    """Raise InputError if JAX computes in single precision, and the function of this name in double."""
    if dtype == "float64" and not jax.config.jax_enable_x64:
        raise InputError(
            f"{name} computes in double precision, JAX in single",
            fix='jax.config.update("jax_enable_x64", True), or f.astype("float32").jax()',
        )
