"""docs/openapi-agents.yaml, which the build makes, is the part of
docs/openapi.yaml for agents."""
import copy
import re
import shutil
import subprocess

import yaml
from openapi_contract import DOC, TOP, operations, sources
from test_lint import HERE, build, program

MADE = build() / "docs/openapi-agents.yaml"


def run(*args, **more):
    done = subprocess.run(args, text=True, capture_output=True, timeout=120,
                          **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def references(node):
    """The components that a node refers to, as (section, name)."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref":
                yield tuple(value.removeprefix("#/components/").split("/"))
            else:
                yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def made():
    return yaml.safe_load(MADE.read_text())


# The document leaves these out, though an agent's key opens them: other
# protocols, by the beginnings of their addresses, and what is not JSON.
PROTOCOLS = ("/hooks/", "/log/", "/mcp", "/oauth/", "/v1/")
NOT_JSON = {
    ("post", "/api/v1/artifacts"),  # a file
    ("get", "/api/v1/artifacts/{sha256}"),
    ("get", "/api/v1/suspensions/{id}/receipt"),  # a signed text
    *(("get", f"/api/v1/{path}") for path in (  # streams
        "agents/{agent_id}/subscribe", "intents/{id}/subscribe",
        "portfolios/{id}/subscribe", "subscribe/agents/{agent_id}",
        "subscribe/intents/{id}", "subscribe/portfolios/{id}"))}


def opens(client, method, path):
    """Does the server let the caller in? The body is none that an address
    takes, and nothing has the ids."""
    address = re.sub(r"\{\w+\}", "11111111-2222-4333-8444-555555555555", path)
    with client.stream(method.upper(), address,
                       content=b"" if method == "get" else b"{") as answer:
        return answer.status_code not in (303, 401, 403)


def test_it_has_what_a_key_of_an_agent_opens(server, agent, nobody):
    """By the server, and not by what the document says of roles. Some
    addresses are for keys of tests."""
    key = server.key("agent", "--agent", "documented", "--test")
    all_ = [(method, path) for method, path, _ in operations()]
    with server.client(agent="documented",
                       headers={"X-API-Key": key}) as tests:
        opened = {row for row in all_
                  if (opens(agent, *row) or opens(tests, *row))
                  and not opens(nobody, *row)}
    assert NOT_JSON <= opened
    assert {(method, path) for path, item in made()["paths"].items()
            for method in item} == {
        (method, path) for method, path in opened - NOT_JSON
        if not path.startswith(PROTOCOLS)}


def test_it_is_that_part_of_the_whole_document():
    """Its operations are unchanged but for links to others; with the tags and
    components that they need and no more; in the order of the whole
    document."""
    whole, here = copy.deepcopy(DOC), made()["paths"]
    del whole["x-tagGroups"]
    whole["info"]["title"] = "Sayso, for agents"
    whole["paths"] = paths = {
        path: kept for path, item in whole["paths"].items() if
        (kept := {m: o for m, o in item.items() if m in here.get(path, ())})}
    all_ = [o for item in paths.values() for o in item.values()]
    ids = {o["operationId"] for o in all_}
    for response in (r for o in all_ for r in o["responses"].values()):
        for name, link in [*response.get("links", {}).items()]:
            if link["operationId"] not in ids:
                del response["links"][name]
        if response.get("links") == {}:
            del response["links"]
    tags = {tag for o in all_ for tag in o["tags"]}
    whole["tags"] = [tag for tag in whole["tags"] if tag["name"] in tags]
    needed = {("securitySchemes", "ApiKey"), ("securitySchemes", "Bearer")}
    new = set(references(paths))
    while new:
        needed |= new
        new = {ref for section, name in new for ref in
               references(DOC["components"][section][name])} - needed
    whole["components"] = {
        section: kept for section, those in whole["components"].items() if
        (kept := {n: c for n, c in those.items() if (section, n) in needed})}
    # As text, which has an order.
    assert yaml.safe_dump(made(), sort_keys=False) == \
        yaml.safe_dump(whole, sort_keys=False)
    assert len(ids) > 90


def test_types_in_typescript(tmp_path):
    run(program("openapi-typescript"), MADE, "-o", tmp_path / "sayso.d.ts")
    shutil.copy(HERE / "client.ts", tmp_path)
    run(program("tsc"), "--noEmit", "--strict", "--target", "es2022",
        "--module", "esnext", "--moduleResolution", "bundler",
        tmp_path / "client.ts")


def test_every_code_is_on_its_page():
    """The page of errors has each code that an answer of the API can have, and
    no other."""
    told = set(re.findall(r"`([a-z_0-9]+\.[a-z_0-9]+|internal)`",
                          (TOP / "docs/errors.md").read_text()))
    code = DOC["components"]["schemas"]["Code"]
    assert told == set(code["enum"]) | {c for c in code["x-aap"] if "." in c}


# Of pages, which say it in words, and of a record that is not found by its id:
# resource.unknown is the error for an address, channel.unknown for a name.
OF_PAGES = {("key.unknown", "404"), ("field.too_many", "409"),
            ("resource.unknown", "404"), ("channel.unknown", "404")}


def statuses_of_the_program():
    """The statuses that each code has where it is given with its kind."""
    texts = sources()
    kinds = dict(re.findall(r"\[(ERR_\w+)\] = (\d+)",
                            (TOP / "src/world/web/response.c").read_text()))
    named = dict(one for text in texts for one in re.findall(
        r'const char (\w+)\[\] =\s+"([a-z_0-9]+\.[a-z_0-9]+)"', text))
    nginx = (TOP / "nginx/http.conf.in").read_text()
    map_ = nginx.split("map $status $sayso_code {")[1].split("}")[0]
    pairs = [(code, status) for status, code in
             re.findall(r"(\d+) (\S+);", map_)]
    for text in texts:
        for kind, quoted, name in re.findall(
                r'(ERR_\w+),\s*(?:"([a-z_0-9.]+)"|(\w+))', text):
            if code := quoted or named.get(name):
                pairs.append((code, kinds[kind]))
    out = {}
    for code, status in pairs:
        out.setdefault(code, set()).add(status)
    return out


def statuses_of_the_page():
    """For each code the statuses before it in its cell, and all numbers that
    may be one in its rows."""
    first, all_ = {}, {}
    for row in (TOP / "docs/errors.md").read_text().splitlines():
        status = None
        for number, code in re.findall(
                r"\b([45]\d\d)\b|`([a-z_0-9]+\.[a-z_0-9]+)`",
                row.split(" | ")[0] if row.startswith("|") else ""):
            if number:
                status = number
            else:
                first.setdefault(code, set()).add(status)
                all_.setdefault(code, set()).update(
                    re.findall(r"\b[45]\d\d\b", row))
    return first, all_


def test_every_status_is_on_its_page():
    """A code stands behind a status that it has; its row names each that it
    has."""
    has = statuses_of_the_program()
    first, all_ = statuses_of_the_page()
    assert len(first) > 200 and len(set(first) & set(has)) > 150
    for code in set(first) & set(has):
        assert first[code] - {None} <= has[code], (code, first[code])
        left = {s for s in has[code] - all_[code]
                if (code, s) not in OF_PAGES}
        assert not left, (code, left)
