"""The ledger: every response to a client while processes were killed, and
whether the database agrees.

Pure: the load writes into it, its checks compare, and nothing here knows a
server. Each check returns its findings, in words; test_ledger.py shows that
each of them can fail.
"""
import collections
import dataclasses
import json

SLACK = 15  # seconds that a held read may take beyond what it asked for

Answer = collections.namedtuple(
    "Answer", "suspension by value reason status code")
Wait = collections.namedtuple("Wait", "path seconds took status")
Learned = collections.namedtuple("Learned", "by suspension state value")
# verified: what the published verifier said, None: nothing to complain of.
Arrival = collections.namedtuple("Arrival", "id endpoint body verified")
Frame = collections.namedtuple("Frame", "intent sequence name")
# Of checks of tool calls and their permits: a pause, an approval or a
# rejection that got a 200, a request for a token that was answered, the same
# of a redemption, and a permit as it was read when nothing was left to do.
Pause = collections.namedtuple(
    "Pause", "key by suspension permit handle intent max_uses")
Resumed = collections.namedtuple(
    "Resumed", "suspension action outcome task")
Token = collections.namedtuple("Token", "permit status code sha256")
Use = collections.namedtuple(
    "Use", "permit operation status code redemption n left")
Reported = collections.namedtuple("Reported", "redemption result")
Seen = collections.namedtuple("Seen", "permit state used uses")
# From the database. suspension: of the payload, None: not about one.
Event = collections.namedtuple(
    "Event", "intent sequence type suspension payload")
Row = collections.namedtuple(
    "Row", "id intent state value reason suspended_at expires_at responded_at "
    "channel_hint max_attempts")
Delivery = collections.namedtuple(
    "Delivery", "id endpoint suspension sequence type state tries body")
Permit = collections.namedtuple(
    "Permit", "id suspension agent handle intent state granted max_uses used")
Redemption = collections.namedtuple(
    "Redemption", "id permit n operation result")
Issued = collections.namedtuple("Issued", "sha256 permit ended")


@dataclasses.dataclass
class Stream:
    """The events that one reader got, over all of its connections."""
    intent: str = None  # of an intent's stream
    after: int = 0      # the sequence behind which it began
    agent: str = None   # of an agent's stream
    frames: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Ledger:
    asked: set = dataclasses.field(default_factory=set)  # got a 201
    answers: list = dataclasses.field(default_factory=list)
    waits: list = dataclasses.field(default_factory=list)
    learned: list = dataclasses.field(default_factory=list)
    arrivals: list = dataclasses.field(default_factory=list)
    streams: list = dataclasses.field(default_factory=list)
    pauses: list = dataclasses.field(default_factory=list)
    resumed: list = dataclasses.field(default_factory=list)
    tokens: list = dataclasses.field(default_factory=list)
    uses: list = dataclasses.field(default_factory=list)
    reported: list = dataclasses.field(default_factory=list)
    seen: list = dataclasses.field(default_factory=list)
    # The database at the end, and the callers that learned of each question's
    # end.
    rows: dict = dataclasses.field(default_factory=dict)  # by id
    events: list = dataclasses.field(default_factory=list)
    deliveries: list = dataclasses.field(default_factory=list)
    permits: dict = dataclasses.field(default_factory=dict)  # by id
    redemptions: list = dataclasses.field(default_factory=list)
    issued: list = dataclasses.field(default_factory=list)
    calls: dict = dataclasses.field(default_factory=dict)  # by suspension
    pushed_to: str = None   # the endpoint of the agents
    channels: dict = dataclasses.field(default_factory=dict)  # id by name
    verify: tuple = (0, "")  # status and words of `sayso verify`
    until: float = 0.0       # when the database was read

    def of(self, suspension, *types):
        return [e for e in self.events
                if e.suspension == suspension and e.type in types]


ENDS = ("intent.resumed", "intent.suspension_expired")
PUSHES = ("intent_authorized", "intent_vetoed", "intent_changes_requested",
          "intent_resumed", "intent_suspension_expired",
          "intent_suspension_cancelled")


