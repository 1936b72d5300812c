"""Runs the programs of pages, one after the other, in a process that has their
framework: importing it takes longer than all that a program does.

Reads one JSON object a line, with the program's text and its environment, and
answers with what it printed: see test_pages.py."""
import contextlib
import io
import json
import os
import sys
import traceback
import types

import sayso._requests

# A server that is away is tried again as often, without the pauses between.
sayso._requests.pause_after = lambda *args: 0.01

# Answers have a way of their own: frameworks print too.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def run(code, env):
    """The words of the program, with the error that ended it."""
    for name, value in env.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    page = sys.modules["page"] = types.ModuleType("page")
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            exec(compile(code, "page", "exec"), page.__dict__)
        except Exception:
            traceback.print_exc()
    return said.getvalue()


for line in sys.stdin:
    print(json.dumps({"said": run(**json.loads(line))}), file=answers,
          flush=True)
