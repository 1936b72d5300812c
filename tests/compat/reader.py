"""A reader of the documents: programs that run where their checkout would be, a
person who answers, and a compiler for TypeScript."""
import json
import os
import subprocess
import sys

import kit
import pytest
from documents import TOP
from programs import NEW_NODE

# A program has what its reader exported.
SHELL = '. var/sayso.env; export SAYSO_URL SAYSO_AGENT_KEY SAYSO_AGENT; '
WAITED = "SUSPENSION_ID"


@pytest.fixture
def desk(server, tmp_path):
    """Runs programs where a reader's checkout would be."""
    (tmp_path / "var").mkdir()
    for name in ("sayso.env", "sayso"):
        (tmp_path / "var" / name).symlink_to(server.state / name)
    running = []

    def start(code, *args, language="sh", **env):
        ready = ["sh", "-c", SHELL + 'exec "$0" "$@"']
        run = {"sh": ["sh", "-e", "-c", SHELL + code],
               "python": [*ready, sys.executable, "-c", code],
               "ts": [*ready, NEW_NODE, code]}[language]
        running.append(subprocess.Popen(
            [*run, *args], cwd=tmp_path, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={"PATH": os.environ["PATH"], "SAYSO_AGENT": "refund-agent",
                 "PYTHONPATH": str(TOP / "clients/python"),
                 "PYTHONDONTWRITEBYTECODE": "1", **env}))
        return running[-1]

    yield start
    for process in running:
        process.kill()
        process.communicate()


def ended(process):
    said, _ = process.communicate(timeout=70)
    assert process.returncode == 0, said
    return said


def waiting(operator, agent):
    """The only question of the agent that is open, once it is there."""
    def look():
        rows = operator.get("/api/v1/suspensions",
                            params={"state": "pending", "limit": 100}).json()
        return [s for s in rows["suspensions"] if s["asked_by"] == agent]
    asked, = kit.wait_for(look)
    return asked


def decide(operator, agent, value, reason="So says the test.", **more):
    """Answers it."""
    asked = waiting(operator, agent)
    r = kit.answer(operator, asked, value, reason=reason, **more)
    assert r.status_code == 200, r.text
    return asked


def withdrawn(client, asked):
    """Leaves no open question to those who look for the only one."""
    r = client.post(f"/api/v1/suspensions/{asked['suspension_id']}/cancel",
                    json={})
    assert r.status_code == 200, r.text


def objects(text):
    """The JSON objects that stand behind one another."""
    found, decoder = [], json.JSONDecoder()
    while text := text.lstrip():
        one, end = decoder.raw_decode(text)
        assert "code" not in one, one
        found.append(one)
        text = text[end:]
    return found


@pytest.fixture
def compiled(typescript):
    """A program in TypeScript as a file that Node runs, once its types hold."""
    def of(code):
        file = typescript / "document.ts"
        file.write_text(code)
        done = subprocess.run(
            [NEW_NODE, NEW_NODE.parents[2] / "typescript/bin/tsc", "--noEmit",
             "-p", typescript], text=True, capture_output=True, timeout=100)
        assert done.returncode == 0, done.stdout + done.stderr
        return str(file)
    yield of
    (typescript / "document.ts").unlink()
