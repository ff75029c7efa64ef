"""Small real wheels, and a package index on this machine that serves them."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import threading
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

_HOLD_S = 60.0


@dataclass(frozen=True)
class Wheel:
    """A package with one module of its name, which has ``VERSION`` in it."""

    name: str
    version: str = "1.0"
    needs: Sequence[str] = ()
    tag: str = "py3-none-any"
    filler_bytes: int = 0

    @property
    def filename(self) -> str:
        return f"{self.name}-{self.version}-{self.tag}.whl"

    def content(self) -> bytes:
        info = f"{self.name}-{self.version}.dist-info"
        needs = "".join(f"Requires-Dist: {need}\n" for need in self.needs)
        head = f"Metadata-Version: 2.1\nName: {self.name}\nVersion: {self.version}\n"
        pure = "true" if self.tag.endswith("any") else "false"
        entries = {
            f"{self.name}.py": f"VERSION = {self.version!r}\n".encode(),
            f"{info}/METADATA": (head + needs).encode(),
            f"{info}/WHEEL": (
                f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: {pure}\nTag: {self.tag}\n"
            ).encode(),
        }
        if self.filler_bytes:
            entries[f"{self.name}_filler.bin"] = os.urandom(self.filler_bytes)
        listed = [f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in entries.items()]
        entries[f"{info}/RECORD"] = ("".join(listed) + f"{info}/RECORD,,\n").encode()
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for path, data in entries.items():
                archive.writestr(path, data)
        return buffer.getvalue()

    def write(self, folder: Path) -> Path:
        path = folder / self.filename
        path.write_bytes(self.content())
        return path


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


@dataclass
class Index:
    """A running index. ``held``: files of which only the first half is sent until ``release``."""

    url: str
    files: dict[str, bytes]
    asked: Counter[str] = field(default_factory=Counter)
    """How often each path was asked for."""
    held: set[str] = field(default_factory=set)
    holding: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)

    def fetched(self, wheel: Wheel) -> int:
        """How often a wheel was asked for."""
        return self.asked[f"/files/{wheel.filename}"]


@contextmanager
def serving(*wheels: Wheel, address: str = "127.0.0.1") -> Iterator[Index]:
    """An index with these wheels, for as long as the block lasts."""
    files = {wheel.filename: wheel.content() for wheel in wheels}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = unquote(self.path)
            index.asked[path] += 1
            kind, _, name = path.strip("/").partition("/")
            if kind == "simple" and (page := _page(files, name.strip("/"))):
                self._send(page, "text/html")
            elif kind == "files" and name in files:
                self._send(files[name], "application/octet-stream", name in index.held)
            else:
                self.send_error(404)

        def _send(self, data: bytes, kind: str, held: bool = False) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            half = len(data) // 2 if held else len(data)
            try:
                self.wfile.write(data[:half])
                self.wfile.flush()
                if held:
                    index.holding.set()
                    index.release.wait(_HOLD_S)
                self.wfile.write(data[half:])
            except OSError:
                self.close_connection = True  # whoever asked is gone

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

    server = Server((address, 0), Handler)
    index = Index(f"http://{address}:{server.server_address[1]}/simple/", files)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield index
    finally:
        index.release.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _page(files: dict[str, bytes], name: str) -> bytes:
    links = [
        f'<a href="/files/{file}#sha256={hashlib.sha256(data).hexdigest()}">{file}</a>'
        for file, data in files.items()
        if file.split("-")[0].replace("_", "-").lower() == name
    ]
    return f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>".encode() if links else b""
