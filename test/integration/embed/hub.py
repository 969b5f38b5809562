"""Serves two folders as the repositories test/minilm and test/transformer of a hub: hub.py FOLDER FOLDER FILE. The file
gets the address once it listens.

The first download of the weights of test/minilm breaks off in the middle, and the next one may go on there.
"""

import hashlib
import json
import pathlib
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

REPOSITORIES = {repository: {str(f.relative_to(folder)): f.read_bytes() for f in pathlib.Path(folder).rglob("*") if f.is_file()}
                for repository, folder in zip(("test/minilm", "test/transformer"), sys.argv[1:])}
WEIGHTS = "model.safetensors"
asked = []


def described(name, data):
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
    lfs = {"lfs": {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}} if name == WEIGHTS else {}
    return {"rfilename": name, "size": len(data), "blobId": blob, **lfs}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.partition("?")[0]
        repository, _, name = path[1:].partition("/resolve/c0ffee/")
        listed = path.removeprefix("/api/models/").removesuffix("/revision/main")
        if listed in REPOSITORIES:
            files = REPOSITORIES[listed].items()
            self.answer(200, json.dumps({"sha": "c0ffee", "siblings": [described(*f) for f in files]}).encode())
        elif name in REPOSITORIES.get(repository, ()):
            start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
            if repository == "test/minilm":
                asked.append((name, start))
            data = REPOSITORIES[repository][name]
            whole = len(data)
            self.answer(206 if start else 200, data[start:], f"bytes {start}-{whole - 1}/{whole}",
                        whole // 2 if (repository, name, start) == ("test/minilm", WEIGHTS, 0) else whole)
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
with open(sys.argv[3], "w") as f:
    f.write(f"http://127.0.0.1:{server.server_port}")
server.serve_forever()
