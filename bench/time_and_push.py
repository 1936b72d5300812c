"""Time and push, on the Sayso that bench/run started: agents that wait,
silence, and webhooks.

usage: time_and_push.py OUT. Its input comes in the environment from bench/run;
the result goes to OUT as JSON.
"""
import contextlib
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

import deliveries
import erasing
import expiry
import inbox
import log
import machine
import permits
import waiters


class Bench:
    """The server, its keys and its database."""

    def __init__(self, environ):
        self.port = int(environ["BENCH_PORT"])
        self.agent = environ["BENCH_AGENT"]
        self.operator = environ["BENCH_OPERATOR"]
        self.admin = environ["BENCH_ADMIN"]
        self.root = int(environ["BENCH_PID"])
        self.temp = environ["BENCH_TEMP"]
        self.receiver_port = int(environ["BENCH_RECEIVER"])
        self.patience = int(environ["BENCH_PATIENCE"])
        self.email = environ["BENCH_EMAIL"]
        self.password = environ["BENCH_PASSWORD"]
        self.log = environ["BENCH_LOG"]
        self.program = environ["BENCH_PROGRAM"]
        self.sample = environ["BENCH_SAMPLE"]
        self.last = int(environ["BENCH_LAST"])
        self.psql = ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h",
                     environ["BENCH_RUN"], "-U", "postgres", "-d", "sayso"]

    def sql(self, text):
        return subprocess.run([*self.psql, "-c", text], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip()

    def sayso(self, *args):
        return subprocess.run([self.program, *args], text=True,
                              capture_output=True)

    def tidy(self, tables):
        """The work of the autovacuum, in this order: cached plans are made anew
        once the statistics are, not before."""
        for text in (f"ANALYZE {tables}", f"VACUUM {tables}", "CHECKPOINT"):
            self.sql(text)

    @contextlib.contextmanager
    def asking(self):
        """Gives a function that asks the database for one value, over one
        connection."""
        with subprocess.Popen(self.psql, text=True, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, bufsize=1) as p:
            def ask(text):
                p.stdin.write(text + ";\n")
                p.stdin.flush()
                return p.stdout.readline().strip()
            yield ask

    def fill(self, n, sample=None, due=None):
        """n more open questions like the sample; their ids."""
        a, z = self.last + 1, self.last + n
        self.last = z
        when = f", to_timestamp({due})" if due else ""
        self.sql(f"CALL bench.fill('{sample or self.sample}', {a}, {z}{when})")
        return self.sql("SELECT bench.id('s', n) FROM generate_series"
                        f"({a}::bigint, {z}) n").split()

    def range_of(self, ids):
        """The numbers of the first and the last of what fill gave."""
        return [int(id[:8] + id[9:13], 16) for id in (ids[0], ids[-1])]

    def ask(self, body):
        return deliveries.call(self, self.agent, "/api/v1/suspensions",
                               body)["suspension_id"]

    def pid(self, name):
        found = [pid for pid, its in machine.processes(self.root).items()
                 if its == name]
        if len(found) != 1:
            raise SystemExit(f"bench: {len(found)} processes {name}")
        return found[0]

    def until(self, done, seconds):
        """Waits until done(), so long at most. Was it done?"""
        end = time.monotonic() + seconds
        while not done():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True


def say(results):
    for name, one in results.items():
        numbers = {key: round(value, 2) for key, value in one.items()
                   if isinstance(value, (int, float))}
        print(f"   {name:<18}", *(f"{k} {v}" for k, v in numbers.items()))
    return results


def main(out):
    bench = Bench(os.environ)
    quick = os.environ["BENCH_QUICK"] == "yes"
    n = int(os.environ["BENCH_WAITERS"])
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if n + 100 > hard:
        raise SystemExit(f"bench: {n} waiters need more open files than "
                         f"{hard}: ulimit -n, or --waiters")
    parts = {
        "waiters": lambda: waiters.measure(bench, n, 40 if quick else 400),
        "calls": lambda: waiters.measure_calls(bench, min(n, 2000),
                                               40 if quick else 400),
        "expiry": lambda: expiry.measure(bench, 300 if quick else 10000,
                                         2 if quick else 5),
        "deliveries": lambda: deliveries.measure(bench,
                                                 320 if quick else 4000),
        "permits": lambda: permits.measure(bench, 20 if quick else 300,
                                           1 if quick else 9),
        "log": lambda: log.measure(bench, int(os.environ["BENCH_EVENTS"]),
                                   100 if quick else 4000)}
    if os.environ["BENCH_ONLY"] == "inbox":
        parts = {"inbox": lambda: inbox.measure(
            bench, 20000 if quick else 1000000, 10 if quick else 100)}
    if os.environ["BENCH_ONLY"] == "erasing":
        parts = {"erasing": lambda: erasing.measure(
            bench, 2000 if quick else 1000000, 2 if quick else 10)}
    results = {}
    for name, measure in parts.items():
        if os.environ["BENCH_ONLY"] in ("", name):
            results.update(say(measure()))
    pathlib.Path(out).write_text(json.dumps(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
