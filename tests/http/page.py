"""Reading pages as a browser does: forms, what is in them, what is shown."""
import html
import html.parser
import re

import kit


class _Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.forms, self.outside, self.text = [], [], []
        self.form = self.area = self.skip = None

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if tag == "form":
            self.form = {"id": a.get("id"), "action": a["action"],
                         "method": a.get("method", "get"), "fields": []}
            self.forms.append(self.form)
        elif tag in ("input", "button", "textarea", "select"):
            field = {"tag": tag, "name": a.get("name"),
                     "value": a.get("value", ""), "type": a.get("type"),
                     "on": "checked" in a}
            if a.get("form"):
                self.outside.append((a["form"], field))
            elif self.form is not None:
                self.form["fields"].append(field)
            self.area = field if tag == "textarea" else self.area
            self.select = field if tag == "select" else None
        elif tag == "option" and "selected" in a:
            self.select["value"] = a["value"]
        elif tag in ("script", "style"):
            self.skip = tag

    def handle_endtag(self, tag):
        if tag == "form":
            self.form = None
        elif tag == "textarea":
            self.area = None
        elif tag == self.skip:
            self.skip = None

    def handle_data(self, data):
        if self.area is not None:
            self.area["value"] += data
        elif not self.skip:
            self.text.append(data)


class Page:
    """A page: its forms by the start of their action, and its words."""

    def __init__(self, response):
        assert response.headers["content-type"].startswith("text/html")
        reader = _Reader()
        reader.feed(response.text)
        reader.close()
        self.text = re.sub(r"\s+", " ", " ".join(reader.text))
        self.forms = reader.forms
        for owner, field in reader.outside:
            for form in self.forms:
                if form["id"] == owner:
                    form["fields"].append(field)
        for form in self.forms:
            for field in form["fields"]:
                if field["tag"] == "textarea":
                    # A line feed right after the tag is not content.
                    field["value"] = field["value"].removeprefix("\n")

    def form(self, end):
        found = [f for f in self.forms if f["action"].endswith(end)]
        assert found, f"no form for {end}: {self.text}"
        return found[0]

    def data(self, end, **typed):
        """The data that a browser would send: every field as it is, and the
        typed values."""
        out = {}
        for f in self.form(end)["fields"]:
            ticked = f["type"] not in ("checkbox", "radio") or f["on"]
            if f["name"] and f["tag"] != "button" and ticked:
                out[f["name"]] = f["value"]
        return {**out, **typed}

    def value(self, end, name):
        return next(f["value"] for f in self.form(end)["fields"]
                    if f["name"] == name)

    def buttons(self, end):
        return [f["value"] for f in self.form(end)["fields"]
                if f["tag"] == "button" and f["name"] == "value"]


def login_data(client, **typed):
    """The data of the login form in this browser."""
    return Page(client.get("/login")).data("/login", **typed)


# --- Forms whose fields are known by their labels --------------------------

FIELD = re.compile(
    r'<label for="(\w+)"><bdi>([^<]*)</bdi>|'
    r'<fieldset id="(\w+)">\s*<legend><bdi>([^<]*)</bdi>|'
    r'<label class="tick"><input id="(\w+)"[^>]*><span><bdi>([^<]*)</bdi>')


def fields(r):
    """The fields of a page by their labels."""
    found = ([x for x in m if x] for m in FIELD.findall(r.text))
    return {label: name for name, label in found}


def typed(r, values):
    """Typed values, by labels, as the names that a browser sends."""
    names = fields(r)
    out = {}
    for label, value in values.items():
        many = isinstance(value, list)
        out[names[label] + ("[]" if many else "")] = value
    return out


def filled(client, path, values):
    """The data that a browser would send of the form with these values: that of
    the page, or of the page for a new one that it leads to."""
    r = client.get(path)
    if f'href="{path}?do=new"' in r.text:
        r = client.get(f"{path}?do=new")
    assert r.status_code == 200, r.text
    return Page(r).data(path, **typed(r, values))


def send(client, path, values, **more):
    return client.post(path, data={**filled(client, path, values), **more})


def button(client, path, what, page=None):
    """The data that a browser would send at the button `what` of a form of the
    page."""
    r = client.get(page or path)
    assert r.status_code == 200, r.text
    form = next(f for f in Page(r).forms if f["action"] == path and any(
        x["tag"] == "button" and x["value"] == what for x in f["fields"]))
    data = {x["name"]: x["value"] for x in form["fields"]
            if x["tag"] == "input"}
    return {**data, "do": what}


def press(client, path, what, page=None, **more):
    data = button(client, path, what, page)
    return client.post(path, data={**data, **more})


def token(client):
    """The form token of the session."""
    return Page(client.get("/settings/profile")).data("/logout")["csrf"]


def once(r, client=None):
    """The secret that a page shows, or the page that it leads to; None where it
    shows none."""
    if client and r.status_code == 303:
        r = client.get(r.headers["location"])
    found = re.search(r'<p class="key"><code>([^<]+)</code>', r.text)
    return html.unescape(found[1]) if found else None


# --- What becomes of it ----------------------------------------------------

def logged(server, *words):
    """The lines of the log with all of these words."""
    return [x for x in server.log().splitlines() if all(w in x for w in words)]


def signs_in(server, email, password):
    with server.client(headers={"Accept": "text/html"},
                       transport=kit.elsewhere()) as client:
        r = client.post("/login", data=login_data(
            client, email=email, password=password))
        return r.status_code == 303


def signed_in(server):
    """The cookie of whom ./start made."""
    with server.client(headers={"Accept": "text/html"},
                       transport=kit.elsewhere()) as client:
        r = client.post("/login", data=login_data(
            client, email=server.env["SAYSO_OPERATOR_EMAIL"],
            password=server.env["SAYSO_OPERATOR_PASSWORD"]))
        assert r.status_code == 303
        return client.cookies["sayso"]


def new_token(server, role="user"):
    """The API token of a new person of this role."""
    email, password = f"{role}-{kit.new_id()}@example.com", kit.new_id()
    made = server.sayso("operator", "create", "--email", email, "--name",
                        f"Some {role}", "--role", role, "--password-stdin",
                        input=password + "\n")
    assert made.returncode == 0, made.stderr
    with server.client(headers={"Accept": "text/html"},
                       transport=kit.elsewhere()) as client:
        client.post("/login", data=login_data(client, email=email,
                                              password=password))
        return once(send(client, "/settings/tokens", {
            "Label": "Chat", "Expires": "30", "Your password": password}),
            client)