def answered_once(book):
    """Every answer that got a 200 is there, once, as it was given."""
    for a in book.answers:
        if a.status != 200:
            continue
        row, events = book.rows.get(a.suspension), book.of(
            a.suspension, "intent.resumed")
        if not row:
            yield f"{a.suspension}: answered with 200 and not there"
        elif (row.state, row.value, row.reason) != (
                "resolved", a.value, a.reason):
            yield f"{a.suspension}: 200 for {a.value} of {a.by}, but {row}"
        if len(events) != 1:
            yield (f"{a.suspension}: 200 for {a.value} and {len(events)} "
                   "times intent.resumed")
        elif (events[0].payload.get("value"),
              events[0].payload.get("reason")) != (a.value, a.reason):
            yield f"{a.suspension}: 200 for {a.value}, but {events[0]}"


def decided_once(book):
    """One decision each; a 409 lost against another answer; and no decision
    after the end of the time."""
    winners = collections.defaultdict(set)
    for a in book.answers:
        row = book.rows.get(a.suspension)
        if a.status == 200:
            winners[a.suspension].add(a.reason)
        elif a.status != 409:
            yield f"{a.suspension}: {a.by} was left with {a.status}"
        elif not row or row.state == "pending":
            yield f"{a.suspension}: a 409, and nobody has decided: {row}"
        elif row.state == "resolved" and row.reason == a.reason:
            yield f"{a.suspension}: {a.by} decided and was told 409"
        elif (a.code == "suspension.expired") != (row.state == "expired"):
            yield f"{a.suspension}: told {a.code}, but {row}"
    for suspension, reasons in winners.items():
        if len(reasons) > 1:
            yield f"{suspension}: {len(reasons)} answers got a 200"
    for row in book.rows.values():
        ends = book.of(row.id, *ENDS)
        wanted = {"resolved": ["intent.resumed"], "pending": [],
                  "expired": ["intent.suspension_expired"]}.get(row.state)
        if wanted is not None and [e.type for e in ends] != wanted:
            yield f"{row.id}: {row.state}, and {[e.type for e in ends]}"
        if row.state == "resolved" and row.responded_at >= row.expires_at:
            yield f"{row.id}: answered after its end: {row}"


def expired_in_time(book):
    """No question is open past its time, and none ended before it."""
    for row in book.rows.values():
        if row.state == "pending" and row.expires_at <= book.until:
            yield (f"{row.id}: open {book.until - row.expires_at:.1f} s "
                   "past its time")
        if row.state == "expired" and row.responded_at < row.expires_at:
            yield f"{row.id}: expired before its time: {row}"


def asked_is_there(book):
    """Every question that got a 201 is in the database."""
    for one in book.asked - set(book.rows):
        yield f"{one}: got a 201 and is not there"


def delivered(book):
    """Every delivery arrived, as it was written and signed, under its id."""
    there = {d.id: d for d in book.deliveries}
    arrived = collections.defaultdict(list)
    for a in book.arrivals:
        arrived[a.id].append(a)
        if a.verified is not None:
            yield f"{a.id}: the verifier refuses it: {a.verified}"
        if a.id not in there:
            yield f"{a.id}: arrived and was never written: {a.body}"
    for d in book.deliveries:
        got = arrived[d.id]
        if d.state != "delivered":
            yield f"{d.id}: {d.state} in the end, {d.tries} tries"
        if not got:
            yield f"{d.id}: did not arrive: {d.type} of {d.suspension}"
        for a in got:
            if (a.body, a.endpoint) != (d.body, d.endpoint):
                yield f"{d.id}: arrived otherwise than written: {a.body}"


def told_once(book):
    """The end of each question is written once for the agent, and true."""
    told = collections.defaultdict(list)
    for d in book.deliveries:
        if d.endpoint == book.pushed_to and d.type in PUSHES:
            told[d.suspension].append(d)
    for row in book.rows.values():
        got = told.pop(row.id, [])
        if len(got) != (row.state != "pending"):
            yield f"{row.id}: {row.state}, and {len(got)} pushes"
        for d in got:
            data = json.loads(d.body)["data"]
            if row.state == "resolved" and data["value"] != row.value:
                yield f"{row.id}: pushed {data['value']}, but {row}"
            if (d.type == "intent_suspension_expired") != (
                    row.state == "expired"):
                yield f"{row.id}: pushed {d.type}, but {row}"
    for suspension in told:
        yield f"{suspension}: pushed, and not there"


