"""What is measured, one table a file; a new theme is a new file, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from benchmarks.bench import Entry, Tools
from benchmarks.tables import Sheet
from benchmarks.themes import (
    batches,
    calls_in_c,
    calls_in_python,
    chains,
    closed_chains,
    compile_times,
    contacts,
    controllers,
    cost_model,
    custom_factors,
    energy,
    first_use,
    gpu,
    graph_elimination,
    incremental,
    inverse_kinematics,
    jax_functions,
    kinematics,
    legged,
    linear_chain,
    mechanisms,
    operations,
    optimisation,
    parameters,
    planning,
    predictive,
    rollouts,
    simulation,
    standing,
    terrain,
    threads,
    windows,
)

Theme = Callable[[Sequence[Entry], Tools], Sheet]

THEMES: Mapping[str, Theme] = {
    "operations": operations.table,
    "c": calls_in_c.table,
    "python": calls_in_python.table,
    "kinematics": kinematics.table,
    "inverse": inverse_kinematics.table,
    "batches": batches.table,
    "threads": threads.table,
    "chains": chains.table,
    "parameters": parameters.table,
    "closed": closed_chains.table,
    "jax": jax_functions.table,
    "gpu": gpu.table,
    "compile": compile_times.table,
    "first": first_use.table,
    "gtsam": graph_elimination.table,
    "custom": custom_factors.table,
    "cost": cost_model.table,
    "simulation": simulation.table,
    "rollouts": rollouts.table,
    "contacts": contacts.table,
    "terrain": terrain.table,
    "energy": energy.table,
    "linear": linear_chain.table,
    "controller": controllers.table,
    "mpc": predictive.table,
    "standing": standing.table,
    "optimize": optimisation.table,
    "incremental": incremental.table,
    "legged": legged.table,
    "windows": windows.table,
    "plan": planning.table,
    "mechanism": mechanisms.table,
}
