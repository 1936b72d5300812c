"""docs/openapi-client.yaml, which the build makes for generators of clients:
what is in it, and that clients can be made from it. Those in Python, Go and Java
ask, read and withdraw a question; the types for TypeScript are compiled."""
import os
import re
import shutil
import sys

import pytest
import yaml
from openapi_contract import DOC, TOP
from test_agents_document import MADE as AGENTS
from test_agents_document import references, run
from test_lint import HERE, build, program

MADE = build() / "docs/openapi-client.yaml"
CLIENT = yaml.safe_load(MADE.read_text())
PLACE = build() / "python-generators"  # with the generators of all


def nodes(node, at=()):
    """All mappings of a document, each with its place."""
    if isinstance(node, dict):
        yield at, node
        for key, value in node.items():
            yield from nodes(value, (*at, key))
    elif isinstance(node, list):
        for n, value in enumerate(node):
            yield from nodes(value, (*at, n))


def operations(document):
    return {(method, path): o for path, item in document["paths"].items()
            for method, o in item.items()}


def test_its_operations_are_sayso_s_own():
    agents = operations(yaml.safe_load(AGENTS.read_text()))
    own = DOC["x-tagGroups"][0]["tags"]
    assert operations(CLIENT).keys() == {
        key for key, o in agents.items() if set(o["tags"]) <= set(own)}
    assert {("post", "/api/v1/suspensions"),
            ("get", "/api/v1/suspensions/{id}"),
            ("post", "/api/v1/redemptions")} <= operations(CLIENT).keys()


def test_generators_can_read_it():
    """OpenAPI 3.0 without unions, without a member that is there twice, and
    with nothing that no operation needs."""
    assert CLIENT["openapi"] == "3.0.3"
    for at, node in nodes(CLIENT):
        assert not {"oneOf", "anyOf", "not", "const", "patternProperties",
                    "examples"} & node.keys() or "properties" in at, at
        assert not isinstance(node.get("type"), list), at
        assert len(node.get("enum", ())) <= 12, at
        for name in node.get("properties", {}):
            camel = re.sub(r"_(.)", lambda m: m[1].upper(), name)
            assert camel == name or camel not in node["properties"], at
    used, new = set(), set(references(CLIENT["paths"]))
    while new:
        used |= new
        new = {r for section, name in new for r in references(
            CLIENT["components"][section][name])} - used
    assert used == {(section, name) for section, all_ in
                    CLIENT["components"].items() for name in all_
                    if section != "securitySchemes"}


def test_members_are_those_of_the_whole():
    """A schema has the members of its name's, as often required."""
    for name, schema in CLIENT["components"]["schemas"].items():
        whole = DOC["components"]["schemas"][name]
        if "allOf" in whole or "properties" not in whole:
            continue
        assert schema["properties"].keys() == whole["properties"].keys(), name
        assert schema.get("required", []) == whole.get("required", []), name


def test_python(server, tmp_path):
    path = {**os.environ, "PYTHONPATH": f"{PLACE}{os.pathsep}{tmp_path}"}
    (tmp_path / "config.yaml").write_text("post_hooks: []\n")
    said = run(sys.executable, "-m", "openapi_python_client", "generate",
               "--path", MADE, "--meta", "none", "--config",
               tmp_path / "config.yaml", "--output-path",
               tmp_path / "sayso_agents", "--fail-on-warning", env=path)
    assert "Warning" not in said
    assert run(sys.executable, HERE / "client.py", server.url,
               server.env["SAYSO_AGENT_KEY"], env=path) == "cancelled\n"


# Of each language the options, as the page of clients has them.
LANGUAGES = {
    language: [option.replace("=", ": ") for option in options.split(",")]
    for language, options in re.findall(
        r"-g (\w+) \\\n    --additional-properties=(\S+)",
        (TOP / "docs/clients.md").read_text())}
JAR = PLACE / "openapi_generator_cli/openapi-generator.jar"
QUICK = "-XX:TieredStopAtLevel=1"  # of Java, for what is short


def test_typescript(tmp_path):
    run(program("openapi-typescript"), MADE, "-o", tmp_path / "sayso.d.ts")
    run(program("tsc"), "--noEmit", "--strict", tmp_path / "sayso.d.ts")


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """The clients that OpenAPI Generator makes, both in one run of it."""
    assert LANGUAGES.keys() == {"go", "java"}
    to = tmp_path_factory.mktemp("generated")
    for language, options in LANGUAGES.items():
        lines = [f"generatorName: {language}", f"inputSpec: {MADE}",
                 f"outputDir: {to / language / 'sayso'}", "globalProperties:",
                 *(f"  {part}: 'false'" for part in
                   ("apiDocs", "modelDocs", "apiTests", "modelTests")),
                 "additionalProperties:", *(f"  {o}" for o in options)]
        (to / f"{language}.yaml").write_text("\n".join(lines) + "\n")
    run("java", QUICK, "-jar", JAR, "batch",
        *(to / f"{language}.yaml" for language in LANGUAGES))
    return to


def test_go(server, generated):
    to = generated / "go"
    (to / "go.mod").write_text("module sayso\n\ngo 1.18\n")
    shutil.copy(HERE / "client.go", to / "main.go")
    own = build() / "python-go/go/bin/go"  # see ./check
    assert run(own if own.exists() else "go", "run", ".", server.url,
               server.env["SAYSO_AGENT_KEY"], cwd=to,
               env={**os.environ, "GOTOOLCHAIN": "local",
                    "GOFLAGS": "-mod=mod"}) == "cancelled\n"


def test_java(server, generated):
    """The generator's own archive has the libraries that a client needs, but
    for one annotation."""
    to = generated / "java"
    shutil.copy(HERE / "Client.java", to)
    (to / "Generated.java").write_text(
        "package javax.annotation;\npublic @interface Generated {\n"
        "    String[] value(); String date(); String comments();\n}\n")
    run("javac", f"-J{QUICK}", "-nowarn", "-proc:none", "-cp", JAR, "-d",
        to / "classes", *to.glob("sayso/src/main/java/**/*.java"),
        to / "Client.java", to / "Generated.java")
    assert run("java", QUICK, "-cp", f"{JAR}:{to / 'classes'}", "Client",
               server.url, server.env["SAYSO_AGENT_KEY"]) == "cancelled\n"