def notices(book):
    """How often each (suspension, attempt, channel) is written."""
    out = collections.Counter()
    for d in book.deliveries:
        if d.endpoint in book.channels.values():
            data = json.loads(d.body)["data"]
            out[data["suspension_id"], data["attempt"], d.endpoint] += 1
    return out


def reminded_once(book):
    """No attempt is announced twice, on the log or on a channel, and each
    that names a channel is announced there."""
    written = notices(book)
    for (suspension, attempt, _), n in written.items():
        if n != 1:
            yield f"{suspension}: {n} notices of attempt {attempt}"
    for row in book.rows.values():
        if row.channel_hint and not written[
                row.id, 1, book.channels[row.channel_hint]]:
            yield f"{row.id}: nobody was told on {row.channel_hint}"
        for kind in ("renotified", "escalated"):
            yield from _attempts(book, row, kind)
        for e in book.of(row.id, "intent.suspension_renotified"):
            to = book.channels.get(e.payload["channel_hint"])
            if to and not written[row.id, e.payload["attempt"], to]:
                yield f"{row.id}: no notice of attempt {e.payload}"


def _attempts(book, row, kind):
    made = [e.payload["attempt"] for e in book.of(
        row.id, f"intent.suspension_{kind}")]
    if made != sorted(set(made)):
        yield f"{row.id}: {kind} at the attempts {made}"
    if made and not 2 <= min(made) <= max(made) <= row.max_attempts:
        yield f"{row.id}: {kind} at {made} of {row.max_attempts}"
    end = [e.sequence for e in book.of(row.id, *ENDS)]
    last = [e.sequence for e in book.of(
        row.id, f"intent.suspension_{kind}")][-1:]
    if end and last > end:
        yield f"{row.id}: {kind} after its end"


def waited_in_time(book):
    """No held read hangs past the seconds that it asked for."""
    for w in book.waits:
        if w.took > w.seconds + SLACK:
            yield f"{w.path}: {w.took:.1f} s for wait={w.seconds}: {w.status}"


def everybody_learned(book):
    """Every waiting client got the outcome that the database has."""
    told = set()
    for one in book.learned:
        told.add(one.suspension)
        row = book.rows.get(one.suspension)
        if not row or (one.state, one.value) != (row.state, row.value):
            yield f"{one.suspension}: {one.by} learned {one}, but {row}"
    for suspension in book.asked - told:
        yield f"{suspension}: who asked never learned what came of it"


# Types whose frames for the SDK's dispatcher come before their own.
CAPITALS = {"status_changed": {"STATUS_CHANGED", "INTENT_COMPLETED"},
            "agent_assigned": {"AGENT_ASSIGNED"}}


def _frames(stream, types):
    """The events that a stream saw, by the frames of their own names, and
    what is wrong with the others."""
    seen, wrong, before = [], [], collections.Counter()
    for f in stream.frames:
        at = (f.intent, f.sequence)
        if at not in types:
            wrong.append(f"{f}: there is no such event")
            continue
        if f.name != types[at]:
            before[at] += 1
            if at in seen or before[at] > 1:
                wrong.append(f"{f}: out of place")
            continue
        seen.append(at)
        if f.name in CAPITALS and before[at] != 1:
            wrong.append(f"{f}: without the one before it")
    return seen, wrong


def streamed(book):
    """Each stream has each event of its intent once and in order; an
    agent's, each assignment and change of status of its intents."""
    types = {(e.intent, e.sequence): e.type for e in book.events}
    for stream in book.streams:
        seen, wrong = _frames(stream, types)
        yield from wrong
        if stream.agent:
            yield from _agents(book, stream, seen)
            continue
        wanted = [(e.intent, e.sequence) for e in book.events
                  if e.intent == stream.intent and e.sequence > stream.after]
        if seen != wanted:
            yield (f"stream of {stream.intent} behind {stream.after}: saw "
                   f"{[n for _, n in seen]} of {[n for _, n in wanted]}")


