#!/usr/bin/python3
"""Writes a part of the API's description, docs/openapi.yaml, to stdout.

    docs/site/openapi.py openapi-agents.yaml docs/openapi.yaml
        the operations that an agent's key opens and that take and answer with
        JSON, as they are, with the components that they refer to
    docs/site/openapi.py openapi-client.yaml docs/openapi.yaml
        for generators of clients: of these Sayso's own, in OpenAPI 3.0, with
        what generators cannot read made simpler
"""
import json
import sys

import yaml

METHODS = ("get", "post", "put", "patch", "delete")
MADE = "# Made from docs/openapi.yaml; not to be edited.\n"


# --- The part for agents ----------------------------------------------------

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


def follow(doc, node):
    while "$ref" in node:
        [(section, name)] = references({"$ref": node["$ref"]})
        node = doc["components"][section][name]
    return node


def for_agents(doc, path, operation):
    """Does an agent's key open it, and are its body and each answer to a
    success JSON, or empty?"""
    bodies = [follow(doc, response) for status, response in
              operation["responses"].items() if status < "300"]
    bodies.append(operation.get("requestBody", {}))
    return (path.startswith("/api/v1/") and "agent" in operation["x-roles"] and
            operation["security"] == [{"ApiKey": []}, {"Bearer": []}] and
            all(set(body.get("content", ())) <= {"application/json"}
                for body in bodies))


def part(doc, title, wanted):
    """The operations that are wanted(path, operation), and what they need."""
    paths = {path: kept for path, item in doc["paths"].items() if
             (kept := {m: o for m, o in item.items()
                       if m in METHODS and wanted(path, o)})}
    operations = [o for item in paths.values() for o in item.values()]
    cut_links(operations)
    tags = {tag for o in operations for tag in o["tags"]}
    needed = {("securitySchemes", "ApiKey"), ("securitySchemes", "Bearer")}
    new = set(references(paths))
    while new:
        needed |= new
        new = {ref for section, name in new for ref in
               references(doc["components"][section][name])} - needed
    return {
        "openapi": doc["openapi"],
        "info": {**doc["info"], "title": title},
        "servers": doc["servers"],
        "tags": [tag for tag in doc["tags"] if tag["name"] in tags],
        "paths": paths,
        "components": {
            section: kept for section, all_ in doc["components"].items() if
            (kept := {n: c for n, c in all_.items()
                      if (section, n) in needed})}}


def cut_links(operations):
    """Leaves out links to operations that are left out."""
    ids = {o["operationId"] for o in operations}
    for response in (r for o in operations for r in o["responses"].values()):
        links = {name: link for name, link in
                 response.pop("links", {}).items()
                 if link["operationId"] in ids}
        if links:
            response["links"] = links


def agents(doc):
    return part(doc, "Sayso, for agents",
                lambda path, o: for_agents(doc, path, o))


# --- The part for generators --------------------------------------------------

# Of a schema, what OpenAPI 3.0 has and a client needs.
KEPT = ("description", "format", "minLength", "maxLength", "minimum",
        "maximum", "minItems", "maxItems", "default")
WORDS_MOST = 12  # more of them are no enum: a server may have newer ones


def client(doc):
    own = set(doc["x-tagGroups"][0]["tags"])
    out = part(doc, "Sayso, for generators of clients", lambda path, o:
               for_agents(doc, path, o) and set(o["tags"]) <= own)
    out["openapi"] = "3.0.3"
    out["info"].pop("summary")
    out["info"]["description"] = doc["info"]["description"].split("\n\n")[0]
    out["paths"] = simpler(doc, out["paths"])
    out["components"] = simpler(doc, out["components"])
    for tag in out["tags"]:
        tag.pop("x-displayName", None)
    # What is left of the components: others stand where they were needed.
    used, new = set(), set(references(out["paths"]))
    while new:
        used |= new
        new = {ref for section, name in new for ref in
               references(out["components"][section][name])} - used
    for section in [*out["components"]]:
        if section != "securitySchemes":
            out["components"][section] = {
                name: c for name, c in out["components"][section].items()
                if (section, name) in used}
    return out


def simpler(doc, node):
    """A node of the description outside of its schemas."""
    if isinstance(node, list):
        return [simpler(doc, value) for value in node]
    if not isinstance(node, dict):
        return node
    out = {}
    for key, value in node.items():
        if key == "schema":
            out[key] = schema(doc, value)
        elif key == "schemas":
            out[key] = {name: schema(doc, s) for name, s in value.items()}
        elif key == "content" and "application/problem+json" in value:
            out[key] = simpler(doc, {"application/problem+json":
                                     value["application/problem+json"]})
        elif key not in ("example", "examples", "links") and \
                not key.startswith("x-"):
            out[key] = simpler(doc, value)
    return out


def is_null(node):
    return node.get("type") == "null"


