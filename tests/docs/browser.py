"""A headless Chromium, driven over the WebDriver protocol with nothing but the standard library.

In: a Chromium and its driver on this machine. Out: pages that can be opened, asked and photographed. Must
never reach the network.
"""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
DRIVERS = ("chromedriver",)
# No host resolves: a page that asks for anything outside fails as it would without a network.
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
    "--force-device-scale-factor=1",
)


def find() -> tuple[str, str] | None:
    """(browser, driver) of this machine, or None."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = next(filter(None, map(shutil.which, DRIVERS)), None)
    return (browser, driver) if browser and driver else None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Browser:
    """One window; a context manager."""

    def __init__(self, width: int = 1280, height: int = 900) -> None:
        found = find()
        assert found is not None, "no Chromium with its driver on this machine"
        self._options = {"binary": found[0], "args": [*FLAGS, f"--window-size={width},{height}"]}
        self._driver, self._port, self._session = found[1], _free_port(), ""

    def __enter__(self) -> Browser:
        self._process = subprocess.Popen(
            [self._driver, f"--port={self._port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._wait_for_driver()
        wanted = {"browserName": "chrome", "goog:chromeOptions": self._options, "goog:loggingPrefs": {"browser": "ALL"}}
        self._session = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._call("DELETE", f"/session/{self._session}")
        finally:
            self._process.terminate()
            self._process.wait(timeout=20)

    def _wait_for_driver(self) -> None:
        end = time.monotonic() + 30
        while True:
            try:
                self._call("GET", "/status")
                return
            except OSError:
                assert time.monotonic() < end and self._process.poll() is None, "chromedriver does not start"
                time.sleep(0.1)

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._port}{path}", data, {"Content-Type": "application/json"}, method=method
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def open(self, address: str) -> None:
        self._call("POST", f"/session/{self._session}/url", {"url": address})

    def run(self, script: str, *arguments: Any) -> Any:
        """What `script`, the body of a function, returns."""
        return self._call("POST", f"/session/{self._session}/execute/sync", {"script": script, "args": list(arguments)})

    def until(self, script: str, *arguments: Any, seconds: float = 30) -> Any:
        """What `script` returns as soon as that is true."""
        end = time.monotonic() + seconds
        while True:
            value = self.run(script, *arguments)
            if value:
                return value
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.1)

    def complaints(self) -> list[str]:
        """Errors on the console since the last time."""
        entries = self._call("POST", f"/session/{self._session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]

    def photograph(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._call("GET", f"/session/{self._session}/screenshot")))