def _agents(book, stream, seen):
    if len(seen) != len(set(seen)):
        yield f"stream of {stream.agent}: events twice"
    by_intent = collections.defaultdict(list)
    for intent, sequence in seen:
        by_intent[intent].append(sequence)
    for intent, sequences in by_intent.items():
        if sequences != sorted(sequences):
            yield f"stream of {stream.agent}: {intent} as {sequences}"
    began = {e.intent: e.sequence for e in book.events
             if e.type == "agent_assigned" and
             e.payload.get("agent_id") == stream.agent}
    for e in book.events:
        if e.type in CAPITALS and e.sequence >= began.get(
                e.intent, e.sequence + 1) and (
                    e.intent, e.sequence) not in seen:
            yield f"stream of {stream.agent}: missed {e}"


def chains_hold(book):
    """The event log is whole, and every chain verifies."""
    status, words = book.verify
    if status != 0:
        yield f"verify: {words}"
    by_intent = collections.defaultdict(list)
    for e in book.events:
        by_intent[e.intent].append(e.sequence)
    for intent, sequences in by_intent.items():
        if sequences != list(range(1, len(sequences) + 1)):
            yield f"{intent}: the sequences {sequences}"


def paused_once(book):
    """Each check that got a 202 made one question with its call and one
    permit, and every answer says so; and there are no others."""
    told, permits = collections.defaultdict(set), set()
    for p in set(book.pauses):
        told[p.key].add(p)
        permits.add(p.permit)
        row, permit = book.rows.get(p.suspension), book.permits.get(p.permit)
        if not row or row.intent != p.intent:
            yield f"{p.suspension}: told as a pause, but {row}"
        if book.calls.get(p.suspension) != 1:
            yield f"{p.suspension}: {book.calls.get(p.suspension)} calls"
        if not permit or p != Pause(
                p.key, permit.agent, permit.suspension, permit.id,
                permit.handle, permit.intent, permit.max_uses):
            yield f"{p.permit}: told as {p}, but {permit}"
    for key, pauses in told.items():
        if len(pauses) > 1:
            yield f"one check, and several answers: {pauses}"
    for permit in set(book.permits) - permits:
        yield f"{permit}: of no check: {book.permits[permit]}"
    for suspension in set(book.calls) - {p.suspension for p in book.pauses}:
        yield f"{suspension}: calls of no check"


def _granted(book, permit):
    """The answers that tell of a grant of the permit."""
    return [e for e in book.events if e.type == "intent.resumed" and
            e.payload.get("permit", {}).get("permit_id") == permit.id]


def granted_by_approval(book):
    """A permit is what became of its question: granted by an approval and by
    nothing else, and without one there is no token and no use."""
    used = {x.permit for x in book.issued} | {
        x.permit for x in book.redemptions}
    for p in book.permits.values():
        row = book.rows.get(p.suspension)
        if not row:
            yield f"{p.id}: a permit without its question"
            continue
        approved = (row.state, row.value) == ("resolved", "approve")
        states = ("active", "spent") if approved else (
            ("asked",) if row.state == "pending" else ("refused",))
        if p.state not in states or p.granted != approved:
            yield f"{p.id}: {p}, but {row}"
        if len(_granted(book, p)) != approved:
            yield f"{p.id}: {len(_granted(book, p))} grants, but {row}"
        if not approved and p.id in used:
            yield f"{p.id}: a token or a use without an approval"


def resumed_as_told(book):
    """Each reply to an approval or a rejection says what is there."""
    permits = {p.suspension: p for p in book.permits.values()}
    for r in book.resumed:
        row, permit = book.rows.get(r.suspension), permits.get(r.suspension)
        yes = r.action == "approve"
        if (r.outcome, r.task) != (("authorized", "Running") if yes else
                                   ("vetoed", "Canceled")):
            yield f"{r.suspension}: {r.action}, and told {r}"
        if not row or (row.state, row.value) != ("resolved", r.action):
            yield f"{r.suspension}: {r.action} with 200, but {row}"
        if not permit or permit.granted != yes:
            yield f"{r.suspension}: {r.action} with 200, but {permit}"


