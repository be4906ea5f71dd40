"""Motions in three dimensions: scenes of bodies, lines and points, as pages that play them and in the browser."""

from screwgraph.view.live import Live, show, show_mechanism, show_robot
from screwgraph.view.mechanisms import mechanism_scene
from screwgraph.view.page import check_page_path, html, save_html
from screwgraph.view.parts import link_between
from screwgraph.view.plans import plan_scene
from screwgraph.view.report import Animation, Picture, Pictures, Table, Text, report, save_report
from screwgraph.view.robots import export, robot_scene
from screwgraph.view.scene import Body, Line, Points, Scene, Surface
from screwgraph.view.sliders import rest
from screwgraph.view.thin import thinned
from screwgraph.view.trajectories import trajectory_scene

__all__ = [
    "Animation",
    "Body",
    "Line",
    "Live",
    "Picture",
    "Pictures",
    "Points",
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
    "report",
    "rest",
    "robot_scene",
    "save_html",
    "save_report",
    "show",
    "show_mechanism",
    "show_robot",
    "thinned",
    "trajectory_scene",
]
