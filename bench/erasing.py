"""Retention: very many questions that ended, nine tenths of which a rule erases.
Whether the log is sound before and after, how large the database is, and how
fast answers are while it is done."""
import contextlib
import json
import os
import pathlib
import signal
import statistics
import subprocess
import time

import deliveries
import machine
from expiry import CONNECTIONS, Answers
from log import signed

ROWS = pathlib.Path(__file__).with_name("erasing.sql")
AT_ONCE = 5000  # questions that are made by one statement
# A turn without comes between two others, for the database grows meanwhile.
TURNS = ("none", "process", "none", "command", "process", "none") * 2
PACE = 2000     # answers a second, at most
RULE = "approvals"
ASK = json.dumps({
    "title": "Refund order 12345", "question": "Refund 499.99 EUR?",
    "kind": "approval", "severity": "medium",
    "explanation": "The customer says that it arrived broken.",
    "subject": {"action": {"name": "Refund", "args": {
        "order": "12345", "amount": "499.99 EUR"}}, "target": "order 12345",
        "scope_summary": "One refund of 499.99 EUR",
        "consequence": "Money leaves the account."},
    "context": {"order": "12345", "customer": "Alice"}})
REJECT = json.dumps({"value": "reject", "reason": "The photo shows no damage."})


def say(text):
    print(f"   {time.strftime('%H:%M:%S')} {text}", flush=True)


def fill(bench, n, sample):
    """n more questions that ended, copies of the sample."""
    for at in range(0, n, AT_ONCE):
        a, z = bench.last + 1, bench.last + min(AT_ONCE, n - at)
        bench.last = z
        bench.sql(f"CALL bench.fill_ended('{sample}', {a}, {z})")


def approval(bench):
    """An approval that was rejected, with a comment."""
    id = bench.ask(ASK)
    deliveries.call(bench, bench.operator,
                    f"/api/v1/suspensions/{id}/respond", REJECT)
    return id


def receipts(bench):
    """Until each answer has one."""
    with bench.asking() as ask:
        def missing():
            return int(ask("SELECT count(*) FROM decision d, receipt_end e "
                           "WHERE (d.xid, d.suspension_id) > "
                           "(e.xid, e.suspension_id)"))
        left = missing()
        while left > 0:
            time.sleep(5)
            before, left = left, missing()
            say(f"{left} receipts are missing")
            if left >= before:
                raise SystemExit("bench: the receipts do not come")


def verify(bench):
    begun = time.monotonic()
    done = bench.sayso("verify")
    took = time.monotonic() - begun
    say(f"verify: {took:.0f} s, {done.stdout.strip().splitlines()[-1:]}")
    if done.returncode != 0:
        raise SystemExit(f"bench: verify: {done.stdout}{done.stderr}")
    return took


def size(bench):
    bench.sql("VACUUM ANALYZE")
    return int(bench.sql("SELECT pg_database_size('sayso')"))


def erased(bench):
    return int(bench.sql("SELECT sum(erased) FROM retention_rule"))


@contextlib.contextmanager
def nothing(bench):
    """The process that erases stands still."""
    pid = bench.pid("sayso: erase")
    os.kill(pid, signal.SIGSTOP)
    yield
    os.kill(pid, signal.SIGCONT)


@contextlib.contextmanager
def process(bench):
    """It erases, after whatever pause it is in."""
    before = erased(bench)
    if not bench.until(lambda: erased(bench) > before, 120):
        raise SystemExit("bench: nothing is erased")
    yield


@contextlib.contextmanager
def command(bench):
    """The command without its pauses, beside the process with its own."""
    with subprocess.Popen([bench.program, "retention", "run"],
                          stdout=subprocess.DEVNULL) as one:
        yield
        one.kill()


MEANWHILE = {"none": nothing, "process": process, "command": command}


def turns(bench, seconds):
    """For each way the answers a second, and the questions that were erased."""
    rates, gone = {}, {}
    ids = bench.fill(seconds * PACE * len(TURNS))
    bench.tidy("intent, suspension, open_question, inbox_entry, decision, "
               "event")
    signed(bench, 600)
    say("answering")
    for n, way in enumerate(TURNS):
        own = ids[n * seconds * PACE:(n + 1) * seconds * PACE]
        with MEANWHILE[way](bench):
            before, some = erased(bench), Answers(bench, own)
            for _ in range(CONNECTIONS):
                some.go(some.crowd.wire())
            begun = time.monotonic()
            some.crowd.until(lambda: False, seconds)
            one = some.between(begun, time.monotonic())
            some.crowd.close()
        gone.setdefault(way, []).append(erased(bench) - before)
        rates.setdefault(way, []).append(one["rate"])
        say(f"{way}: {one['rate']:.0f} answers a second, p99 "
            f"{one['p99_ms']:.1f} ms, {gone[way][-1]} questions erased")
    return rates, gone


def measure(bench, n, seconds):
    """Turns of so many seconds."""
    bench.sql("ALTER SYSTEM SET max_wal_size = '2GB'")
    bench.sql("SELECT pg_reload_conf()")
    subprocess.run([*bench.psql, "-f", ROWS], check=True)
    old = n * 9 // 10
    say(f"making {n} questions that ended")
    fill(bench, old, approval(bench))
    fill(bench, n - old, bench.sql("SELECT bench.id('s', 0)"))
    say("made")
    signed(bench, 3600)
    say("all events are in the log")
    receipts(bench)
    whole = size(bench)
    say(f"{whole / n:.0f} bytes for each")
    sound = verify(bench)
    bench.sayso("retention", "add", "--name", RULE, "--days", "7", "--kind",
                "approval")
    bench.sql("SET session_replication_role = replica; "
              f"UPDATE retention_rule SET days = 0 WHERE name = '{RULE}'")
    say(" ".join(bench.sayso("retention", "preview", RULE).stdout.split()))
    bench.sayso("retention", "start", RULE)
    busy = machine.settle(bench.patience)
    rates, gone = turns(bench, seconds)
    grown = size(bench)
    begun, before = time.monotonic(), erased(bench)
    bench.sql("ALTER SYSTEM SET autovacuum = on")
    bench.sql("SELECT pg_reload_conf()")
    say(" ".join(bench.sayso("retention", "run").stdout.split()))
    took = time.monotonic() - begun
    rest = erased(bench) - before
    say(f"{rest} erased in {took:.0f} s, {erased(bench)} in all")
    if erased(bench) != old + 1:
        raise SystemExit(f"bench: {erased(bench)} of {old + 1} were erased")
    signed(bench, 600)
    receipts(bench)
    after = size(bench)
    sound_after = verify(bench)
    for table in ("event", "suspension", "intent", "decision"):
        bench.sql(f"VACUUM FULL {table}")
    packed = size(bench)
    say(f"before {whole}, with those that were answered {grown}, after "
        f"{after}, packed {packed}")
    none = statistics.median(rates["none"])
    return {"erasing": {
        "questions": n, "erased": old, "others_percent": busy,
        "process": statistics.median(rates["process"]) / none,
        "command": statistics.median(rates["command"]) / none,
        "rate": none, "erased_a_second": rest / took,
        "bytes": whole, "bytes_answered": grown, "bytes_after": after,
        "bytes_packed": packed, "verify_s": sound,
        "verify_after_s": sound_after, "rates": rates, "gone": gone}}
