"""The tables of the records (src/domain/record.h) as data."""
import re

from server import TOP
from statements import made


class Field:
    """A row of a table."""

    def __init__(self, column, text):
        self.type, self.name = re.search(r"RECORD_([A-Z]+)\(\w+, ([\w.]+)",
                                         text).groups()
        self.places = set(re.findall(r"\bIN_([A-Z]+)", text))
        if "TABLE" in self.places:
            self.places |= {"ROW", "INSERT"}
        self.column = column
        self.member = (re.search(r'\.member = "(\w+)"', text) or
                       [None, column])[1]
        self.alias = (re.search(r'\.alias = "(\w+)"', text) or [None, None])[1]
        self.other = (re.search(r'\.other = "(\w+)"', text) or [None, None])[1]
        self.words = (re.search(r"(\w+)_all\b", text) or [None, None])[1]


def read():
    """{noun: its fields}, and {noun: its table in the database}."""
    fields, tables = {}, {}
    for line in made("records").splitlines():
        noun, column, text = line.split(" ", 2)
        fields.setdefault(noun, []).append(Field(column, text))
    for path in (TOP / "src").rglob("*.c"):
        tables.update(re.findall(
            r'RECORD\((\w+),\s*"[^"]+",\s*"(\w+)"\)', path.read_text()))
    return fields, tables


FIELDS, TABLES = read()
