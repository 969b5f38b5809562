"""Serves a folder as the repository test/minilm of a hub: hub.py FOLDER FILE, which gets the address once it listens.

The first download of the weights breaks off in the middle, and the next one may go on there.
"""

import hashlib
import json
import pathlib
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

FILES = {f.name: f.read_bytes() for f in pathlib.Path(sys.argv[1]).iterdir()}
WEIGHTS = "model.safetensors"
asked = []


def described(name, data):
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
    lfs = {"lfs": {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}} if name == WEIGHTS else {}
    return {"rfilename": name, "size": len(data), "blobId": blob, **lfs}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.partition("?")[0]
        name = path.rpartition("/")[2]
        if path == "/api/models/test/minilm/revision/main":
            self.answer(200, json.dumps({"sha": "c0ffee", "siblings": [described(*f) for f in FILES.items()]}).encode())
        elif path.startswith("/test/minilm/resolve/c0ffee/") and name in FILES:
            start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
            asked.append((name, start))
            data = FILES[name]
            whole = len(data)
            self.answer(206 if start else 200, data[start:], f"bytes {start}-{whole - 1}/{whole}",
                        whole // 2 if (name, start) == (WEIGHTS, 0) else whole)
        elif path == "/asked":
            self.answer(200, json.dumps(asked).encode())
        else:
            self.answer(404, b"")

    def answer(self, status, data, part="", most=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        if status == 206:
            self.send_header("Content-Range", part)
        self.end_headers()
        self.wfile.write(data[:most])

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[2], "w") as f:
    f.write(f"http://127.0.0.1:{server.server_port}")
server.serve_forever()
