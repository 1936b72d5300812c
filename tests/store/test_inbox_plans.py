"""The lists of open and of decided questions: with every filter their plans
enter an index where the page begins and read a few rows, for the current values
and for all values."""
import json

import pytest
from statements import STATEMENTS
from test_plans import plan, quote

import questions

KINDS = ("{none,approval,permission,plan_review,elicitation,"
         "credential_needed,cost_confirmation,handoff_acceptance}")
RANKS = "{0,1,2,3,4}"
OUTCOMES = ("{authorized,vetoed,changes_requested,answered,declined,accepted,"
            "fallback,none,expired,withdrawn}")
DOORS = "{openintent,native,browser,clock,none}"
QUESTIONS = {"suspension", "open_question", "inbox_entry", "decision"}
WHOSE = "{o,i:me@example.com,n:me@example.com,g:g1,g:g2}"
ME = "me@example.com"
START = ["false", None, "-infinity", "-infinity", ""]
EVERY = ["-infinity", "infinity", KINDS, OUTCOMES, DOORS]


def page(kinds=KINDS, ranks=RANKS, due="infinity", place=START):
    return [kinds, ranks, due, 51, *place]


@pytest.fixture(scope="module")
def inbox(server):
    """Many questions, most of them not for the reader, some of one kind only;
    gives the place in the middle of the order."""
    with server.database() as db:
        db.execute("SET synchronous_commit = off")
        db.execute("""
            INSERT INTO intent (id, title, created_by, status, constraints,
                                state, version, created_at, updated_at)
            SELECT md5('b' || n)::uuid, 'x', 'x', 'active', '{}', '{}', 1,
                   now(), now() FROM generate_series(1, 30000) n""")
        questions.many(db, """
            INSERT INTO question (id, intent_id, seq, record, response_type,
                title, question, severity, subject, subject_sha256, context,
                choices, asked_by, initiated_by, suspended_at, expires_at,
                fallback_policy, on_reject, asked_sequence, state, outcome,
                responded_at, responded_by, responded_via, kind,
                responder_mode, responder)
            SELECT 'b' || n, md5('b' || n)::uuid, 1, '{}', 'text',
                   'Refund order ' || n, 'Of batch ' || n % 997 || '?',
                   (ARRAY['low', 'medium', 'high', 'critical'])[n % 5],
                   '{}', repeat('0', 64), '{}', '[]',
                   CASE WHEN n % 50 = 0 THEN 'seldom' ELSE 'often' END,
                   'p' || n % 100, now() - n * interval '1 second',
                   CASE WHEN n % 3 > 0
                        THEN now() + (n + 86400) * interval '1 second' END,
                   'fail', 'resume', 1,
                   CASE WHEN n % 2 = 0 THEN 'pending' ELSE 'resolved' END,
                   CASE WHEN n % 2 = 1 THEN
                        (ARRAY['authorized', 'vetoed'])[1 + n / 2 % 2] END,
                   CASE WHEN n % 2 = 1 THEN now() - n * interval '1 s' END,
                   CASE WHEN n % 2 = 1 THEN 'who' || n % 20 END,
                   CASE WHEN n % 2 = 1 THEN
                        (ARRAY['browser', 'native'])[1 + n / 4 % 2] END,
                   CASE WHEN n % 1000 = 0 THEN 'handoff_acceptance'
                        WHEN n % 3 = 0 THEN 'approval' END,
                   CASE WHEN n % 4 < 2 THEN 'group' ELSE 'operators' END,
                   CASE WHEN n % 4 < 2 THEN 'g' || n % 10 END
              FROM generate_series(1, 30000) n""")
        db.execute("ANALYZE")
        middle = db.execute("""
            SELECT inbox_rank, ending::text, suspended_at::text, suspension_id
              FROM open_question
             WHERE suspension_id LIKE 'b%' AND inbox_rank = 2
             ORDER BY 2, 3 OFFSET 1500 LIMIT 1""").fetchone()
    return {"$middle": ["false", *map(str, middle)],
            "$ranks": "{%s}" % ",".join(map(str, range(middle[0], 5)))}


def case(name, values, index, most=4000):
    return name, values, index, most


