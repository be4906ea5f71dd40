"""What is no model, or one of the other kind, is refused in one line."""

import pytest

import screwgraph as sg
from screwgraph.motion.estimation import OnlineSmoother
from screwgraph.motion.estimation.bayes import bayes_network


@pytest.mark.parametrize("known", ["q", "Q", "qdd"])
@pytest.mark.parametrize("model", ["rr", 3])
def test_networks_of_what_is_no_model_are_refused(model, known):
    with pytest.raises(sg.InputError, match="got") as caught:
        bayes_network(3).given(model, known, dt=0.01)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("model", ["rr", None])
def test_windows_of_what_is_no_model_are_refused(model):
    with pytest.raises(sg.InputError, match="expected a robot or a mechanism, got") as caught:
        OnlineSmoother(model, [], 0.01)
    assert "\n" not in str(caught.value)
