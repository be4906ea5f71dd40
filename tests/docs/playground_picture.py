"""`python -m tests.docs.playground_picture` builds the playground and photographs it in Chromium for its page."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from playground.page import page
from playground.pyodide import fetched

from tests.ui.view.browser import Page, opened

PICTURE = Path("docs/pictures/playground.png")
STATE = "{q: [0.4, -0.5, 0.3, -1.9, 0.2, 1.7, 0.5], qd: [0.5, 0, 0, 0.2, 0, 0, 0], tau: [0, -20, 0, 15, 1, 2, 0]}"


def main() -> None:
    """Show the forward dynamics of a Panda that moves."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "playground.html"
        path.write_text(page(fetched(Path("out"))), "utf-8")
        with opened(path, 1280, 980) as shown:
            wait(shown)
            shown.value(
                "[...document.querySelectorAll('#builtin button')].find((b) => b.textContent === 'panda').click()"
            )
            wait(shown)
            shown.value(f"Object.assign(state.values, {STATE}); inputs(); pose(); 1")
            PICTURE.write_bytes(shown.screenshot())


def wait(shown: Page) -> None:
    """Wait until the page has answered everything."""
    while not shown.value("Boolean(state.made) && !state.busy"):
        time.sleep(0.2)


if __name__ == "__main__":
    main()
