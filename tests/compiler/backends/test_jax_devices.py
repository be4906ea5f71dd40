"""JAX functions on several devices: arrays in parts, `pmap`, and `shard_map` with derivatives inside and outside."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("jax")

SCRIPT = """
import jax, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
import screwgraph as sg

jax.config.update("jax_enable_x64", True)
f = sg.forward_dynamics(sg.load("rrr"))
g, (q, qd, tau) = f.jax(), np.random.default_rng(0).standard_normal((3, 4, 3))
mesh, whole = Mesh(jax.devices(), "b"), P("b")
assert mesh.size == 2


def parts(function, *specs):
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=specs, out_specs=whole))


wanted, slopes = f(q, qd, tau), f.jacobian("q")(q, qd, tau)
np.testing.assert_array_equal(jax.pmap(jax.vmap(g))(*(x.reshape(2, 2, 3) for x in (q, qd, tau))).reshape(4, 3), wanted)
split = [jax.device_put(x, NamedSharding(mesh, whole)) for x in (q, qd, tau)]
np.testing.assert_array_equal(jax.jit(g)(*split), wanted)
found = parts(g, whole, whole, whole)(*split)
np.testing.assert_array_equal(found, wanted)
assert found.sharding.spec == whole
for jacobian in (jax.jacfwd, jax.jacrev):
    found = parts(jax.vmap(jacobian(g)), whole, whole, whole)(*split)
    np.testing.assert_allclose(found, slopes, rtol=1e-12, atol=1e-12)
found = parts(g, whole, P(), P())(q, qd[0], tau[0])
np.testing.assert_array_equal(found, f(q, qd[0], tau[0]))


def loss(tau):
    return (parts(g, whole, P(), P())(q, qd[0], tau) ** 2).sum()


alone = jax.grad(lambda tau: (g(q, qd[0], tau) ** 2).sum())(tau[0])
np.testing.assert_allclose(jax.grad(loss)(tau[0]), alone, rtol=1e-12)
print("done")
"""


def test_parts_on_two_devices_are_those_of_the_whole():
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, timeout=300)
    assert done.stdout == "done\n", done.stderr