def tokens_of_grants(book):
    """A token that was given is there, is of a permit that was granted, and
    only the last of a permit lives; no answer refuses what was granted."""
    there = {(x.sha256, x.permit) for x in book.issued}
    live = collections.Counter(x.permit for x in book.issued if not x.ended)
    for t in book.tokens:
        permit = book.permits.get(t.permit)
        granted = permit is not None and permit.granted
        if (t.status == 200) != granted:
            yield f"{t.permit}: told {t.status} {t.code}, but {permit}"
        if t.status == 200 and (t.sha256, t.permit) not in there:
            yield f"{t.permit}: a token that is not there"
    for id, n in live.items():
        if n > 1 or book.permits[id].state == "spent":
            yield f"{id}: {n} tokens live, {book.permits[id]}"


def used_as_counted(book):
    """The count of a permit is its rows, numbered, never above what was
    allowed; each row was told to the gateway, and is on the log, once."""
    rows = collections.defaultdict(list)
    for r in book.redemptions:
        rows[r.permit].append(r)
    for p in book.permits.values():
        mine = sorted(rows.pop(p.id, []), key=lambda r: r.n)
        if [r.n for r in mine] != list(range(1, p.used + 1)):
            yield f"{p.id}: used {p.used}, rows {[r.n for r in mine]}"
        if len({r.operation for r in mine}) != len(mine):
            yield f"{p.id}: an operation counts twice: {mine}"
        if p.used > p.max_uses or (p.state == "spent") != (
                p.used == p.max_uses):
            yield f"{p.id}: {p.state}, used {p.used} of {p.max_uses}"
        logged = [e.payload["redemption_id"] for e in book.events
                  if e.type == "tool.invoked" and
                  e.payload.get("permit_id") == p.id]
        if sorted(logged) != sorted(r.id for r in mine):
            yield f"{p.id}: on the log {logged}, but {mine}"
    for id in rows:
        yield f"{id}: uses of a permit that is not there"


def uses_as_told(book):
    """Each reply of a redemption is true, and no row is without one."""
    there = {(r.permit, r.operation): r for r in book.redemptions}
    told = set()
    for u in book.uses:
        row, permit = there.get((u.permit, u.operation)), book.permits.get(
            u.permit)
        if u.status in (200, 201):
            told.add((u.permit, u.operation))
            if not row or (row.id, row.n) != (u.redemption, u.n):
                yield f"{u.permit}: told {u}, but {row}"
            if not permit or permit.max_uses - u.n != u.left:
                yield f"{u.permit}: told {u}, but {permit}"
        elif (u.status, u.code) != (409, "permit.spent"):
            yield f"{u.permit}: was left with {u.status} {u.code}"
        elif row:
            yield f"{u.permit}: refused, and counted: {row}"
        elif not permit or permit.state != "spent":
            yield f"{u.permit}: told that it is spent, but {permit}"
    for at in set(there) - told:
        yield f"{at}: counted, and nobody was told"


def results_are_there(book):
    """Each result that got a 200 is there, and no other."""
    told = {r.redemption: r.result for r in book.reported}
    for r in book.redemptions:
        if r.result != told.pop(r.id, None):
            yield f"{r.id}: another result than was reported: {r}"
    for id in told:
        yield f"{id}: reported, and there is no such use"


def seen_as_it_is(book):
    """A permit that was read at the end is as the database has it."""
    rows = collections.defaultdict(set)
    for r in book.redemptions:
        rows[r.permit].add((r.id, r.n, r.result))
    for s in book.seen:
        p = book.permits.get(s.permit)
        if not p or (s.state, s.used) != (p.state, p.used):
            yield f"{s.permit}: read as {s}, but {p}"
        if set(s.uses) != rows[s.permit] or len(s.uses) != s.used:
            yield f"{s.permit}: read as {s}, but {rows[s.permit]}"
    for permit in {p.permit for p in book.pauses} - {
            s.permit for s in book.seen}:
        yield f"{permit}: nobody has read it at the end"


CHECKS = {f.__name__: f for f in (
    answered_once, decided_once, expired_in_time, asked_is_there, delivered,
    told_once, reminded_once, waited_in_time, everybody_learned, streamed,
    chains_hold, paused_once, granted_by_approval, resumed_as_told,
    tokens_of_grants, used_as_counted, uses_as_told, results_are_there,
    seen_as_it_is)}


def wrong(book, name):
    """The findings of one check."""
    return list(CHECKS[name](book))
