#!/usr/bin/python3
"""Writes the reference of the API, the pages under /docs/api, from the API's
description: one page for each group of operations.

    docs/site/api.py docs/openapi.yaml DIRECTORY

A schema that one place alone refers to is described there. Of the others,
those that one group needs are at the end of its page, and the rest have pages
of their own, as the errors have.
"""
import collections
import json
import re
import sys

import yaml

from frame import escape, page, write

ROOT = "/docs/api"
METHODS = ("get", "post", "put", "patch", "delete")
MANY = 12   # words of a list that are not set apart
WIDTH = 76  # of an example's lines
ERRORS = ("Code", "Error", "ErrorMembers", "Problem")


# --- Text -----------------------------------------------------------------

def words(text):
    """A line of Markdown as HTML: code, strong text and links."""
    out = []
    for part in re.split(r"(`[^`]+`)", " ".join(text.split())):
        if len(part) > 2 and part[0] == "`":
            out.append(f"<code>{escape(part[1:-1])}</code>")
            continue
        part = escape(part)
        part = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", part)
        out.append(re.sub(r"\[([^]]+)\]\((\S+?)\)", r'<a href="\2">\1</a>',
                          part))
    return "".join(out)


def table(lines):
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")]
             for line in lines]
    head = "".join(f'<th scope="col">{words(c)}</th>' for c in cells[0])
    rows = "".join(
        "<tr>" + "".join(f"<td>{words(c)}</td>" for c in row) + "</tr>\n"
        for row in cells[2:])
    return (f'<div class="wide" tabindex="0"><table>\n<thead><tr>{head}</tr>'
            f"</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n")


def prose(text):
    """A description, which is Markdown: headings, paragraphs, lists, tables."""
    out = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.splitlines()
        if block.startswith("## "):
            name = re.sub(r"\W+", "-", block[3:].lower())
            out.append(f'<h2 id="{name}">{words(block[3:])}</h2>\n')
        elif block.startswith("|"):
            out.append(table(lines))
        elif block.startswith("- "):
            items = re.split(r"\n- ", block[2:])
            out.append("<ul>\n" + "".join(f"<li>{words(i)}</li>\n"
                                          for i in items) + "</ul>\n")
        else:
            out.append(f"<p>{words(block)}</p>\n")
    return "".join(out)


def spelled(value, indent=""):
    """A value as JSON, with what fits into a line on one."""
    short = json.dumps(value, ensure_ascii=False)
    if len(indent + short) <= WIDTH or not isinstance(value, (dict, list)):
        return short
    deeper = indent + "  "
    if isinstance(value, list):
        parts, ends = [spelled(v, deeper) for v in value], "[]"
    else:
        parts, ends = [f"{json.dumps(k)}: {spelled(v, deeper)}"
                       for k, v in value.items()], "{}"
    return (ends[0] + "\n" + ",\n".join(deeper + p for p in parts)
            + "\n" + indent + ends[1])


def folded(summary, value):
    """An example, folded."""
    text = value if isinstance(value, str) else spelled(value)
    return (f"<details><summary>{words(summary)}</summary>\n"
            f'<pre tabindex="0"><code>{escape(text)}</code></pre></details>\n')


# --- The description -------------------------------------------------------

