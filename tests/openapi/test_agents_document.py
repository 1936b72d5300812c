"""docs/openapi-agents.yaml is what docs/openapi.yaml says of agents now, and
generators of clients take it."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml
from openapi_contract import DOC, PATH, TOP
from test_lint import HERE, program, spectral

MADE = PATH.with_name("openapi-agents.yaml")


def run(*args, **more):
    done = subprocess.run(args, text=True, capture_output=True, timeout=120,
                          **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_is_up_to_date():
    made = run(sys.executable, TOP / "packaging/openapi-agents")
    assert made == MADE.read_text(), "packaging/openapi-agents was not run"


def test_it_has_the_doors_of_agents_alone():
    paths = yaml.safe_load(MADE.read_text())["paths"]
    assert {"/api/v1/suspensions", "/api/v1/suspensions/{id}",
            "/api/v1/tool-calls/check", "/api/v1/intents"} <= paths.keys()
    assert not {"/inbox", "/oauth/token", "/mcp",
                "/api/v1/intents/{id}/subscribe"} & paths.keys()
    for path, item in paths.items():
        for method, operation in item.items():
            assert operation["operationId"] == \
                DOC["paths"][path][method]["operationId"]
            assert "agent" in operation["x-roles"]


def test_spectral():
    run(spectral(), "lint", "--ruleset", HERE / ".spectral.yaml",
        "--fail-severity", "hint", MADE, cwd=TOP)


def test_a_client_in_python(server, tmp_path):
    place = pathlib.Path(os.environ["SAYSO_BUILD"]) / "python-generators"
    path = {**os.environ, "PYTHONPATH": f"{place}{os.pathsep}{tmp_path}"}
    (tmp_path / "config.yaml").write_text("post_hooks: []\n")
    said = run(sys.executable, "-m", "openapi_python_client", "generate",
               "--path", MADE, "--meta", "none", "--config",
               tmp_path / "config.yaml", "--output-path",
               tmp_path / "sayso_agents", "--fail-on-warning", env=path)
    assert "Warning" not in said
    assert run(sys.executable, HERE / "client.py", server.url,
               server.env["SAYSO_AGENT_KEY"], env=path) == "cancelled\n"


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


# Of pages, which say it in words.
OF_PAGES = {("key.unknown", "404"), ("field.too_many", "409")}


def statuses_of_the_program():
    """The statuses that each code has where it is given with its kind."""
    texts = [path.read_text() for path in (TOP / "src").rglob("*.c")]
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
