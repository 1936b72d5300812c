"""Every statement of the program as data: name -> text."""
import re
import subprocess

from server import TOP


def made(part):
    """The output of sql_gen.awk for one part."""
    tables = [p for p in sorted((TOP / "src").rglob("*.c"))
              if re.search(r"record_field [a-z_]+_fields\[\]", p.read_text())]
    return subprocess.run(
        ["awk", "-v", f"part={part}", "-f", TOP / "src/store/sql_gen.awk",
         *tables, *sorted((TOP / "src/store").rglob("*.sql"))],
        text=True, capture_output=True, check=True).stdout


def read():
    out = {}
    for part in re.split(r"^-- name: ", made("text"), flags=re.M)[1:]:
        name, _, text = part.partition("\n")
        out[name] = text.strip()
    return out


STATEMENTS = read()

# Run by another process than the workers, with its role: what streams need.
WAIT = {"event_cursor_read", "event_cursor_intent", "notice_send", "notice_listen",
        "listener_keys", "listener_sessions"}


# Run by the process that delivers.
DELIVER = {"log_anchor_take", "log_anchor_end"}
# Run by the process that signs: what writes the log and the receipts.
SEAL = {"tlog_begin", "tlog_take", "tlog_size", "tlog_newest",
        "tlog_waiting", "tlog_events", "tlog_events_of",
        "tlog_append", "tlog_end", "tlog_tile_put", "tlog_edge",
        "tlog_head_put", "tlog_fault_put", "tlog_fault_end", "tlog_requests",
        "tlog_request_end", "log_checkpoint_insert", "log_checkpoint_open",
        "log_checkpoint_server", "receipt_take", "receipt_due",
        "receipt_waiting", "receipt_endings", "receipt_endings_ever",
        "receipt_put", "receipt_end", "receipt_wait", "receipt_wait_end",
        "signing_key_succeed"}


# Run by the clock: what it does for the search.
TICK = {"search_unread_open", "search_unread_ended", "search_read_open",
        "search_read_ended", "search_fill_move", "search_fill_end",
        "search_pending_open", "search_pending_ended", "search_next_open",
        "search_next_ended", "search_part_insert", "search_part_end"}


# Run by commands alone.
OWNER = {"key_insert", "key_list", "key_revoke", "migration_applied",
         "migration_insert", "restore_said", "restore_let_go",
         "signing_key_insert", "signing_key_rest", "signing_key_turn",
         "signing_key_end", "tlog_export", "tlog_export_of",
         "log_checkpoint_export", "log_checkpoint_export_of",
         "retention_again", "retention_hold", "person_erase", "verification_put",
         "verification_last"}


def role(name):
    """Whose rights a statement needs."""
    if name in OWNER or name.startswith("log_check_"):
        return "sayso_owner"
    if name.startswith("outbox_") or name in DELIVER:
        return "sayso_deliver"
    if name.startswith(("due_", "replication_")) or name in TICK:
        return "sayso_tick"
    if name in SEAL:
        return "sayso_seal"
    if name in ("retention_turn", "retention_erase"):
        return "sayso_erase"
    return "sayso_wait" if name in WAIT else "sayso_web"
