"""Debian's chromium without a screen, driven through its DevTools protocol: enough to open a page, look and click."""

from __future__ import annotations

import base64
import itertools
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path

from websockets.sync.client import connect

SWITCHES = ("--headless=new", "--no-sandbox", "--disable-gpu-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader", "--remote-debugging-port=0", "--window-size=1200,760", "--hide-scrollbars",
            "--no-first-run", "--disable-extensions", "--disable-background-networking",
            "--disable-accelerated-2d-canvas", "--disable-gpu-rasterization")  # fmt: skip  # lines of plots would be triangles of swiftshader's
PATIENCE = 120.0  # seconds until something that is waited for counts as missing


class Browser:
    """A browser and its one page. `complaints`: errors and warnings of the page's console, and what it tried to load from elsewhere."""

    def __enter__(self) -> Browser:
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        if program is None:
            raise FileNotFoundError("chromium is not installed (on Debian: apt-get install chromium)")
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True))
            process = subprocess.Popen(
                [program, *SWITCHES, f"--user-data-dir={folder}", "about:blank"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            stack.callback(process.wait, PATIENCE)
            stack.callback(process.terminate)
            port_file = Path(folder, "DevToolsActivePort")
            _until(lambda: port_file.exists() and port_file.read_text().count("\n") >= 1)
            port = port_file.read_text().split()[0]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=PATIENCE) as answer:
                pages = json.loads(answer.read())
            address = next(each["webSocketDebuggerUrl"] for each in pages if each["type"] == "page")
            self._socket = stack.enter_context(connect(address, max_size=None, open_timeout=PATIENCE))
            self._numbers = itertools.count(1)
            self.complaints: list[str] = []
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(f"{domain}.enable")
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *failure) -> None:
        self._stack.close()

    def call(self, method: str, **parameters):
        """One command of the protocol, and its answer."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self._hear(message)

    def _hear(self, message: dict) -> None:
        details = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                thrown = details["exceptionDetails"]
                self.complaints.append(thrown.get("exception", {}).get("description") or thrown["text"])
            case "Runtime.consoleAPICalled" if details["type"] in ("error", "warning"):
                self.complaints.append(" ".join(str(each.get("value", each)) for each in details["args"]))
            case "Log.entryAdded" if details["entry"]["level"] in ("error", "warning"):
                self.complaints.append(details["entry"]["text"])
            case "Network.requestWillBeSent" if details["request"]["url"].startswith(("http:", "https:")):
                self.complaints.append(f"the page asked for {details['request']['url']}")

    def open(self, page: Path) -> None:
        self.complaints.clear()
        self.call("Page.navigate", url=page.absolute().as_uri())
        self.wait("document.readyState === 'complete'")

    def evaluate(self, expression: str):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression: str) -> None:
        """Until an expression is true."""
        _until(lambda: self.evaluate(expression))

    def screenshot(self, path: Path) -> Path:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
        return path


def _until(condition) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("waited in vain")
        time.sleep(0.05)
