"""Inertias that no body has are told from those that bodies have."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from screwgraph.model.robot import Joint, Link, list_implausible, massless_links, tree
from screwgraph.model.robot.joints import Revolute
from screwgraph.spatial import SpatialInertia, from_xyz_rpy
from tests.agreement import random_inertia

ORIGIN = np.zeros(3)


def link(mass=1.0, com=ORIGIN, about_com=(1.0, 1.0, 1.0)):
    return Link("arm", SpatialInertia.of_body(mass, com, np.diag(about_com)))


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6), st.floats(1e-3, 1e3))
def test_bodies_made_of_point_masses_are_possible(seed, mass, size):
    body = random_inertia(np.random.default_rng(seed))
    scaled = SpatialInertia(body.mass * mass, body.first_moment * mass * size, body.about_origin * mass * size * size)
    assert list_implausible(Link("body", scaled)) == []


@pytest.mark.parametrize("about_com", [(1, 1, 2), (0, 1, 1), (0, 0, 0), (1, 2, 2.9)])
def test_plates_rods_points_and_lumps_are_possible(about_com):
    assert list_implausible(link(about_com=about_com)) == []


def test_a_link_without_mass_and_inertia_is_possible():
    assert list_implausible(Link("arm")) == []


def test_few_digits_of_a_file_are_forgiven():
    assert list_implausible(link(about_com=(0.0833333, 0.0833333, 0.16666667))) == []


def test_a_point_mass_far_from_the_origin_is_possible():
    far = link(com=np.array([1e4, -2e4, 3e4]), about_com=(0, 0, 0))
    assert list_implausible(far) == []


def test_a_negative_mass_is_told():
    (line,) = list_implausible(link(mass=-2.0))
    assert line == "link 'arm': its mass -2 kg is negative"


def test_a_centre_of_mass_without_mass_is_told():
    (line,) = list_implausible(Link("arm", SpatialInertia(0.0, np.array([0.1, 0.0, 0.0]))))
    assert line == "link 'arm': it has no mass, but a centre of mass off its origin"


def test_a_negative_principal_moment_is_told():
    (line,) = list_implausible(link(about_com=(-0.5, 1.0, 1.0)))
    assert line == "link 'arm': its rotational inertia is not positive semidefinite, least principal moment -0.5 < 0"


def test_a_violated_triangle_inequality_is_told_with_its_numbers():
    (line,) = list_implausible(link(about_com=(3.0, 1.0, 0.5)))
    assert line == "link 'arm': its principal moments violate the triangle inequality, 0.5 + 1 < 3"


def test_the_verdict_does_not_depend_on_the_frame():
    T = from_xyz_rpy(np.array([0.3, -0.2, 0.5]), np.array([0.4, 1.0, -2.0]))
    moved = Link("arm", link(about_com=(3.0, 1.0, 0.5)).inertia.moved(T))
    (line,) = list_implausible(moved)
    assert "0.5 + 1 < 3" in line


def test_several_faults_are_all_told():
    assert len(list_implausible(link(mass=-1.0, about_com=(-1.0, 1.0, 1.0)))) == 2


def test_massless_links_are_those_that_move_without_mass_and_inertia():
    full, empty, spinning = link().inertia, SpatialInertia(), SpatialInertia(about_origin=np.eye(3))
    links = [Link("base"), Link("a", full), Link("b", empty), Link("c", spinning), Link("d", empty)]
    joints = [
        Joint(f"j{child}", Revolute(), parent, child) for parent, child in zip(["base", *"abc"], "abcd", strict=True)
    ]
    assert massless_links(tree("chain", links, joints)) == ("b", "d")
