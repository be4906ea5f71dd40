"""Packages of ROS: named by the user, by the environment, and near the file."""

from screwgraph.model.formats import Packages


def package(folder, name=None):
    folder.mkdir(parents=True)
    if name:
        (folder / "package.xml").write_text(f"<package><name>{name}</name></package>")
    return folder


def test_what_the_user_names_comes_first(tmp_path, monkeypatch):
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "ros"))
    ros, own = package(tmp_path / "ros" / "arm"), package(tmp_path / "own" / "arm")
    assert Packages().find("arm", None) == ros
    assert Packages(folders=[str(own.parent)]).find("arm", None) == own
    assert Packages({"arm": str(tmp_path)}).find("arm", None) == tmp_path
    assert Packages().find("leg", None) is None


def test_packages_are_found_by_the_environment_by_their_manifest_and_near_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "install"))
    share = package(tmp_path / "install" / "share" / "arm")
    above = package(tmp_path / "work" / "arm_ros2", "hand")
    beside = package(tmp_path / "work" / "leg")
    near = above / "urdf"
    assert Packages().find("arm", near) == share
    assert Packages().find("hand", near) == above
    assert Packages().find("leg", near) == beside
    for wrong in ("..", "", "a/b", "."):
        assert Packages().find(wrong, near) is None