def schema(doc, node):
    """A schema in OpenAPI 3.0 without unions: what may be of several types may
    be anything."""
    if "$ref" in node:
        found = follow(doc, node)
        named = "properties" in found or "allOf" in found or \
            0 < len(found.get("enum", ())) <= WORDS_MOST
        return {"$ref": node["$ref"]} if named else schema(doc, found)
    either = [s for s in node.get("anyOf", node.get("oneOf", ()))
              if set(s) != {"required"}]
    if either:
        kinds = [s for s in either if not is_null(s)]
        if len(kinds) > 1:
            return about(node)
        out = schema(doc, {**kinds[0], **about(node)})
        if len(kinds) < len(either):
            out = {"allOf": [out]} if "$ref" in out else out
            out["nullable"] = True
        return out
    if "allOf" in node:
        node = merged(doc, node)
    kinds = node.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    wanted = [kind for kind in kinds if kind != "null"]
    if len(wanted) > 1:
        return about(node)
    out = {"type": wanted[0]} if wanted else {}
    if "const" in node:
        out["type"] = "string"
    out.update({key: node[key] for key in KEPT if key in node})
    if len(wanted) < len(kinds):
        out["nullable"] = True
    if 0 < len(node.get("enum", ())) <= WORDS_MOST:
        out["enum"] = node["enum"]
    if "items" in node or "array" in wanted:
        out["items"] = schema(doc, node.get("items", {}))
    if isinstance(node.get("additionalProperties"), dict):
        out["additionalProperties"] = schema(doc, node["additionalProperties"])
    if "properties" in node:
        out["properties"] = {
            name: schema(doc, member) for name, member in
            node["properties"].items() if name not in twins(node)}
        needed = [name for name in node.get("required", ())
                  if name in out["properties"]]
        if needed:
            out["required"] = needed
    return out


def about(node):
    return {"description": node["description"]} if "description" in node \
        else {}


def twins(node):
    """Members that are there a second time, as another protocol spells them:
    createdAt beside created_at."""
    names = node["properties"]
    return {name for snake in names if "_" in snake and
            (name := snake.split("_")[0] + "".join(
                word.capitalize() for word in snake.split("_")[1:])) in names}


def merged(doc, node):
    """An object that is all of several, as one."""
    out = {"type": "object", "properties": {}, "required": [], **about(node)}
    for one in node["allOf"] + [{k: v for k, v in node.items()
                                 if k != "allOf"}]:
        one = follow(doc, one)
        if "allOf" in one:
            one = merged(doc, one)
        out["properties"].update(one.get("properties", {}))
        out["required"] += one.get("required", [])
    return out


# --- Writing YAML -------------------------------------------------------------

WIDTH = 88  # of a line, where it can be broken
RESOLVER = yaml.resolver.Resolver()
STR = "tag:yaml.org,2002:str"


def scalar(value, inside=False):
    """A scalar, bare where it may be. inside: between braces, where more has a
    meaning."""
    if not isinstance(value, str):
        return json.dumps(value)
    bare = (value and value == value.strip() and value.isprintable() and
            value[0] not in "!&*-?|>@%`#,[]{}\"':=~<" and value[-1] != ":" and
            ": " not in value and " #" not in value and
            not (inside and set(value) & set(",[]{}?")) and
            RESOLVER.resolve(yaml.ScalarNode, value, (True, False)) == STR)
    return value if bare else "'" + value.replace("'", "''") + "'"


def flow(value):
    """A value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(k, True)}: {flow(v)}"
                               for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return scalar(value, True)


def has_lines(value):
    """Does it hold a text of several lines?"""
    if isinstance(value, dict):
        return any(map(has_lines, value.values()))
    if isinstance(value, list):
        return any(map(has_lines, value))
    return isinstance(value, str) and "\n" in value


def after(before, value, indent):
    """What stands before a value, and the value: on the same line where it has
    room, otherwise on lines with this indent."""
    if isinstance(value, str) and "\n" in value:
        mark = "|" if value.endswith("\n") else "|-"
        text = "".join(f"{indent}{line}\n" if line else "\n"
                       for line in value.rstrip("\n").split("\n"))
        return f"{before} {mark}\n{text}"
    if not isinstance(value, (dict, list)):
        return f"{before} {scalar(value)}\n"
    one = "" if has_lines(value) else f"{before} {flow(value)}\n"
    if not value or one and len(one) <= WIDTH:
        return one
    if before.endswith("-"):
        return f"{before} {spell(value, indent).lstrip()}"
    return f"{before}\n{spell(value, indent)}"


def spell(value, indent=""):
    """A mapping or a list, on lines of its own."""
    if isinstance(value, dict):
        return "".join(after(f"{indent}{scalar(k)}:", v, indent + "  ")
                       for k, v in value.items())
    return "".join(after(f"{indent}-", v, indent + "  ") for v in value)


def main(name, source):
    with open(source, encoding="utf-8") as file:
        doc = yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    make = {"openapi-agents.yaml": agents, "openapi-client.yaml": client}
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(MADE + spell(make[name](doc)))


if __name__ == "__main__":
    main(*sys.argv[1:])
