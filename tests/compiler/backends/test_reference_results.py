"""Numbers beside exported code: interpreted and as machine code, they are the same within tolerances."""

from dataclasses import replace

import numpy as np
import pytest

from screwgraph.compiler.backends import reference_results
from screwgraph.compiler.backends.reference_results import make_reference
from tests.motion.control.predictive.test_optima import cart_pole

FRESH, GOES_ON = 0.0, 1.0
"""What stands first in solutions: none, or one and the part of its last step that was taken."""


@pytest.fixture(params=["float64", "float32"])
def listing(request):
    control, _ = cart_pole()
    return control.astype(request.param).listing()


def test_machine_code_and_interpreted_code_agree(listing, monkeypatch):
    few = [x[:2] for x in listing.examples()]
    listing = replace(listing, examples=lambda: few)
    quick = make_reference(replace(listing, compute=_count(listing.compute, calls := [])))
    assert calls  # it is long
    monkeypatch.setattr(reference_results, "LONG", np.inf)
    slow = make_reference(listing)
    for a, b in zip(quick.inputs, slow.inputs, strict=True):
        np.testing.assert_array_equal(a, b)
    for own, other, allowed in zip(quick.outputs, slow.outputs, slow.tolerances, strict=True):
        assert (np.abs(own - other).max(axis=1) <= allowed).all()
    for own, other, least in zip(quick.tolerances, slow.tolerances, quick.outputs, strict=True):
        size = np.abs(least).max(axis=1)
        assert (own <= 1e3 * other).all()
        assert (own <= 1e-3 * size).all()  # they notice a wrong number


def test_states_at_which_rounding_decides_are_left_out(listing):
    calls = []

    def compute(values):
        found = listing.compute(values)
        calls.append(values)
        if len(calls) > 1:
            found[0][0] += 1.0  # the first state jumps where inputs change
        return found

    found = make_reference(replace(listing, compute=compute))
    first = [np.all(x == given[0], axis=1) for x, given in zip(found.inputs, calls[0], strict=True)]
    assert not np.all(first, axis=0).any()


def test_examples_are_calls_that_go_on_from_each_other(listing):
    given = dict(zip((a.name for a in listing.arguments), listing.examples(), strict=True))
    solution = dict(zip((r.name for r in listing.results), listing.compute(list(given.values())), strict=True))
    assert (solution["solution"][:, 0] < 3.0).all()
    begins = given["previous"][:, 0]
    assert (begins[::2] == FRESH).all()
    assert (begins[1::2] > GOES_ON).all()
    assert (begins[1::2] <= GOES_ON + 1.0).all()


def _count(compute, calls):
    def counted(values):
        calls.append(values)
        return compute(values)

    return counted
