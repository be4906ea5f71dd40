"""A headless Chromium, spoken to through the pipe of its DevTools protocol: no package is needed."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 30.0
"""Seconds to wait for an answer on a busy machine."""
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
RENUMBERED = """import os, sys
a, b = os.dup(int(sys.argv[1])), os.dup(int(sys.argv[2]))
os.dup2(a, 3), os.dup2(b, 4), os.set_inheritable(3, True), os.set_inheritable(4, True)
os.execv(sys.argv[3], sys.argv[3:])"""
"""Starts the browser with the pipes under the numbers that it expects."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass
class Page:
    """An open page; `requests` are the addresses that it asked for, `complaints` what its console says is wrong."""

    ask: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    loaded: bool = False

    def value(self, expression: str) -> Any:
        """Return what a JavaScript expression is in the page."""
        answer = self.ask("Runtime.evaluate", {"expression": expression, "returnByValue": True})
        if "exceptionDetails" in answer:
            pytest.fail(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def screenshot(self) -> bytes:
        """Return a picture of the page as PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot", {"format": "png"})["data"])

    def resize(self, width: int, height: int) -> None:
        """Give the page another size in pixels."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.ask("Emulation.setDeviceMetricsOverride", metrics)

    def prefer(self, scheme: str) -> None:
        """Let the page believe that its reader likes it "dark" or "light"."""
        self.ask("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})


def chromium() -> str:
    """Return the browser's path, or skip the test where there is none."""
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found is None:
        pytest.skip("no Chromium is installed")
    return found


class _Pipe:
    """Messages to and from the browser, each ended by a zero byte."""

    def __init__(self, read: int, write: int) -> None:
        self.read, self.write, self.buffer, self.number = read, write, b"", 0
        self.page = Page(self.ask)
        self.session = ""

    def ask(self, method: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def next(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self.read, 1 << 20)
            assert data, "the browser is gone"
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(line)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, parameters: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.page.requests.append(parameters["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.page.complaints.append(str(parameters["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.page.complaints.append(str(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.page.complaints.append(str(parameters["entry"]))
        elif method == "Page.loadEventFired":
            self.page.loaded = True


@contextmanager
def opened(path: Path, width: int = 800, height: int = 600) -> Iterator[Page]:
    """Open a file in a browser without a network."""
    to_browser, our_write = os.pipe()
    our_read, from_browser = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        words = [chromium(), *FLAGS, f"--user-data-dir={home}", "about:blank"]
        program = [sys.executable, "-c", RENUMBERED, str(to_browser), str(from_browser), *words]
        process = subprocess.Popen(
            program, pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(to_browser)
        os.close(from_browser)
        try:
            yield _loaded(_Pipe(our_read, our_write), path, width, height)
        finally:
            os.close(our_write)
            os.close(our_read)
            process.terminate()
            process.wait(PATIENCE)


def _loaded(pipe: _Pipe, path: Path, width: int, height: int) -> Page:
    targets = pipe.ask("Target.getTargets")["targetInfos"]
    target = next(info["targetId"] for info in targets if info["type"] == "page")
    pipe.session = pipe.ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
    for domain in ("Page", "Runtime", "Network", "Log"):
        pipe.ask(f"{domain}.enable")
    pipe.page.resize(width, height)
    pipe.ask("Page.navigate", {"url": path.resolve().as_uri()})
    while not pipe.page.loaded:
        pipe.next()
    return pipe.page
