"""Each list is in the order of a column that it shows, page after page, and says
which one it is."""
import html
import re

import pytest
from kit import ask, new_id, new_intent, patch
from page import Page, send
from test_container_pages import portfolio
from test_permits import granted
from test_settings import channel, endpoint

LISTS = {"/intents": "Created", "/portfolios": "Created", "/agents": "Agent",
         "/settings/tokens": "Created", "/settings/sessions": "Last used",
         "/settings/people": "Name", "/settings/groups": "Group",
         "/settings/keys": "Created", "/settings/rules": "Position",
         "/settings/permits": "Asked", "/settings/resources": "Added",
         "/settings/retention": "Created", "/settings/endpoints": "Name, agent",
         "/settings/channels": "Name", "/settings/deliveries": "Time, UTC"}


@pytest.fixture(scope="module")
def me(server, agent, operator, person):
    """An admin, after at least two of each."""
    admin = person("admin")
    me = admin.client
    for name in ("b", "a", "B", "c"):
        older = new_intent(agent, title=name)
        portfolio(agent, name=name)
        person("operator")
        key = server.key("agent", "--agent", f"{name.lower()}-{new_id()[:8]}",
                         label=name)
        with server.client(headers={"X-API-Key": key}) as own:
            ask(own)
        admin.token()
        granted(server, agent, operator)
        for path, values in (
                ("endpoints", {**endpoint(), "Name": f"{name} {new_id()[:4]}"}),
                ("channels", {**channel(), "Name": f"{name} {new_id()[:4]}"}),
                ("rules", {"Position": str(ord(name)), "Tool": "shop.*",
                           "Effect": "ask"}),
                ("retention", {"Name": f"r-{new_id()[:8]}", "Days": "30"}),
                ("resources", {"Name": name,
                               "Address": f"https://{new_id()}.example"})):
            r = send(me, f"/settings/{path}", values)
            assert r.status_code == 303, Page(r).text
        patch(agent, older, {"op": "set", "path": "n", "value": 1})
    with server.database() as db:
        db.execute("UPDATE principal SET groups = 'day night', name = CASE WHEN "
                   "md5(email) < '8' THEN upper(md5(email)) ELSE md5(email) "
                   "END WHERE role = 'operator'")
        db.execute("UPDATE principal SET name = 'Ada' WHERE email = %s",
                   [admin.email])
        db.execute("INSERT INTO delivery (id, endpoint_id, event_sequence, "
                   "type, body, state, next_at, created_at, ended_at, tries) "
                   "SELECT gen_random_uuid(), e.id, 0, 'x', '{}', 'failed', "
                   "NULL, now() - n * interval '1 min', now(), 1 "
                   "FROM endpoint e, generate_series(1, 8) n")
    yield me
    with server.database() as db:
        db.execute("DELETE FROM tool_rule")


def column(r):
    """The values of the column that the list says it is ordered by."""
    heads = re.findall(r"<th scope=\"col\"([^>]*)>(.*?)</th>", r.text)
    at, = [i for i, (a, _) in enumerate(heads) if "aria-sort" in a]
    falls = "descending" in heads[at][0]
    body = r.text.split("<tbody>", 1)[1].split("</table>")[0]
    values = []
    for row in body.split("<tr>")[1:]:
        cell = re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)[at]
        moment = re.search(r'datetime="([^"]*)"', cell)
        words = html.unescape(re.sub(r"<span.*|<[^>]*>", "", cell,
                                     flags=re.S)).strip()
        values.append(moment[1] if moment else
                      int(words) if words.isdigit() else words.lower())
    return heads[at][1], falls, values


def pages(client, path):
    """The column over all pages of a list."""
    seen, url = [], path
    while url:
        r = client.get(url)
        assert r.status_code == 200, r.text
        head, falls, values = column(r)
        assert values, url
        seen += values
        older = re.search(r'href="([^"]*[?&](?:amp;)?after=[^"]*)"', r.text)
        url = html.unescape(older[1]) if older else None
        if not url or not re.search(r">(Older|Next)<svg", r.text):
            return head, falls, seen


@pytest.mark.parametrize("path", LISTS)
def test_a_list_is_in_the_order_that_it_says(me, path):
    head, falls, values = pages(me, path)
    assert head == LISTS[path] and len(values) > 1
    assert values == sorted(values, reverse=falls)
