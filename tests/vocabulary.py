"""The words of src/domain/vocabulary.c and kind/kind.c, as tests read them."""
import pathlib
import re

DOMAIN = pathlib.Path(__file__).resolve().parent.parent / "src/domain"
TEXT = (DOMAIN / "vocabulary.c").read_text()


def table(name):
    """{word on the wire: may an agent send it} of one vocabulary."""
    body = re.search(r"vocabulary_word %s_words\[\] = \{(.*?)\n\};" % name,
                     TEXT, re.S)[1]
    rows = re.findall(r"\[\w+\] =\s*\{(.*?)\},?\s*(?=\[|$)", body, re.S)
    words = {}
    for row in rows:
        word = re.search(r'\.wire = WIRE\("(\w+)"\)', row)
        if word:
            words[word[1]] = ".ours = true" not in row
    assert len(words) > 1
    return words


def kinds():
    """The kinds of question."""
    text = (DOMAIN / "kind/kind.c").read_text()
    return re.findall(r'\.words = \{\.wire = WIRE\("(\w+)"\)', text)


OUTCOMES = set(table("outcome")) - {"expired", "withdrawn"}  # lists' alone