def references(node):
    """The names of what a node refers to, as often as it does."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref":
                yield value
            elif key not in ("examples", "example"):
                yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


class Reference:
    """The description, and where each part of it is shown."""

    def __init__(self, doc):
        self.doc = doc
        self.groups = {tag["name"]: [] for tag in doc["tags"]}
        for path, item in doc["paths"].items():
            for method in (m for m in item if m in METHODS):
                operation = item[method]
                self.groups[operation["tags"][0]].append(
                    (method, path, operation))
        self.section = {tag: part["name"] for part in doc["x-tagGroups"]
                        for tag in part["tags"]}
        self.place = self.places()
        self.here = ""     # the page that is being written
        self.said = set()  # the shared examples and parameters that it has

    def at(self, ref):
        """What a reference names."""
        node = self.doc
        for part in ref.removeprefix("#/").split("/"):
            node = node[part.replace("~1", "/").replace("~0", "~")]
        return node

    def follow(self, node):
        while "$ref" in node:
            node = self.at(node["$ref"])
        return node

    def places(self):
        """The page of each component, and None for one that is shown where it
        is used, which is in one place."""
        users = collections.defaultdict(list)  # groups, by what they use
        for name, operations in self.groups.items():
            todo = [r for _, _, o in operations if not for_people(o)
                    for r in references(o)]
            seen = set()
            while todo:
                ref = todo.pop()
                users[ref].append(name)
                if ref not in seen:
                    seen.add(ref)
                    todo += references(self.at(ref))
        return {ref: self.place_of(*ref.split("/")[2:], names)
                for ref, names in users.items()}

    def place_of(self, kind, name, names):
        """The page of a component that these groups use."""
        if kind == "responses" or name in ERRORS:
            return "errors"
        if kind != "schemas" or len(names) == 1:
            return None
        if len(set(names)) == 1:
            return slug(names[0])
        openintent = {self.section[n] for n in names} == {"OpenIntent"}
        return "openintent-types" if openintent else "types"

    def link(self, ref, label=""):
        name = ref.split("/")[-1]
        place = self.place[ref]
        address = f"#{name}" if place == self.here else \
            f"{ROOT}/{place}#{name}"
        return f'<a href="{escape(address)}">{escape(label or name)}</a>'

    def type(self, schema):
        """A schema in a few words of HTML."""
        if "$ref" in schema:
            ref = schema["$ref"]
            return self.link(ref) if self.place[ref] else \
                self.type(self.at(ref))
        either = schema.get("anyOf", schema.get("oneOf"))
        if either and any("type" in s or "$ref" in s for s in either):
            return " or ".join(self.type(s) for s in either)
        if "enum" in schema:
            given = [escape("null" if v is None else v)
                     for v in schema["enum"]]
            return "one of " + (f"<code>{', '.join(given)}</code>"
                                if len(given) > MANY else
                                ", ".join(f"<code>{v}</code>" for v in given))
        if "const" in schema:
            return f"<code>{escape(schema['const'])}</code>"
        kinds = schema.get("type", "object" if "allOf" in schema else [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        said = " or ".join("list" if k == "array" else escape(k)
                           for k in kinds) or "any value"
        if "array" in kinds and schema.get("items"):
            said = said.replace("list", f"list of {self.type(schema['items'])}")
        if isinstance(schema.get("additionalProperties"), dict):
            said += f" of {self.type(schema['additionalProperties'])}"
        return said + limits(schema)

    def members(self, schema):
        """A list of the members of an object, or nothing."""
        schema = self.follow(schema)
        out = []
        for part in schema.get("allOf", []):
            out.append(self.members(part) if not self.shown(part) else
                       f"<p>All of {self.link(part['$ref'])}, and:</p>\n")
        for part in schema.get("anyOf", []) + schema.get("oneOf", []):
            if not self.shown(part) and not part.get("type") == "null":
                out.append(self.members(part))
        for key in ("items", "additionalProperties"):
            inside = schema.get(key)
            if isinstance(inside, dict) and not self.shown(inside):
                out.append(self.members(inside))
        rows = []
        for name, member in schema.get("properties", {}).items():
            need = ' <span class="need">required</span>' if \
                name in schema.get("required", ()) else ""
            rows.append(f"<div><dt><code>{escape(name)}</code> "
                        f"<span>{self.type(member)}</span>{need}</dt>"
                        f"{self.about(member)}</div>\n")
        if rows:
            out.append(f'<dl class="members">\n{"".join(rows)}</dl>\n')
        return "".join(out)

    def shown(self, schema):
        """Is it described in a place of its own?"""
        return bool("$ref" in schema and self.place[schema["$ref"]])

    def about(self, schema):
        """What there is to say of a member, and its own members."""
        inside = self.follow(schema) if not self.shown(schema) else schema
        said = told(inside.get("description", ""), inside)
        if inside is not schema or "$ref" not in inside:
            said += self.members(inside)
        return f"<dd>{said}</dd>"

    def body(self, content):
        """The bodies of a request or an answer."""
        out = []
        for media, body in content.items():
            schema = body.get("schema", {})
            said = self.type(schema)
            out.append(f"<p><code>{escape(media)}</code>: {said}</p>\n")
            if not self.shown(schema):
                out.append(self.members(schema))
            for example in body.get("examples", {}).values():
                ref = example.get("$ref")
                if ref not in self.said:
                    example = self.follow(example)
                    said = example.get("summary")
                    out.append(folded(f"Example: {said}" if said else
                                      "Example", example["value"]))
                self.said |= {ref} - {None}
        return "".join(out)

    def parameters(self, operation):
        rows = []
        for given in operation.get("parameters", []):
            p = self.follow(given)
            need = ' <span class="need">required</span>' if p.get("required") \
                else ""
            where = {"path": "in the path", "query": "in the query",
                     "header": "header", "cookie": "cookie"}[p["in"]]
            said = "As above." if given.get("$ref") in self.said else \
                told(p.get("description", ""), p["schema"])
            self.said |= {given.get("$ref")} - {None}
            rows.append(f"<div><dt><code>{escape(p['name'])}</code> "
                        f"<span>{where}, {self.type(p['schema'])}</span>"
                        f"{need}</dt><dd>{said}</dd></div>\n")
        return rows and ("<h3>Parameters</h3>\n"
                         f'<dl class="members">\n{"".join(rows)}</dl>\n') or ""

    def answers(self, operation):
        """The answers: those of success whole, of the others a list."""
        out, common, own = [], [], []
        for status, response in operation["responses"].items():
            if status >= "400":
                if "$ref" in response:
                    common.append(self.link(response["$ref"], status))
                else:
                    own.append(f"<li><code>{status}</code> "
                               f"{words(response['description'])}</li>\n")
                continue
            response = self.follow(response)
            out.append(f"<h3>Answer {status}</h3>\n"
                       f"{prose(response['description'])}")
            heads = [f"<code>{escape(n)}</code>"
                     for n in response.get("headers", {})]
            if heads:
                out.append(f"<p>Headers: {', '.join(heads)}.</p>\n")
            out.append(self.body(response.get("content", {})))
        out.append("<h3>Errors</h3>\n")
        if own:
            out.append(f'<ul class="plain">\n{"".join(own)}</ul>\n')
        if common:
            also = "As elsewhere" if own else "Those that all have"
            out.append(f"<p>{also}: {', '.join(common)}.</p>\n")
        return "".join(out)

    def operation(self, method, path, operation):
        said = conditions(operation)
        out = [f'<h2 id="{escape(operation["operationId"])}">'
               f'{words(operation["summary"])}</h2>\n',
               address(method, path),
               f'<p class="conditions">{said}</p>\n' if said else "",
               prose(operation["description"])]
        if for_people(operation):
            return "".join(out)
        out.append(self.parameters(operation))
        if "requestBody" in operation:
            body = self.follow(operation["requestBody"])
            out.append("<h3>Body</h3>\n" + self.body(body["content"]))
        return "".join(out) + self.answers(operation)

    def component(self, ref, heading):
        """A component that has a place of its own."""
        name = ref.split("/")[-1]
        node = self.at(ref)
        out = [f'<{heading} id="{escape(name)}">{escape(name)}</{heading}>\n']
        if ref.startswith("#/components/responses/"):
            return "".join(out + [prose(node["description"]),
                                  self.body(node.get("content", {}))])
        out.append(f"<p>{self.type(node)}</p>\n")
        out.append(prose(node.get("description", "")) + self.members(node))
        return "".join(out)

    def own(self, place, heading):
        """The components that a page has, by name."""
        refs = sorted((r for r, p in self.place.items() if p == place),
                      key=str.lower)
        return "".join(self.component(r, heading) for r in refs)


def slug(name):
    return name.replace(" ", "-")


def for_people(operation):
    """Is it a page or a form for people in a browser? Those are described in
    words alone: the page itself says the rest."""
    types = {media for response in operation["responses"].values()
             for media in response.get("content", ())}
    return operation["tags"] == ["pages"] and types <= {"text/html"}


def told(description, schema):
    """What there is to say of a value, with its default."""
    said = prose(description)
    if said.count("<p>") == 1 and "\n<" not in said:
        said = words(description)  # one paragraph, which needs no mark
    if "default" in schema:
        default = escape(json.dumps(schema["default"]))
        said += f" Without it: <code>{default}</code>."
    return said


def limits(schema):
    """What a schema says of lengths and sizes, in words."""
    out = []
    for least, most, unit in (("minLength", "maxLength", " characters"),
                              ("minItems", "maxItems", " of them"),
                              ("minimum", "maximum", "")):
        low, high = schema.get(least), schema.get(most)
        if low is not None and high is not None:
            out.append(f"{low:,} to {high:,}{unit}")
        elif high is not None:
            out.append(f"at most {high:,}{unit}")
        elif low:
            out.append(f"at least {low:,}{unit}")
    if schema.get("format") and schema["format"] != "uuid":
        out.append(schema["format"])
    return escape(", " + ", ".join(out)) if out else ""


def address(method, path):
    return (f'<p class="address"><span class="verb">{method.upper()}</span> '
            f"<code>{escape(path)}</code></p>\n")


def conditions(operation):
    """Who may call it, and how large its body may be."""
    out = []
    roles = operation.get("x-roles", [])
    if roles:
        out.append(f"Roles: {', '.join(roles)}.")
    elif operation["security"] == []:
        out.append("No key is needed.")
    if operation.get("x-body-limit"):
        out.append(f"The body has at most {operation['x-body-limit']:,} "
                   "bytes.")
    return escape(" ".join(out))


def pages(doc):
    """The pages by section: (heading, [(place, title, HTML), ...])."""
    reference = Reference(doc)
    tags = {tag["name"]: tag for tag in doc["tags"]}
    title = {name: tag.get("x-displayName", name.capitalize())
             for name, tag in tags.items()}
    out = [("", [("", "Overview", overview(doc, reference, tags, title))])]
    for part in doc["x-tagGroups"]:
        made = []
        for name in part["tags"]:
            reference.here, reference.said = slug(name), set()
            body = "".join(reference.operation(*o)
                           for o in reference.groups[name])
            types = reference.own(slug(name), "h3")
            if types:
                body += f'<h2 id="types">Types</h2>\n{types}'
            made.append((slug(name), title[name], lead(
                title[name], tags[name]["description"]) + body))
        out.append((part["name"], made))
    made = []
    for place, name in (("types", "Types"),
                        ("openintent-types", "Types of OpenIntent"),
                        ("errors", "Errors")):
        reference.here, reference.said = place, set()
        made.append((place, name, lead(name, "Used by several groups.")
                     + reference.own(place, "h2")))
    return out + [("In common", made)]


def lead(title, text):
    return (f"<h1>{escape(title)}</h1>\n"
            f'<p class="lead">{words(text)}</p>\n')


def overview(doc, reference, tags, title):
    """The first page: how to use the API, and all operations."""
    out = [lead("API", doc["info"]["summary"]),
           '<p>As files: <a href="/openapi.yaml">openapi.yaml</a>,'
           ' <a href="/openapi-agents.yaml">openapi-agents.yaml</a> with the'
           " operations for agents, and"
           ' <a href="/openapi-client.yaml">openapi-client.yaml</a> for'
           " generators of clients.</p>\n", prose(doc["info"]["description"])]
    for name, operations in reference.groups.items():
        rows = "".join(
            f'<li><a href="{ROOT}/{slug(name)}#{o["operationId"]}">'
            f"{words(o['summary'])}</a> "
            f"<code>{method.upper()} {escape(path)}</code></li>\n"
            for method, path, o in operations)
        out.append(f'<h2 id="{slug(name)}">{title[name]}</h2>\n'
                   f"<p>{words(tags[name]['description'])}</p>\n"
                   f'<ul class="plain">\n{rows}</ul>\n')
    return "".join(out)


def main(source, root):
    with open(source, encoding="utf-8") as file:
        doc = yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    made = pages(doc)
    groups = [(heading, [(f"{ROOT}/{place}".rstrip("/"), title)
                         for place, title, _ in of])
              for heading, of in made]
    for place, title, body in (p for _, of in made for p in of):
        here = f"{ROOT}/{place}".rstrip("/")
        write(root, f"docs/api/{place or 'index'}.html",
              page(here, f"{title} - API", groups, body))


if __name__ == "__main__":
    main(*sys.argv[1:])
