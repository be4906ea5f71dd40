"""Functions as JAX functions: XLA calls the machine code, derivatives are exact and compiled."""

from screwgraph.compiler.backends.jax.function import JaxFunction, make_jax_function

__all__ = ["JaxFunction", "make_jax_function"]
