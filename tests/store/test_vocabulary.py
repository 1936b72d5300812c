"""The words of src/domain/vocabulary.c and kind.c are those that the database
accepts and that docs/openapi.yaml promises: no more, and no fewer."""
import pathlib
import re

import pytest
import yaml

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
TEXT = (TOP / "src/domain/vocabulary.c").read_text()


def table(name):
    """{word on the wire: may an agent send it} of one vocabulary."""
    body = re.search(r"vocabulary_word %s_words\[\] = \{(.*?)\n\};" % name,
                     TEXT, re.S)[1]
    rows = re.findall(r"\[\w+\] =\s*\{(.*?)\},?\s*(?=\[|$)", body, re.S)
    words = {}
    for row in rows:
        word = re.match(r'(?:\.wire = )?"(\w+)"', row)
        if word:
            words[word[1]] = ".ours = true" not in row
    assert len(words) > 1
    return words


def kinds():
    text = (TOP / "src/domain/kind.c").read_text()
    return re.findall(r'\.words = \{\.wire = "(\w+)"', text)


NOT_STORED = {"expired", "withdrawn"}  # outcomes of lists alone
OUTCOMES = set(table("outcome")) - NOT_STORED

# The columns whose words a constraint of the database names.
COLUMNS = {
    "intent.status": table("intent_status"),
    "suspension.kind": kinds(),
    "suspension.response_type": table("answer_type"),
    "suspension.severity": table("severity"),
    "suspension.fallback_policy": table("fallback_policy"),
    "suspension.on_reject": table("on_reject"),
    "suspension.responder_mode": table("responder_mode"),
    "decision.state": set(table("suspension_state")) - {"pending"},
    "decision.outcome": OUTCOMES,
    "decision.via": table("via"),
    "lease.status": table("lease_status"),
    "endpoint.kind": table("endpoint_kind"),
    "endpoint.detail": table("channel_detail"),
    "delivery.state": table("delivery_state"),
    "api_key.severity_floor": table("severity"),
}


@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_takes_these_words(superuser, column):
    of, name = column.split(".")
    checks = [d for (d,) in superuser.execute(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE conrelid = %s::regclass AND contype = 'c'", [of])]
    of_column = [re.findall(r"'(\w+)'::text", d) for d in checks
                 if re.match(r"CHECK \(\(%s = ANY" % name, d)]
    assert len(of_column) == 1, checks
    assert set(of_column[0]) == set(COLUMNS[column])


def enums(node, at="#"):
    """(where, words) of every enum in the description."""
    if isinstance(node, dict):
        if isinstance(node.get("enum"), list):
            yield at, {w for w in node["enum"] if w is not None}
        for key, value in node.items():
            yield from enums(value, f"{at}/{key}")
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from enums(value, f"{at}/{i}")


EVERY = {
    "intent_status": set(table("intent_status")),
    "answer_type": set(table("answer_type")),
    "suspension_state": set(table("suspension_state")),
    "fallback_policy": set(table("fallback_policy")),
    "severity": set(table("severity")),
    "effect, as agents send it": {w for w, sent in table("effect").items()
                                  if sent},
    "outcome": OUTCOMES,
    "via": set(table("via")),
    "takes": set(table("takes")),
    "reason_need": set(table("reason_need")),
    "responder_mode": set(table("responder_mode")),
    "on_reject": set(table("on_reject")),
    "lease_status": set(table("lease_status")),
    "delivery_state": set(table("delivery_state")),
    "kind": set(kinds()),
}


@pytest.mark.parametrize("name", EVERY)
def test_the_description_promises_these_words(name):
    doc = yaml.safe_load((TOP / "docs/openapi.yaml").read_text())
    assert EVERY[name] in [words for _, words in enums(doc)]


def test_no_enum_of_the_description_has_a_part_of_a_vocabulary():
    """A word that was added to a table and not to one of the enums."""
    doc = yaml.safe_load((TOP / "docs/openapi.yaml").read_text())
    more = {"none"}  # a form's word for a value without one
    for at, words in enums(doc):
        for name, every in EVERY.items():
            common = words & every
            assert len(common) < 2 or words - more >= every - more or \
                not words <= every, f"{at} lacks words of {name}"
