"""An authority for time stamps (RFC 3161): openssl, behind a small HTTP server
on this machine."""
import http.server
import pathlib
import shutil
import subprocess
import tempfile
import threading

CONF = """
[tsa]
default_tsa = one
[one]
dir = {dir}
serial = {dir}/serial
crypto_device = builtin
signer_cert = {dir}/tsa.pem
certs = {dir}/ca.pem
signer_key = {dir}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = {digests}
accuracy = secs:1
ordering = no
tsa_name = no
ess_cert_id_chain = no
ess_cert_id_alg = sha256
"""
EXT = "extendedKeyUsage = critical, timeStamping\n"


class Authority:
    """ca: its certificate, a file. answer(query) may be replaced."""

    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp())
        self.ca = self.dir / "ca.pem"
        self.asked = []
        self.answer = self.stamp
        self._keys()
        (self.dir / "serial").write_text("01\n")
        for name, digests in (("tsa", "sha256"), ("other", "sha512")):
            (self.dir / f"{name}.cnf").write_text(
                CONF.format(dir=self.dir, digests=digests))
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.asked.append((dict(self.headers), body))
                status, text = outer.answer(body)
                self.send_response(status)
                self.send_header("Content-Type", "application/timestamp-reply")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/tsa"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        shutil.rmtree(self.dir)

    def openssl(self, *args):
        return subprocess.run(["openssl", *map(str, args)], check=True,
                              cwd=self.dir, capture_output=True)

    def _keys(self):
        self.openssl("req", "-x509", "-newkey", "ed25519", "-nodes", "-keyout",
                     "ca.key", "-out", "ca.pem", "-subj", "/CN=Test CA",
                     "-days", "2")
        self.openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout",
                     "tsa.key", "-out", "tsa.csr", "-subj", "/CN=Test TSA")
        (self.dir / "ext").write_text(EXT)
        self.openssl("x509", "-req", "-in", "tsa.csr", "-CA", "ca.pem",
                     "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "ext",
                     "-out", "tsa.pem", "-days", "2")

    def reply(self, query, conf="tsa"):
        """The answer of openssl to a query."""
        (self.dir / "query").write_bytes(query)
        self.openssl("ts", "-reply", "-queryfile", "query", "-config",
                     f"{conf}.cnf", "-section", "one", "-out", "answer")
        return (self.dir / "answer").read_bytes()

    def query(self, digest, *more):
        self.openssl("ts", "-query", "-digest", digest.hex(), "-sha256",
                     "-cert", "-out", "mine", *more)
        return (self.dir / "mine").read_bytes()

    def stamp(self, query):
        return 200, self.reply(query)

    def verified(self, stamp, digest):
        """Does openssl find that the stamp is of this digest?"""
        (self.dir / "stamp.tsr").write_bytes(stamp)
        done = subprocess.run(
            ["openssl", "ts", "-verify", "-digest", digest.hex(), "-in",
             "stamp.tsr", "-CAfile", "ca.pem"], cwd=self.dir,
            capture_output=True, text=True)
        return done.returncode == 0 and "Verification: OK" in done.stdout
