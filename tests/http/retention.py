"""Questions that a rule of retention erases."""
import contextlib

import kit
from server import place

WORD = "Zanzibar"  # stands in everything that an agent or a person wrote


@contextlib.contextmanager
def retaining(name):
    """A server whose log is sound after the tests."""
    one = kit.Watched(place(name)).start()
    with one.database() as db:
        # So that the tests need not wait for a week.
        db.execute("ALTER TABLE retention_rule DROP CONSTRAINT "
                   "retention_rule_days_check")
    yield one
    verified = one.sayso("verify")
    killed = [x for x in kit.complaints(one) if "sayso: erase" not in x]
    one.stop()
    assert verified.returncode == 0, verified.stdout
    assert killed == []


def ask(agent, **more):
    return kit.made(agent.post("/api/v1/suspensions", json={
        "title": f"{WORD} title", "question": f"{WORD}?", "kind": "approval",
        "explanation": f"{WORD} why",
        "subject": {"action": {"name": f"{WORD} act", "args": {"x": WORD}},
                    "target": f"{WORD} target",
                    "scope_summary": f"{WORD} scope"},
        "context": {"word": WORD}, **more}))


def signed(server, one):
    """A head has all of its task, and where it has ended its receipt is
    there."""
    with server.database() as db:
        kit.wait_for(lambda: db.execute(
            "SELECT FROM suspension s JOIN intent i ON i.id = s.intent_id "
            "WHERE s.id = %s AND retention_sealed(i.id, i.event_sequence) AND "
            "(EXISTS (SELECT FROM receipt WHERE suspension_id = s.id) OR "
            "EXISTS (SELECT FROM open_question WHERE suspension_id = s.id))",
            [one["suspension_id"]]).fetchone() is not None)


def end(server, operator, one, value="reject"):
    """Answered and signed."""
    kit.made(kit.answer(operator, one, value, reason=f"{WORD} no"), 200)
    signed(server, one)
    return one


def rule(server, name, *options):
    """A started rule without its days."""
    done = server.sayso("retention", "add", "--name", name, "--days", "7",
                        *options)
    assert done.returncode == 0, done.stderr
    with server.database() as db:
        db.execute("SET session_replication_role = replica")
        db.execute("UPDATE retention_rule SET days = 0 WHERE name = %s",
                   [name])
        db.execute("UPDATE delivery SET state = 'delivered', next_at = NULL")
    assert server.sayso("retention", "start", name).returncode == 0


def erase(server, name, **options):
    """A rule without its days, run by the command."""
    args = [x for key, value in options.items()
            for x in (f"--{key}", value)]
    rule(server, name, *args)
    done = server.sayso("retention", "run")
    assert done.returncode == 0, done.stderr
    assert server.sayso("retention", "remove", name).returncode == 0
    return done.stdout
