"""A real receiver of webhooks: HTTPS with a certificate made for it, and the
published verifier of Standard Webhooks. It keeps whatever arrives."""
import http.server
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time

import standardwebhooks

from ledger import Arrival

REFUSED_FIRST = 8  # one message of so many gets a 503 at its first try
SLOW = 3           # and one of so many takes a moment to be answered


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        status = self.server.owner.take(self.path[1:], self.headers, body)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A sender that was killed breaks off; all else is a defect here."""
        if not isinstance(sys.exc_info()[1], OSError):
            self.owner.failures.append(repr(sys.exc_info()[1]))


class Receiver:
    """Listens on the loopback address; ca_file names whom to trust. Its
    doors, /name, are opened one by one with an endpoint's id and secret."""

    def __init__(self):
        # The servers' user, who need not be ours, reads the certificate.
        self.at = pathlib.Path(tempfile.mkdtemp(prefix="receiver-",
                                                dir="/tmp"))
        self.at.chmod(0o755)
        self.ca_file = self.at / "cert.pem"
        key = self.at / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
             "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
             "/CN=receiver", "-addext", "subjectAltName=IP:127.0.0.1",
             "-keyout", key, "-out", self.ca_file], check=True,
            capture_output=True)
        self.ca_file.chmod(0o644)
        self.doors, self.arrivals, self.tries = {}, [], {}
        self.failures = []
        self.lock = threading.Lock()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.ca_file, key)
        self.http = Listener(("127.0.0.1", 0), Handler)
        self.http.owner = self
        # Each connection shakes hands in its own thread.
        self.http.socket = context.wrap_socket(
            self.http.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def url(self, name):
        return f"https://127.0.0.1:{self.http.server_port}/{name}"

    def open(self, name, endpoint, secret):
        self.doors[name] = endpoint, standardwebhooks.Webhook(secret)

    def take(self, name, headers, body):
        """Keeps one message, and says with which status it is answered."""
        endpoint, verifier = self.doors.get(name, (name, None))
        wrong, id = "it came to no door", headers.get("webhook-id")
        if verifier:
            try:
                verifier.verify(body, {k.lower(): v
                                       for k, v in headers.items()})
                wrong = None
            except Exception as e:
                wrong = repr(e)
        with self.lock:
            self.arrivals.append(Arrival(id, endpoint, body.decode(), wrong))
            self.tries[id] = self.tries.get(id, 0) + 1
            first = self.tries[id] == 1
            n = len(self.tries)
        if n % SLOW == 0:
            time.sleep(0.2)
        return 503 if first and n % REFUSED_FIRST == 0 else 200

    def close(self):
        self.http.shutdown()
        self.http.server_close()
        shutil.rmtree(self.at, ignore_errors=True)
