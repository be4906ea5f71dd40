"""Numbers that factors have written, scaled and summed: as Python and as machine code, against NumPy."""

import numpy as np
import pytest

from screwgraph.compiler.kernels import address_of
from screwgraph.optimize import Problem, Variables, Vector, each, inequality, soft
from screwgraph.optimize.methods.local_model import BoundModel, ModelScales
from screwgraph.optimize.methods.model_kernels import CostNumbers, RowNumbers, compile_model_code, finish_model

from .graphs import anchor


def in_python(tables, *given):
    finish_model(*tables, *given)


def compiled(tables, relaxed, part, found):
    addresses = [a for table in tables for a in table.addresses]
    compile_model_code()["finish_model"](*addresses, relaxed, part, address_of(found))


def make_rows(rng, count, scaled):
    scales, slope_scales = rng.uniform(0.5, 2.0, (2, 2 * count))
    return RowNumbers(
        residuals=rng.normal(size=count),
        scaled=np.empty(count),
        slopes=rng.normal(size=2 * count),
        scales=scales,
        slope_scales=slope_scales,
        sizes=np.array([count, 2 * count, scaled, scaled]),
    )


@pytest.mark.parametrize("call", [in_python, compiled], ids=["Python", "machine code"])
@pytest.mark.parametrize("scaled", [0, 1])
def test_models_are_scaled_sums(call, scaled):
    rng = np.random.default_rng(4)
    equal, unequal = make_rows(rng, 5, scaled), make_rows(rng, 7, scaled)
    targets = np.array([0, 3, 3, 1, 0, 2, 2, 3])
    cost = CostNumbers(
        costs=rng.uniform(size=3),
        parts=rng.normal(size=8),
        targets=targets,
        gradient=np.empty(4),
        entries=rng.normal(size=6),
        units=rng.uniform(1.0, 2.0, 4),
        products=rng.uniform(1.0, 2.0, 6),
        sizes=np.array([3, 8, 4, 6, scaled]),
    )
    slopes, entries, found = equal.slopes.copy(), cost.entries.copy(), np.empty(2)
    call((equal, unequal, cost), 0.01, 0.25, found)
    scale = equal.scales[:5] if scaled else 1.0
    np.testing.assert_allclose(equal.scaled, scale * equal.residuals)
    np.testing.assert_allclose(equal.slopes, slopes * (equal.slope_scales if scaled else 1.0))
    np.testing.assert_allclose(unequal.scaled, (unequal.scales[:7] if scaled else 1.0) * (unequal.residuals - 0.01))
    gradient = 0.25 * np.bincount(targets, cost.parts)
    np.testing.assert_allclose(cost.gradient, gradient * (cost.units if scaled else 1.0))
    np.testing.assert_allclose(cost.entries, 0.25 * entries * (cost.products if scaled else 1.0))
    broken = max(np.abs(equal.residuals).max(), unequal.residuals.max())
    np.testing.assert_allclose(found, [0.25 * cost.costs.sum(), broken])
    unequal.residuals[3] = np.nan
    call((equal, unequal, cost), 0.01, 0.25, found)
    assert np.isnan(found[1])


def test_a_model_that_is_used_again_has_other_scales_of_costs():
    x, places = Variables("x", Vector(2), 3), np.arange(6.0).reshape(3, 2)
    most = inequality(lambda x, *, upper: x - upper, x, upper=np.ones(2), name="most")
    assembly = Problem([soft(anchor, x, at=each(places), name="targets"), most]).assembly
    at, scales = np.ones(6), ModelScales.from_assembly(assembly, None, None, 0.0)
    for bound in (BoundModel(assembly, scales, True), BoundModel(assembly, scales, True).make_twin()):
        for scale in (1.0, 4.0, 0.5):
            bound.adopt(assembly.with_scales(scale, {}), scales)
            model = bound.evaluate(at)
            gradient, entries = model.gradient.copy(), model.entries.copy()
            np.testing.assert_allclose(gradient, (at - places.ravel()) / scale)
            ((where, own),) = bound.evaluate_entries(at, ["targets"])
            np.testing.assert_allclose(own, entries[where])
            bound.evaluate_cost_slopes(at)
            np.testing.assert_allclose(model.gradient, gradient)


def test_scales_that_are_the_same_arrays_and_relax_as_much_repeat_others():
    scale = np.full(3, 2.0)
    first, same, loose, other = (
        ModelScales(s, None, None, None, None, None, relaxed)
        for s, relaxed in ((scale, 0.1), (scale, 0.1), (scale, 0.2), (scale.copy(), 0.1))
    )
    assert first.repeat(same)
    assert not first.repeat(loose)
    assert not first.repeat(other)
    assert not first.repeat(ModelScales(None, None, None, None, None, None, 0.1))
