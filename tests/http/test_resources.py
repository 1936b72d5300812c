"""Resources, the gateways that use permits, and their keys: by command and on
their page."""
import pytest
from kit import KEYED, fill, new_id, refused
from page import once, press, send

RESOURCE_MAY = {"GET /api/v1/permits/{id}", "POST /api/v1/redemptions",
                "POST /api/v1/redemptions/{id}/result"}


def test_75_a_resource_reaches_nothing_else(resource):
    for row in KEYED:
        r = resource.request(row.method, fill(row.pattern), json={})
        allowed = r.status_code != 403 or "role.forbidden" not in r.text
        assert allowed == (row.name in RESOURCE_MAY), (row.name, r.text)


def test_the_command_for_resources(server, resource):
    def run(*words):
        done = server.sayso("resource", *words)
        return done.returncode, done.stdout + done.stderr

    code, text = run("list")
    assert code == 0 and f"{resource.id}\t{resource.address}\tA gateway" in text
    code, text = run("add", "--identifier", resource.address, "--name", "x")
    assert code == 1 and "resource.taken" in text
    code, text = run("remove", "11111111-2222-4333-8444-555555555555")
    assert code == 1 and "resource.gone" in text
    for words in ([], ["nonsense"], ["remove"], ["add"],
                  ["add", "--identifier", "https://a.example/#x", "--name",
                   "x"],
                  ["add", "--identifier", "https://a.example/?x", "--name",
                   "x"],
                  ["add", "--identifier", "gw", "--name", "x"],
                  ["add", "--identifier", "https://a.example/" + "x" * 500,
                   "--name", "x"],
                  ["add", "--identifier", "https://a.example/", "--name",
                   "x" * 121]):
        assert run(*words)[0] == 2, words
    for words in (["--role", "resource"], ["--role", "auditor", "--resource",
                                           resource.id],
                  ["--role", "resource", "--resource", "x"],
                  ["--role", "user"]):
        done = server.sayso("key", "create", "--label", "x", *words)
        assert done.returncode == 2, words


PAGE = "/settings/resources"


@pytest.mark.route("GET /settings/resources")
@pytest.mark.route("POST /settings/resources")
def test_an_admin_adds_and_removes_a_resource(server, person):
    boss = person("admin").client
    address = f"https://{new_id()}.example/mcp"
    values = {"Address": address, "Name": "Tools"}

    def key():
        return once(send(boss, PAGE, values), boss)

    first, second = key(), key()
    assert first and second and first != second
    for one in (first, second):
        with server.client(headers={"X-API-Key": one}) as gateway:
            r = gateway.get(f"/api/v1/permits/{new_id()}")
            refused(r, 404, "permit.unknown")
    for wrong, said in (({"Address": "tools"}, "Address"),
                        ({"Address": address + "?x=1"}, "an absolute URL"),
                        ({"Name": ""}, "Name")):
        r = send(boss, PAGE, {**values, **wrong})
        assert r.status_code == 422 and said in r.text, r.text
    with server.database() as db:
        id_ = db.execute("SELECT id::text FROM resource WHERE identifier = "
                         "%s", [address]).fetchone()[0]
    r = press(boss, PAGE, "remove", page=f"{PAGE}?do=remove&key={id_}")
    assert r.status_code == 303
    with server.client(headers={"X-API-Key": first}) as gateway:
        refused(gateway.get(f"/api/v1/permits/{new_id()}"), 401)
    gone = boss.get(f"{PAGE}?do=remove&key={id_}")
    assert gone.status_code == 404 and "resource.gone" in gone.text
    assert key()
    with server.database() as db:
        again = db.execute("SELECT id::text, removed_at FROM resource WHERE "
                           "identifier = %s", [address]).fetchone()
    assert again == (id_, None)
    reader = person("auditor").client
    assert "New resource" not in reader.get(PAGE).text
    assert person("operator").client.get(PAGE).status_code == 403
