"""Serves MiniLM as an OpenAI-compatible endpoint: serve.py FILE, which gets the address once it listens."""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from minilm import MiniLM

MODEL = MiniLM()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        vectors = MODEL.encode(request["input"])
        answer = json.dumps({"object": "list", "model": request["model"], "data": [
            {"object": "embedding", "index": i, "embedding": v.tolist()} for i, v in enumerate(vectors)]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1], "w") as f:
    f.write(f"http://127.0.0.1:{server.server_port}/v1")
server.serve_forever()
