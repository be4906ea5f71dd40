"""Functions as JAX functions: XLA calls the machine code, derivatives are exact and compiled."""

from screwgraph.compiler.backends.jax.function import JaxFunction, jax_function

__all__ = ["JaxFunction", "jax_function"]
