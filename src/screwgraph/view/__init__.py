"""Motions in three dimensions: scenes of bodies, lines and points, as pages that play them and in the browser."""

from screwgraph.view.page import check_page_path, html, save_html
from screwgraph.view.parts import link_between
from screwgraph.view.robots import export, robot_scene
from screwgraph.view.scene import Body, Line, Points, Scene
from screwgraph.view.thin import thinned

__all__ = [
    "Body",
    "Line",
    "Points",
    "Scene",
    "check_page_path",
    "export",
    "html",
    "link_between",
    "robot_scene",
    "save_html",
    "thinned",
]
