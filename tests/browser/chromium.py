"""Drives a headless Chromium over its debugging pipe: no driver program, no port, no network."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self

Scheme = Literal["light", "dark"]
Media = Literal["screen", "print"]

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS: Final = (
    "--headless=new",
    "--no-sandbox",  # tests may run as root in a container, where there is none
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--force-color-profile=srgb",
    "--remote-debugging-pipe",
)
SETTINGS: Final = (
    "primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"
)
_START: Final = """
import os, sys
commands, answers = (os.dup(int(end)) for end in sys.argv[1:3])
for end, number in ((commands, 3), (answers, 4)):  # where the browser reads and where it writes
    os.dup2(end, number)
    os.set_inheritable(number, True)
os.execv(sys.argv[3], sys.argv[3:])
"""
PHONE: Final = 500  # pixels below which a screen is emulated as a phone


def program() -> str | None:
    """Find the browser, or None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """A browser with one page, which may load no images; every method waits until it is done."""

    def __init__(self, *, images: bool = True) -> None:
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()

        executable = program()
        assert executable, "no Chromium on this machine"
        pipes = [str(to_browser), str(from_browser)]
        own = [
            f"--user-data-dir={self._profile.name}",
            f"--blink-settings={SETTINGS},imagesEnabled={str(images).lower()}",
        ]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, *pipes, executable, *FLAGS, *own],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._count, self._left, self._session = 0, b"", ""
        self.events: list[dict[str, Any]] = []
        pages = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in pages if target["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Accessibility"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        os.close(self._to)
        self._process.terminate()
        self._process.wait(timeout=20)
        os.close(self._from)
        self._profile.cleanup()

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Send one command and give its result; raise RuntimeError when the browser refuses it."""
        self._count += 1
        message: dict[str, object] = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        while True:
            answer = self._read()
            if answer.get("id") != self._count:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return dict(answer["result"])

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            part = os.read(self._from, 1 << 20)
            if not part:
                raise RuntimeError("the browser went away")
            self._left += part
        message, _, self._left = self._left.partition(b"\0")
        return dict(json.loads(message))

    def open(
        self,
        file: Path | str,
        width: int = 1440,
        height: int = 900,
        scheme: Scheme = "light",
        media: Media = "screen",
        wait: bool = True,
    ) -> None:
        """Open a file, or an address, on a screen of that size, in that color scheme, and wait for its fonts.

        Without `wait` for the fonts it works where scripts are off.
        """
        self.dress(width, height, scheme, media)
        self.events.clear()
        address = file if isinstance(file, str) else file.resolve().as_uri()
        self.call("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())
        if wait:
            self.run("document.fonts.ready.then(() => true)")

    def dress(
        self,
        width: int = 1440,
        height: int = 900,
        scheme: Scheme = "light",
        media: Media = "screen",
    ) -> None:
        """Show the page that is open on another screen, without opening it again."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < PHONE,
        )  # fmt: skip
        self.call("Emulation.setTouchEmulationEnabled", enabled=width < PHONE)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def run(self, script: str) -> Any:
        """Evaluate an expression in the page, waiting for a promise, and give its plain value."""
        answer = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description"))
        return answer["result"].get("value")

    def point_at(self, selector: str) -> None:
        """Rest the pointer on the first element of a selector, scrolled to the middle of the screen."""
        x, y = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press a key, by name and by number, and let it go."""
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind, key=key, code=key, text=text, windowsVirtualKeyCode=code,
            )  # fmt: skip

    def screen(self) -> bytes:
        """Take a PNG of what the reader sees now."""
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])

    def picture(self, top: float = 0, height: float | None = None) -> bytes:
        """Take a PNG of a strip of the page, of all of it by default."""
        width, full = self.run(
            "[document.documentElement.clientWidth, document.documentElement.scrollHeight]"
        )
        clip = {"x": 0, "y": top, "width": width, "height": height or full, "scale": 1}
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(shot["data"])