# The last value is the most rows that may be read.
CASES = [
    case("inbox_all", page(), "open_question_all"),
    case("inbox_all", page("{handoff_acceptance}"), "open_question_all"),
    case("inbox_all", page(due="2020-01-01"), "open_question_all"),
    case("inbox_for", page() + [WHOSE, ME], "inbox_entry_for", 8000),
    case("inbox_for", page("{handoff_acceptance}") + [WHOSE, ME],
         "inbox_entry_for"),
    case("inbox_for", page(ranks="{1}") + [WHOSE, ME],
         "inbox_entry_for"),
    case("inbox_for", page(ranks="$ranks", place=["$middle"]) + [WHOSE, ME],
         "inbox_entry_for", 8000),
    case("inbox_agent", page() + ["often"], "open_question_agent"),
    case("inbox_agent_for", page() + [WHOSE, ME, "seldom"],
         "inbox_entry_agent_for"),
    # Most of the agent's questions are for others.
    case("inbox_agent_for", page() + ["{g:g1,g:g2}", ME, "often"],
         "inbox_entry_agent_for"),
    # Each audience is one look at the index.
    case("inbox_audiences", [WHOSE, 201], "inbox_entry_for", 100),
    case("inbox_count_all", [KINDS, RANKS, "infinity"],
         "open_question_all", 8000),
    case("inbox_count_for", [KINDS, RANKS, "infinity", WHOSE, ME],
         "inbox_entry_for", 8000),
    case("inbox_count_agent", [KINDS, RANKS, "infinity", "often"],
         "open_question_agent", 8000),
    case("inbox_count_agent_for",
         [KINDS, RANKS, "infinity", "{g:g1,g:g2}", ME, "often"],
         "inbox_entry_agent_for", 8000),
    case("decided_count_by", EVERY + [None, None, None],
         "decision_by"),
    case("decided_count_by", EVERY + ["approval", None, "native"],
         "decision_by"),
    # Nothing was decided then, so the index of all is as good.
    case("decided_count_by", ["2020-01-01", "2020-01-02", *EVERY[2:],
                              None, None, None], None, 100),
    case("decided_count_who", EVERY + ["who1", None, 2001],
         "decision_who"),
    case("decided_count_agent", EVERY + ["often", "who1", 2001], None),
]


def filled(values, inbox):
    out = []
    for value in values:
        found = inbox.get(value, value) if isinstance(value, str) else value
        out += found if isinstance(found, list) else [found]
    return out


def looked_at(node):
    """Rows that were read from tables, or from an index for a bitmap."""
    own = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
    taken = "Relation Name" in node or "Index Name" in node
    return (own * node["Actual Loops"] * taken +
            sum(looked_at(c) for c in node.get("Plans", [])))


def run(db, name, values):
    given = f"({', '.join(map(quote, values))})"
    found = db.execute("EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE one"
                       f"{given}").fetchone()[0]
    return found[0]["Plan"]


def read_pages(db, name, values):
    given = f"({', '.join(map(quote, values))})"
    found = db.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE one"
                       f"{given}").fetchone()[0]
    top = found[0]["Plan"]
    return top["Shared Hit Blocks"] + top["Shared Read Blocks"]


@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
@pytest.mark.parametrize("one", CASES,
                         ids=[f"{i}-{c[0]}" for i, c in enumerate(CASES)])
def test_a_list_looks_at_little(web, inbox, one, generic):
    name, values, index, most = one
    values = filled(values, inbox)
    nodes = plan(web, name, values, generic)
    scans = [n for n in nodes if n["Node Type"] == "Seq Scan"
             and n["Relation Name"] in QUESTIONS]
    assert not scans, json.dumps(nodes, indent=1)
    used = {n["Index Name"] for n in nodes if "Index Name" in n}
    assert index is None or index in used, used
    top = run(web, name, values)
    assert looked_at(top) < most, json.dumps(top, indent=1)


# Terms as the program writes them, without summaries.
WORDS = {"everywhere": "'refund':*", "in few": "'refund':* & '996':*",
         "nowhere": "'nothing':*", "two letters": "'re':*",
         "a mark": "'a=seldom'", "a part of a name": "('x':* | 'w=who1')"}
NO_PARTS = ["{}", "{}", "{}"]


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
def test_a_search_looks_at_little(web, inbox, words, generic):
    """However frequent a word is. The search function is planned separately, so
    only its pages are visible here."""
    values = page() + [WHOSE, ME, None, words, *NO_PARTS, 2000, 10000]
    plan(web, "inbox_words", values, generic)
    assert read_pages(web, "inbox_words", values) < 25000
    values = [words, *NO_PARTS, None, None, "infinity", "", "-infinity", 201,
              10000]
    plan(web, "search_ended", values, generic)
    assert read_pages(web, "search_ended", values) < 25000


def test_the_badges_look_at_little(web, inbox):
    values = [ME, WHOSE, "{i:me@example.com,n:me@example.com}", "{g:g1}"]
    for generic in (False, True):
        plan(web, "inbox_badges", values, generic)
        top = run(web, "inbox_badges", values)
        assert looked_at(top) < 1000, json.dumps(top, indent=1)
