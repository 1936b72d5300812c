"""Every statement of the program as data: name -> text."""
import re

from server import TOP


def read():
    out = {}
    for path in sorted((TOP / "src/store/sql").glob("*.sql")):
        for part in re.split(r"^-- name: ", path.read_text(), flags=re.M)[1:]:
            name, _, text = part.partition("\n")
            text = re.sub(r"^\s*--.*$", "", text, flags=re.M).strip()
            assert name not in out, f"{name} is there twice"
            out[name] = text
    return out


STATEMENTS = read()

# Run by another process than the workers, with its role: what streams need.
WAIT = {"tail_read", "tail_intent", "notice_send", "notice_listen",
        "listener_keys", "listener_sessions"}


def role(name):
    """Whose rights a statement needs; not for what only the commands run."""
    if name.startswith("outbox_"):
        return "sayso_deliver"
    if name.startswith(("due_", "replication_")):
        return "sayso_tick"
    return "sayso_wait" if name in WAIT else "sayso_web"
