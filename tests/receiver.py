"""Real receivers for deliveries: an HTTPS server whose certificate comes from
an authority made for the test, and a mail server. On the loopback only."""
import collections
import email
import email.policy
import http.server
import pathlib
import socketserver
import ssl
import subprocess
import threading
import time

from server import free_port

Request = collections.namedtuple("Request", "path headers body at")


def _openssl(*args, cwd):
    subprocess.run(["openssl", *args], cwd=cwd, check=True,
                   capture_output=True, timeout=60)


class Authority:
    """A certificate authority in a directory that the server's user can read;
    `file` has its certificate."""

    def __init__(self, where):
        self.where = pathlib.Path(where)
        self.where.mkdir(parents=True, exist_ok=True)
        self.where.chmod(0o755)
        self.file = self.where / "ca.pem"
        _openssl("req", "-x509", "-newkey", "ec", "-pkeyopt",
                 "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                 "-subj", "/CN=Authority of the tests", "-keyout", "ca.key",
                 "-out", "ca.pem", cwd=self.where)
        self.file.chmod(0o644)

    def context(self, name="receiver", hosts="DNS:localhost,IP:127.0.0.1"):
        """A server's side of TLS for these hosts."""
        (self.where / f"{name}.ext").write_text(f"subjectAltName={hosts}\n")
        _openssl("req", "-newkey", "ec", "-pkeyopt",
                 "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                 f"/CN={name}", "-keyout", f"{name}.key", "-out",
                 f"{name}.csr", cwd=self.where)
        _openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem",
                 "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                 "-extfile", f"{name}.ext", "-out", f"{name}.pem",
                 cwd=self.where)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.where / f"{name}.pem",
                                self.where / f"{name}.key")
        return context


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        size = int(self.headers.get("content-length", 0))
        body = self.rfile.read(size)
        status, headers, said, delay = self.server.receiver.take(
            Request(self.path, dict(self.headers.items()), body,
                    time.monotonic()))
        time.sleep(delay)
        try:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)
        except OSError:
            self.close_connection = True  # nobody waited for it

    do_GET = do_PUT = do_POST

    def log_message(self, *_):
        pass


class _Threads(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, address):
        pass  # a connection that was cut, or one without TLS


class _Tls(_Threads):
    def __init__(self, address, context):
        self.context = context
        super().__init__(address, _Handler)

    def finish_request(self, request, address):
        # The TLS handshake in the connection's own thread.
        with self.context.wrap_socket(request, server_side=True) as secure:
            super().finish_request(secure, address)

    def shutdown_request(self, request):
        self.close_request(request)


class Receiver:
    """Records every request; answers each path as configured, else with 204."""

    def __init__(self, context=None):
        self.requests = []
        self.answers = collections.defaultdict(list)
        self.always = {}
        self.lock = threading.Lock()
        self.http = (_Tls(("127.0.0.1", 0), context) if context
                     else _Threads(("127.0.0.1", 0), _Handler))
        self.http.receiver = self
        self.port = self.http.server_address[1]
        self.scheme = "https" if context else "http"
        self.thread = threading.Thread(target=self.http.serve_forever,
                                       daemon=True)
        self.thread.start()

    def url(self, path, host="127.0.0.1"):
        return f"{self.scheme}://{host}:{self.port}{path}"

    def answer(self, path, status, headers=None, said=b"", delay=0,
               always=False):
        """The next answer on that path, or all of them."""
        one = (status, headers or {}, said, delay)
        if always:
            self.always[path] = one
        else:
            self.answers[path].append(one)

    def take(self, request):
        with self.lock:
            self.requests.append(request)
            told = self.answers[request.path]
            return (told.pop(0) if told
                    else self.always.get(request.path, (204, {}, b"", 0)))

    def at(self, path):
        with self.lock:
            return [r for r in self.requests if r.path == path]

    def close(self):
        self.http.shutdown()
        self.http.server_close()


class Mailbox:
    """A mail server; by default like the relay of a machine: no TLS, no
    authentication. more: of aiosmtpd's Controller."""

    def __init__(self, **more):
        from aiosmtpd.controller import Controller

        self.mails = []  # (sender, recipients, message, the bytes)
        self.refuse = {}  # address: the answer to RCPT
        self.port = free_port()
        self.controller = Controller(self, hostname="127.0.0.1",
                                     port=self.port, **more)
        self.controller.start()

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address in self.refuse:
            return self.refuse[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        raw = envelope.original_content or envelope.content
        message = email.message_from_bytes(raw, policy=email.policy.default)
        self.mails.append((envelope.mail_from, list(envelope.rcpt_tos),
                           message, raw))
        return "250 Taken"

    def close(self):
        self.controller.stop()
