"""The log: how long its signer takes for many events, and how large they are
there; and how soon a receipt follows its answer."""
import time

import machine
from expiry import CONNECTIONS, Answers
from waiters import percentiles

TABLES = ("event", "log_leaf", "log_tile", "log_head", "log_checkpoint")
AT_ONCE = 5000  # questions that are made by one statement
BEHIND = "SELECT bench.unsigned()"


def sizes(bench):
    """{table: bytes}, with its indexes and what stands apart."""
    bench.sql(f"VACUUM {', '.join(TABLES)}")
    return {t: int(bench.sql(f"SELECT pg_total_relation_size('{t}')"))
            for t in TABLES}


def peak(pid):
    """kB that a process needed at most."""
    return int(machine.read(f"{pid}/status").partition("VmHWM:")[2].split()[0])


def signed(bench, seconds):
    with bench.asking() as ask:
        if not bench.until(lambda: ask(BEHIND) == "0", seconds):
            raise SystemExit(f"bench: {ask(BEHIND)} events are not in the log "
                             f"after {seconds} s")


def backlog(bench, events):
    """The events were made while the signer waited for a lock: its supervisor
    would end a process that stands still for so long."""
    signed(bench, 60)
    before, pid = sizes(bench), bench.pid("sayso: seal")
    begun = time.monotonic()
    with bench.asking() as ask:
        ask("BEGIN; LOCK TABLE log_leaf IN SHARE MODE; SELECT 1")
        for n in range(0, events // 2, AT_ONCE):
            bench.fill(min(AT_ONCE, events // 2 - n))
        bench.tidy("intent, event")
        cpu, at = machine.seconds(bench.root), time.monotonic()
    signed(bench, 60 + events // 100)
    took = time.monotonic() - at
    used = machine.spent(cpu, machine.seconds(bench.root))
    after = sizes(bench)
    one = {f"{t}_bytes": (after[t] - before[t]) / events for t in TABLES}
    return {"events": events, "made_s": at - begun, "seconds": took,
            "rate": events / took, "us": took / events * 1e6,
            "signer_us": used.get("sayso: seal", 0) / events * 1e6,
            "database_us": used.get("postgres: sayso_seal", 0) / events * 1e6,
            "peak_kb": peak(pid), **one}


def answers(bench, n):
    """Answers without a pause, and the time from each to its receipt."""
    ids = bench.fill(n)
    bench.tidy("intent, suspension, open_question, inbox_entry, decision, "
               "event")
    signed(bench, 60)
    busy = machine.settle(bench.patience)
    some = Answers(bench, ids)
    begun = time.monotonic()
    for _ in range(CONNECTIONS):
        some.go(some.crowd.wire())
    some.crowd.until(lambda: len(some.times) == n, 60 + n // 50)
    end = time.monotonic()
    some.crowd.close()
    first, last = bench.range_of(ids)
    receipts = f"""generate_series({first}, {last}) n
          JOIN decision d ON d.suspension_id = bench.id('s', n)::text
          JOIN receipt r ON r.suspension_id = d.suspension_id"""
    with bench.asking() as ask:
        count = f"SELECT count(*) FROM {receipts}"
        if not bench.until(lambda: ask(count) == str(n), 60):
            raise SystemExit(f"bench: {ask(count)} receipts of {n} answers")
    caught = time.monotonic() - end
    late = [float(x) for x in bench.sql(f"""
        SELECT extract(epoch FROM r.signed_at - d.decided_at) * 1000
          FROM {receipts}""").split()]
    return {"answers": n, "rate": n / (end - begun), "others_percent": busy,
            "caught_up_s": caught, **percentiles(late), "last_ms": max(late)}


def measure(bench, events, n):
    return {"log": backlog(bench, events), "receipts": answers(bench, n)}
