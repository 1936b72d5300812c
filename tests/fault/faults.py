"""Faults: SIGKILL for one process of a server at a time, and for its database,
which is then started again as ./start does; at any moment, or while somebody
is held at a step of a request.

Only the children of a server that the test itself started are touched.
"""
import asyncio
import collections
import contextlib
import os
import pathlib
import re
import signal
import socket
import struct
import time

import psycopg

import kit

VICTIMS = ("web", "wait", "tick", "deliver", "seal", "postgres")

# A place in a transaction: it is about to write to a table, or to lock its row
# of it, and has written to another one.
At = collections.namedtuple("At", "table wrote", defaults=(None,))
PAUSING = At("suspension_call")
ANSWERING = At("open_question")
GRANTING = At("permit", "decision")
COUNTING = At("redemption")
# Where the rows are held, because other requests come to the table too.
ROWS = {"open_question": "SELECT FROM open_question WHERE suspension_id IN "
                         "(SELECT suspension_id FROM suspension_call) "
                         "FOR UPDATE SKIP LOCKED"}

# The steps of the requests of a tool call: a place that no other request comes
# to, and the table at which the transaction is then held.
STEPS = {
    "check": [(At("tool_task"), "tool_task"), *(
        (PAUSING, table) for table in (
            "suspension_call", "intent", "suspension", "permit", "event",
            "delivery", "idempotency"))],
    "resume": [(ANSWERING, "open_question"), (ANSWERING, "decision"), *(
        (GRANTING, table) for table in (
            "permit", "event", "delivery", "idempotency"))],
    "token": [(At("permit", "permit_token"), "permit")],
    "redeem": [(COUNTING, "redemption"), (COUNTING, "event")],
}
# The same for the others that work on them, each by its own user.
OF_OTHERS = {"tick": (GRANTING, "permit"), "deliver": (At("delivery"),
                                                       "delivery")}
DATABASE = 3  # of the steps of requests, for the database

BRIEF = 0.6   # seconds to hold a table while the others wait too
# Seconds until somebody has to be held. Some steps are rare: a token comes
# after a question, an answer and a wait, of eight callers.
HELD = 90

AT_WORK = 3  # seconds to wait for somebody to be in the middle of something
ENOUGH = 30  # seconds after which no further round begins


def has_work(db, name, victim, path):
    if name == "web":
        return kit.has_request(victim, path)
    return db.execute("SELECT FROM pg_stat_activity WHERE usename = %s AND "
                      "state <> 'idle'", [f"sayso_{name}"]).rowcount


def sockets(pid):
    """The inodes of a process's sockets."""
    names = []
    for f in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed by now
            names.append(os.readlink(f))
    return {int(m[1]) for n in names if (m := re.match(r"socket:\[(\d+)", n))}


def peers():
    """The other end of each connected socket of the machine, by inode: what
    `ss -x` prints (sock_diag(7))."""
    dump, show_peer, done, peer = 0x301, 4, 3, 2
    out, kind = {}, None
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4) as s:
        s.sendto(struct.pack("=IHHIIBBHIIIII", 40, 20, dump, 1, 0,
                             socket.AF_UNIX, 0, 0, 0xffffffff, 0, show_peer,
                             0, 0), (0, 0))
        while kind != done:
            data = s.recv(1 << 20)
            while data and kind != done:
                size, kind = struct.unpack_from("=IH", data)
                one, data = data[:size], data[size + 3 & ~3:]
                out |= _peer(one, peer) if kind == 20 else {}
    return out


def _peer(message, wanted):
    """{inode: inode} of one message."""
    [inode], at = struct.unpack_from("=I", message, 20), 32
    while at + 8 <= len(message):
        size, kind = struct.unpack_from("=HH", message, at)
        if kind == wanted:
            return {inode: struct.unpack_from("=I", message, at + 4)[0]}
        at += size + 3 & ~3
    return {}


class Gate:
    """Holds every transaction that is about to write to a table. Raises
    LockNotAvailable where one that did so does not end soon: it may be held
    at another gate."""

    def __init__(self, server, table):
        self.db = server.database()
        self.db.execute("BEGIN")
        self.db.execute(f"SET LOCAL lock_timeout = '{BRIEF} s'")
        try:
            self.db.execute(ROWS.get(table,
                                     f"LOCK TABLE {table} IN SHARE MODE"))
        except psycopg.errors.LockNotAvailable:
            self.open()
            raise

    def open(self):
        self.db.close()

    def held(self, db, user, wrote=None):
        """The transactions of a user that are held here and have written to
        that table, and their backends."""
        return dict(db.execute(
            "SELECT w.virtualtransaction, w.pid FROM pg_locks w "
            "JOIN pg_stat_activity a USING (pid) WHERE NOT w.granted AND "
            "a.usename = %s AND %s = ANY (pg_blocking_pids(w.pid)) AND "
            "(%s::text IS NULL OR EXISTS (SELECT FROM pg_locks o WHERE "
            "o.pid = w.pid AND o.granted AND o.relation = %s::regclass AND "
            "o.mode = 'RowExclusiveLock'))",
            [user, self.db.info.backend_pid, wrote, wrote]).fetchall())


