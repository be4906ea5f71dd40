"""Motions in three dimensions: scenes of bodies, lines and points, as pages that play them and in the browser."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.ui.view.mechanisms import mechanism_scene
from screwgraph.ui.view.page import check_page_path, html, save_html
from screwgraph.ui.view.plans import plan_scene
from screwgraph.ui.view.posing import posable_mechanism_scene, posable_robot_scene
from screwgraph.ui.view.primitive_parts import link_between
from screwgraph.ui.view.report import Animation, Picture, Pictures, Table, Text, report, save_report
from screwgraph.ui.view.robots import export, robot_scene
from screwgraph.ui.view.scene import Body, Line, Points, Posing, Scene, Surface
from screwgraph.ui.view.sliders import rest_position
from screwgraph.ui.view.subsampling import thin_states
from screwgraph.ui.view.trajectories import trajectory_scene
from screwgraph.ui.view.viser_viewer import Live, show, show_mechanism, show_robot

__all__ = [
    "Animation",
    "Body",
    "Line",
    "Live",
    "Picture",
    "Pictures",
    "Points",
    "Posing",
    "Scene",
    "Surface",
    "Table",
    "Text",
    "check_page_path",
    "export",
    "html",
    "link_between",
    "mechanism_scene",
    "plan_scene",
    "posable_mechanism_scene",
    "posable_robot_scene",
    "report",
    "rest_position",
    "robot_scene",
    "save_html",
    "save_report",
    "show",
    "show_mechanism",
    "show_robot",
    "thin_states",
    "trajectory_scene",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
