"""Every statement of the program as data: name -> text."""
import re
import subprocess

from server import TOP


def read():
    out = {}
    made = subprocess.run(
        ["awk", "-v", "part=text", "-f", TOP / "src/store/sql_gen.awk",
         TOP / "src/domain/question/suspension.c",
         *sorted((TOP / "src/store/sql").glob("*.sql"))],
        text=True, capture_output=True, check=True).stdout
    for part in re.split(r"^-- name: ", made, flags=re.M)[1:]:
        name, _, text = part.partition("\n")
        out[name] = text.strip()
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