class Faults:
    def __init__(self, server, rng):
        self.server, self.rng = server, rng
        self.steps = []    # (victim, request, table)
        self.killed = []   # (victim, seconds until it was back)
        self.at_work = []  # those that were in the middle of something
        self.begun, self.times = time.monotonic(), []

    def took(self, what):
        """Notes how long it was since the last time."""
        now = time.monotonic()
        self.times.append((what, now - self.begun))
        self.begun = now

    async def rounds(self, least, most):
        """Each victim once in a round, in another order each time, at any
        moment. On a machine that is busy with other things, fewer rounds."""
        enough = time.monotonic() + ENOUGH
        for n in range(most):
            if n >= least and time.monotonic() > enough:
                break
            for victim in self.rng.sample(VICTIMS, len(VICTIMS)):
                await asyncio.sleep(self.rng.uniform(0.3, 1.2))
                begun = time.monotonic()
                if victim == "postgres":
                    await self.kill_database()
                else:
                    await self.kill_child(victim)
                self.killed.append((victim, time.monotonic() - begun))

    # --- At a step of a request -------------------------------------------

    async def at_steps(self):
        """Kills the worker at each step of a request, the database at some of
        them, and the others at their own."""
        steps = [(request, *step) for request, some in STEPS.items()
                 for step in some]
        todo = [("web", *step) for step in steps]
        todo += [("postgres", *step)
                 for step in self.rng.sample(steps, DATABASE)]
        todo += [(name, name, *step) for name, step in OF_OTHERS.items()]
        for victim, request, at, table in self.rng.sample(todo, len(todo)):
            await self.kill_at(victim, request, at, table)
            self.steps.append((victim, request, table))

    async def kill_at(self, victim, request, at, table):
        """Kills a process whose transaction is held at this place. The
        transaction of a worker is then let go on: it commits, and nobody gets
        its answer."""
        begun = time.monotonic()
        user = f"sayso_{victim if victim in OF_OTHERS else 'web'}"
        gate, pid = await asyncio.to_thread(self.catch, user, at, table)
        if victim == "postgres":
            await self.kill_database()
            gate.open()
        else:
            before = await asyncio.to_thread(self.children, victim)
            [one] = before if victim in OF_OTHERS else [self.worker_of(pid)]
            os.kill(one, signal.SIGKILL)
            gate.open()
            await self.until(lambda: self.replaced(victim, before, one))
        self.killed.append((victim, time.monotonic() - begun))

    def catch(self, user, at, table):
        """Holds a transaction at a place, and from there on at a table. Gives
        the gate there, and the backend."""
        end = time.monotonic() + HELD
        while time.monotonic() < end:
            with self.server.database() as db, contextlib.suppress(
                    psycopg.errors.LockNotAvailable):
                gate, held = self.hold(db, user, at)
                if gate and table != at.table:
                    gate = self.follow(db, gate, held, user, table)
                if gate:
                    return gate, held[1]
            time.sleep(self.rng.uniform(0.1, 0.3))
        raise AssertionError(f"nobody came to {table} by {at}")

    def hold(self, db, user, at):
        """A gate, and a transaction that is held there with its backend;
        None, None: there is none."""
        gate, end = Gate(self.server, at.table), time.monotonic() + BRIEF
        while time.monotonic() < end:
            if held := gate.held(db, user, at.wrote):
                return gate, held.popitem()
            time.sleep(0.02)
        gate.open()
        return None, None

    def follow(self, db, gate, held, user, table):
        """Lets a transaction go on from a gate to the next. None: it has
        nothing to write there."""
        try:
            following = Gate(self.server, table)
        finally:
            gate.open()
        while held[0] not in following.held(db, user):
            if not db.execute("SELECT FROM pg_locks WHERE "
                              "virtualtransaction = %s", held[:1]).rowcount:
                following.open()
                return None
            time.sleep(0.02)
        return following

    def worker_of(self, backend):
        """The worker that a backend of the database works for."""
        far = peers()
        ends = {far.get(one) for one in sockets(backend)} - {None}
        [worker] = [w for w in self.children("web") if ends & sockets(w)]
        return worker

    # --- One of a kind ----------------------------------------------------

    def children(self, name):
        return {p for p in kit.children(self.server.supervisor())
                if kit.comm(p) == f"sayso: {name}"}

    async def kill_child(self, name):
        before = await asyncio.to_thread(self.children, name)
        victim = await asyncio.to_thread(self.choose, name, sorted(before))
        os.kill(victim, signal.SIGKILL)
        await self.until(lambda: self.replaced(name, before, victim))

    def replaced(self, name, before, gone):
        now = self.children(name)
        return len(now) == len(before) and gone not in now

    def choose(self, name, some):
        """One of some, in the middle of its work where that can be had: a
        worker with a request, or whoever has a transaction."""
        end = time.monotonic() + AT_WORK
        with self.server.database() as db:
            while name != "wait" and time.monotonic() < end:
                if busy := [p for p in some if has_work(
                        db, name, p, self.server.socket)]:
                    self.at_work.append(name)
                    return self.rng.choice(busy)
        return self.rng.choice(some)

    async def kill_database(self):
        pid = self.server.postmaster()
        leftover = [pid] + await asyncio.to_thread(kit.children, pid)
        os.kill(pid, signal.SIGKILL)
        await self.until(
            lambda: not any(kit.comm(p) == "postgres" for p in leftover))
        await asyncio.sleep(self.rng.uniform(0, 0.5))
        kit.start_database(self.server)
        await self.until(self.ready, 30)

    def ready(self):
        with self.server.client() as client:
            return client.get("/readyz").status_code == 200

    async def until(self, what, seconds=20):
        await asyncio.to_thread(kit.wait_for, what, seconds)
