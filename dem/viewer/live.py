"""Follow a running simulation: a local page requests the frames written since its last request."""

from __future__ import annotations

import secrets
import sys
import threading
import webbrowser
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from dem.base.text import error_in_words
from dem.files.reading.trajectory import Trajectory
from dem.viewer.page import as_text, constant_data, frame_block, frame_bytes, page, summary_of
from dem.viewer.view import check_size

HERE = "127.0.0.1"  # reachable from this machine only
REPLY = 8e6  # bytes of frames in an answer
FAST = 1  # how hard to deflate what goes to the same machine
LAST = 5.0  # [s] for an open page to request the last frames


class Followed:
    """Growing trajectory, reopened for each request, so that it does not block its writer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.looked, self.seen = False, threading.Event()  # whether anybody has, and to the end
        self._one = threading.Lock()  # HDF5 serves one at a time

    def page(self) -> str:
        """HTML page with the first frame."""
        with self._one, Trajectory(self.path) as run:
            check_size(run)
            return page(
                self.path.name, constant_data(run, summary_of(run)), [frame_block(run, range(1), FAST)], live=True
            )

    def since(self, first: int, particles: int) -> str:
        """Frames from a given one on, up to the size of an answer, and whether the run has ended.

        The constant part of the page is sent again if the page knows another number of particles than there are.
        """
        with self._one, Trajectory(self.path) as run:
            last = min(len(run), first + max(1, int(REPLY // frame_bytes(run))))
            blocks = [frame_block(run, range(first, last), FAST)] if 0 <= first < last else []
            self.looked, ended = True, bool(run.verdict or run.error)
            if ended and not blocks:
                self.seen.set()
            new = constant_data(run, summary_of(run)) if particles != len(run.variant) else None
            return as_text({"blocks": blocks, "about": summary_of(run), "ended": ended, "what": new})


class Server(ThreadingHTTPServer):
    """Web server of one trajectory, at an address with a random secret."""

    daemon_threads = True

    def __init__(self, path: Path, port: int = 0) -> None:
        super().__init__((HERE, port), _Answer)
        self.followed, self.secret = Followed(path), secrets.token_urlsafe(12)

    def handle_error(self, request: object, client_address: object) -> None:
        """Print errors of a request in one line; dropped connections are not reported."""
        del request, client_address
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError):
            sys.stderr.write(f"dem: a request to the viewer was not answered: {error_in_words(error)}\n")

    @property
    def address(self) -> str:
        """Address of the page."""
        return f"http://{HERE}:{self.server_address[1]}/{self.secret}/"


class _Answer(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        """Answer with the page, or with frames."""
        try:
            asked = urlsplit(self.path)
            given = parse_qs(asked.query)
            numbers = [int(given[key][0]) for key in ("after", "particles")] if asked.path.endswith("/blocks") else []
        except (ValueError, KeyError):
            self.send_error(HTTPStatus.BAD_REQUEST)
            return
        here = self.headers.get("Host", "") == f"{HERE}:{self.server.server_address[1]}"
        *_, secret, name = ("", *asked.path.split("/"))[-3:]
        if not here or not secrets.compare_digest(secret.encode(), self.server.secret.encode()):
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        try:
            if name == "blocks":
                text = self.server.followed.since(*numbers)
                kind = "application/json"
            elif not name:
                text, kind = self.server.followed.page(), "text/html"
            else:
                self.send_error(HTTPStatus.NOT_FOUND)
                return
        except (ValueError, KeyError, RuntimeError, OSError) as error:  # of a missing file
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, explain=error_in_words(error))
            return
        body = text.encode()
        self.send_response(HTTPStatus.OK)
        for header, value in (("Content-Type", f"{kind}; charset=utf-8"), ("Content-Length", str(len(body)))):
            self.send_header(header, value)
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *said: object) -> None:
        """Do not log requests."""


def follow(path: Path, *, port: int = 0, show: bool = True) -> None:
    """Serve a page that follows a run until Ctrl-C; prints its address."""
    with Trajectory(path) as run:
        check_size(run)
    with Server(path, port) as server:
        _print_address(server, show=show, until="; Ctrl-C ends that")
        server.serve_forever(poll_interval=0.2)


def accompany(path: Path, since: float, *, show: bool = True) -> None:
    """Serve a page for a run that starts at a time [s]; ends after stdin is closed and viewers have all frames."""
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    while not _has_begun(path, since):
        if over.wait(0.1):
            return
    with Server(path) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.2}, daemon=True).start()
        _print_address(server, show=show, until="")
        over.wait()
        server.followed.seen.wait(LAST if server.followed.looked else 0.0)
        server.shutdown()


def _has_begun(path: Path, since: float) -> bool:
    """Whether a file was written after a time and has a frame."""
    try:
        if path.stat().st_mtime < since:
            return False
        with Trajectory(path) as run:
            return len(run) > 0
    except (OSError, ValueError, KeyError):
        return False


def _print_address(server: Server, *, show: bool, until: str) -> None:
    sys.stdout.write(f"{server.address} shows {server.followed.path} as it grows{until}\n")
    sys.stdout.flush()
    if show:
        webbrowser.open(server.address)
