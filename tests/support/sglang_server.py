"""An SGLang router with one worker behind it, as far as slime's rollouts talk to them.

It sorts the numbers of a prompt, rightly or wrongly as `skill` says, and holds a request for a
while, so that an abort finds requests under way and returns what they had written by then.
"""

import json
import re
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any


class SGLangServer:
    """decode, encode    those of slime's tokenizer
    asked             what a prompt ends with; an output that is resumed begins after it
    skill             the numbers of a problem -> the probability of sorting them rightly
    """

    def __init__(
        self,
        decode: Callable[[list[int]], str],
        encode: Callable[[str], list[int]],
        asked: str,
        skill: Callable[[list[str]], float],
    ) -> None:
        self.decode, self.encode, self.asked, self.skill = decode, encode, asked, skill
        self.rng, self.lock = Random(0), threading.Lock()
        self.under_way: set[threading.Event] = set()
        self.aborted = 0
        owner = self

        class Handler(_Handler):
            sglang = owner

        self.server = _Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def generate(self, body: dict[str, Any]) -> dict[str, Any]:
        """One output, or as much of it as there was when it was aborted."""
        prompt, _, begun = self.decode(body["input_ids"]).rpartition(self.asked)
        numbers = re.search(r"^[\d ]+$", prompt, re.MULTILINE)[0].split()
        rising = sorted(numbers, key=int)
        leave = threading.Event()
        with self.lock:
            self.under_way.add(leave)
            right = self.rng.random() < self.skill(numbers)
            seconds = self.rng.choice([0.0, 0.0, 0.01, 0.05])
        texts = [f" <answer>{' '.join(order)}</answer>" for order in (rising, rising[::-1])]
        text = next(text for text in texts[:: 1 if right else -1] if text.startswith(begun))
        tokens = self.encode(text.removeprefix(begun))[: body["sampling_params"]["max_new_tokens"]]
        cut = leave.wait(seconds)
        with self.lock:
            self.under_way.discard(leave)
            self.aborted += cut
        if cut:
            tokens = tokens[: len(tokens) // 2]
        return {
            "text": self.decode(tokens),
            "meta_info": {
                "finish_reason": {"type": "abort" if cut else "stop"},
                "output_token_logprobs": [[-0.25, token, None] for token in tokens],
                "prompt_tokens": len(body["input_ids"]),
                "completion_tokens": len(tokens),
            },
        }

    def abort(self) -> None:
        """Return what is under way, and wait until it has left: slime asks again after seconds."""
        with self.lock:
            leaving = {*self.under_way}
            for leave in leaving:
                leave.set()
        while leaving & self.under_way:
            time.sleep(0.001)


class _Server(ThreadingHTTPServer):
    request_queue_size = 256  # slime connects as often as it has samples
    daemon_threads = True


class _Handler(BaseHTTPRequestHandler):
    sglang: SGLangServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format, *args) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/generate":
            self.reply(self.sglang.generate(body))
        elif self.path == "/abort_request":
            self.sglang.abort()
            self.reply({})
        else:
            self.send_error(404)

    def do_GET(self) -> None:
        if self.path == "/workers":
            self.reply({"workers": [{"url": f"http://127.0.0.1:{self.sglang.port}"}]})
        elif self.path.startswith("/v1/loads"):
            self.reply({"loads": [{"num_reqs": len(self.sglang.under_way)}]})
        else:
            self.send_error(404)

    def reply(self, body: dict[str, Any]) -> None:
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
