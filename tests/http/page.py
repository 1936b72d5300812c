"""Reading pages as a browser does: forms, what is in them, what is shown."""
import html.parser
import re


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
        """What a browser would send: every field as it stands, and what was
        typed."""
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
    """What the login form would post from this browser."""
    return Page(client.get("/login")).data("/login", **typed)
