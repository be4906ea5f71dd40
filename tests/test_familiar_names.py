"""Names of other libraries are answered by those of this one."""

from __future__ import annotations

import pytest

import screwgraph as sg
from screwgraph.api.deployment import FUNCTIONS, check_names
from screwgraph.base.familiar_names import FAMILIAR


def test_each_answer_is_public_and_no_public_name_is_among_the_others() -> None:
    assert set(FAMILIAR.values()) <= set(sg.__all__)
    assert not set(FAMILIAR) & set(dir(sg))


@pytest.mark.parametrize(
    ("name", "public"),
    [
        ("rnea", "inverse_dynamics"),
        ("ABA", "forward_dynamics"),
        ("centre_of_mass", "center_of_mass"),
        ("World", "world"),
        ("contact", "Contact"),
    ],
)
def test_a_name_of_another_library_is_answered_by_ours(name: str, public: str) -> None:
    with pytest.raises(AttributeError, match=rf"here it is screwgraph\.{public}$"):
        getattr(sg, name)


def test_gravity_is_bias_forces_at_rest() -> None:
    with pytest.raises(AttributeError, match=r"screwgraph\.bias_forces at qd = 0$"):
        sg.gravity  # type: ignore[attr-defined] # noqa: B018


@pytest.mark.parametrize(
    ("name", "known"), [("rnea", "inverse"), ("fk", "kinematics"), ("jac:tool0", "jacobian"), ("mass", "mass_matrix")]
)
def test_functions_of_a_library_are_named_too(name: str, known: str) -> None:
    with pytest.raises(sg.InputError, match=rf"write {known}\)"):
        check_names([name])


def test_a_public_function_is_found_by_its_own_name() -> None:
    for name, kind in FUNCTIONS.items():
        public = kind.query.__name__
        if public not in FUNCTIONS and not kind.by and not public.startswith("_"):
            with pytest.raises(sg.InputError, match=rf"write {name}\)"):
                check_names([public])
