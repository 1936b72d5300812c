"""docs/openapi.yaml as the tests read it, stricter than clients shall.

A client has to bear members that it does not know; a test has to notice
them. So answers are judged by closed schemas: what the contract does not
name, the server may not send.
"""
import functools
import pathlib
import re

import jsonschema
import yaml

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
PATH = TOP / "docs" / "openapi.yaml"
DOC = yaml.safe_load(PATH.read_text())
METHODS = ("get", "post", "patch", "put", "delete")


def sources():
    """The texts of the program, each record (src/domain/record.h) with the
    error that it has."""
    return [re.sub(r'RECORD\((\w+),\s*"([^"]+)",\s*"\w+"\)',
                   r'\g<0> ERR_NOT_FOUND, "\1.unknown",'
                   r' "There is no \2 with this id."', path.read_text())
            for path in (TOP / "src").rglob("*.c")]


def follow(node):
    """The node that a reference names, or the node itself."""
    while isinstance(node, dict) and "$ref" in node:
        place = DOC
        for part in node["$ref"].removeprefix("#/").split("/"):
            place = place[part.replace("~1", "/").replace("~0", "~")]
        node = place
    return node


def operations():
    """(method, path, operation) of all that the contract has."""
    for path, item in DOC["paths"].items():
        for method in METHODS:
            if method in item:
                yield method, path, item[method]


BY_ID = {o["operationId"]: (m, p, o) for m, p, o in operations()}


def parameters(operation, where):
    """Names of an operation's parameters in the path, query or headers."""
    return [p["name"] for p in map(follow, operation.get("parameters", []))
            if p["in"] == where]


def example(operation_id, name):
    """A body that the contract gives as an example."""
    body = BY_ID[operation_id][2]["requestBody"]["content"]
    return body["application/json"]["examples"][name]["value"]


def closed(schema, part=False):
    """The schema without references, and refusing members without a name.

    part: of an allOf, whose whole is closed instead."""
    schema = follow(schema)
    if not isinstance(schema, dict):
        return schema
    out = {}
    for key, value in schema.items():
        if key in ("properties", "patternProperties"):
            out[key] = {k: closed(v) for k, v in value.items()}
        elif key in ("items", "additionalProperties", "not"):
            out[key] = closed(value)
        elif key in ("anyOf", "oneOf"):
            out[key] = [closed(v) for v in value]
        elif key == "allOf":
            out[key] = [closed(v, part=True) for v in value]
        else:
            out[key] = value
    named = "properties" in out or "allOf" in out
    free = "additionalProperties" in out or "anyOf" in out
    document = "_suspension" in out.get("properties", {})
    if named and not free and not part and not document:
        out["unevaluatedProperties"] = False
    return out


@functools.cache
def validator(operation_id, status, media):
    """Judges the bodies of one answer."""
    response = follow(BY_ID[operation_id][2]["responses"][status])
    schema = closed(response["content"][media]["schema"])
    return jsonschema.Draft202012Validator(
        schema, format_checker=jsonschema.FormatChecker())


def judge(operation_id, answer):
    """Asserts that an answer is one that the contract has; gives it back."""
    responses = BY_ID[operation_id][2]["responses"]
    status = str(answer.status_code)
    what = f"{operation_id}: {status} {answer.text[:2000]}"
    assert status in responses, what
    response = follow(responses[status])
    for name, header in response.get("headers", {}).items():
        if name.lower() in answer.headers:
            jsonschema.validate(headed(answer.headers[name], header),
                                closed(follow(header)["schema"]))
    media = answer.headers.get("content-type", "").split(";")[0]
    if "content" not in response:
        assert not answer.content, what
        return answer
    assert media in response["content"], f"{media} {what}"
    if media.endswith("json"):
        mistakes = [f"{m.json_path}: {m.message}" for m in
                    validator(operation_id, status, media)
                    .iter_errors(answer.json())]
        assert not mistakes, f"{mistakes} {what}"
    return answer


def headed(value, header):
    """A header's text in the type that its schema has."""
    kind = follow(header)["schema"].get("type")
    return int(value) if kind == "integer" else value
