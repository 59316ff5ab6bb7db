"""What the programs of both versions share; it knows no SDK."""

import queue
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def ok(check):
    print("ok " + check, flush=True)


def equal(what, found, expected):
    if found != expected:
        raise AssertionError("%s is %r, not %r" % (what, found, expected))


def recent(what, seconds):
    """Demands Unix seconds of the last ten minutes."""
    if type(seconds) is not int or abs(time.time() - seconds) > 600:
        raise AssertionError("%s is %r, which is not now in seconds" % (what, seconds))


def raised(kind, call):
    """The error of this class with which the call must fail."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError("The call succeeded.")


class Receiver:
    """An HTTP server on loopback that answers 200 and keeps what arrives."""

    def __init__(self):
        arrived = self._arrived = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                arrived.put((body, self.headers["Service-Signature"]))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%d/hook" % self._server.server_port

    def next(self):
        """Body and signature header of the next delivery; fails after 30 s."""
        return self._arrived.get(timeout=30)
