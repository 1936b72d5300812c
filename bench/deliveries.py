"""Telling: how many webhooks a second reach a receiver over HTTPS."""
import json
import pathlib
import subprocess
import time

import crowd
import machine
from waiters import ANSWER

ENDPOINTS = 16
WITHIN = 60  # seconds, and then it is given up

CONF = """daemon off;
worker_processes 1;
pid {at}/receiver.pid;
error_log {at}/receiver.error warn;
events {{ worker_connections 512; }}
http {{
    log_format one '$msec $status $http_webhook_id';
    access_log {at}/receiver.log one;
    client_body_temp_path {at}/receiver.body;
    fastcgi_temp_path {at}/receiver.body;
    proxy_temp_path {at}/receiver.body;
    scgi_temp_path {at}/receiver.body;
    uwsgi_temp_path {at}/receiver.body;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {at}/receiver.pem;
        ssl_certificate_key {at}/receiver.key;
        keepalive_requests 100000;
        return 204;
    }}
}}
"""


class Receiver:
    """An nginx that says 204 to everything and writes down what came."""

    def __init__(self, at, port):
        self.at = pathlib.Path(at)
        conf = self.at / "receiver.conf"
        conf.write_text(CONF.format(at=at, port=port))
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig=QUIT", "nginx", "-e",
             f"{at}/receiver.error", "-c", str(conf)],
            stdin=subprocess.DEVNULL)

    def came(self):
        """[(when, id)] of all that got a 204."""
        log = self.at / "receiver.log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [(float(at), id) for at, status, id in map(str.split, lines)
                if status == "204"]

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


def call(bench, key, path, body):
    """The JSON of one POST that has to be done."""
    c, got = crowd.Crowd(bench.port), []
    c.each([crowd.request("POST", path, key, body)], [c.wire()],
           lambda w, status, text, now: got.append((status, text)))
    c.close()
    status, text = got[0]
    if status not in (200, 201):
        raise SystemExit(f"bench: POST {path} got {status}: {text[:300]}")
    return json.loads(text)


def register(bench, port):
    for n in range(ENDPOINTS):
        call(bench, bench.admin, "/api/v1/endpoints", json.dumps({
            "name": f"bench {n}", "internal": True,
            "url": f"https://127.0.0.1:{port}/{n}"}))


def first(bench, receiver):
    """One answered question is told to every endpoint."""
    sample = bench.ask('{"question": "Is this told?"}')
    call(bench, bench.operator, f"/api/v1/suspensions/{sample}/respond",
         '{"value": "yes"}')
    if not bench.until(lambda: len(receiver.came()) >= ENDPOINTS, 20):
        raise SystemExit("bench: an answered question reached "
                         f"{len(receiver.came())} of {ENDPOINTS} endpoints")
    return sample


def send(bench, receiver, sample, n, endpoints):
    """n copies of what was sent become due at once."""
    before = len(receiver.came())
    due = time.time() + 5
    bench.sql(f"CALL bench.tell('{sample}', {n}, {endpoints},"
              f" to_timestamp({due}))")
    bench.tidy("endpoint, delivery, delivery_try")
    if time.time() > due - 0.5:
        raise SystemExit("bench: the rows were not ready in time")
    time.sleep(due - 0.2 - time.time())
    time0 = machine.seconds(bench.root)
    if not bench.until(lambda: len(receiver.came()) - before >= n, WITHIN):
        raise SystemExit(f"bench: {len(receiver.came()) - before} of {n} "
                         f"deliveries arrived within {WITHIN} s")
    came = receiver.came()[before:]
    cpu = machine.spent(time0, machine.seconds(bench.root))
    if len({id for _, id in came}) != n or not bench.until(
            lambda: bench.sql("SELECT count(*) FROM delivery WHERE state <>"
                              " 'delivered'") == "0", 10):
        raise SystemExit("bench: what was sent and what came differ")
    times = sorted(at for at, _ in came)
    return {"deliveries": n, "endpoints": endpoints, "twice": len(came) - n,
            "rate": (n - 1) / max(times[-1] - times[0], 0.001), "cpu_s": cpu}


def measure(bench, n):
    receiver = Receiver(bench.temp, bench.receiver_port)
    try:
        time.sleep(0.5)
        register(bench, bench.receiver_port)
        sample = first(bench, receiver)
        busy = machine.settle(bench.patience)
        results = {
            "deliver_one": send(bench, receiver, sample, n // 2, 1),
            "deliver_many": send(bench, receiver, sample, n, ENDPOINTS)}
    finally:
        receiver.stop()
    for one in results.values():
        one["others_percent"] = busy
    return results
