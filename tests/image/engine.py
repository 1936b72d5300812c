"""Something that builds and runs containers: docker or podman, whichever works
on this machine, and a Debian 12 to build on."""
import functools
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile

from server import TOP

IMAGE = "localhost/sayso-of-the-tests"
BASE = "debian:12-slim"
OWN_BASE = "localhost/sayso-debian:12"


def call(*args, seconds=60, **more):
    return subprocess.run(list(map(str, args)), text=True, timeout=seconds,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          **more)


def done(*args, **more):
    got = call(*args, **more)
    assert got.returncode == 0, got.stdout + got.stderr
    return got.stdout


@functools.cache
def engine():
    """The command, with what it needs here; None where there is none."""
    ways = ["docker"], ["podman"], ["podman", "--runtime", "runc"]
    for name, *more in ways:
        if not all(map(shutil.which, (name, *more[1:]))):
            continue
        if call(name, *more, "info").returncode == 0 and (
                name == "docker" or runs(name, *more)):
            return name, *more
    return None


def runs(*command):
    """Can it run anything? An image of one file is enough to see it: what
    fails is the runtime, or the file."""
    with tempfile.TemporaryDirectory() as empty:
        tar = pathlib.Path(empty) / "empty.tar"
        done("tar", "-cf", tar, "-C", empty, "--files-from", "/dev/null")
        if call(*command, "import", tar, "localhost/sayso-empty").returncode:
            return False
    said = call(*command, "run", "--rm", *limits(), "--network", "host",
                "localhost/sayso-empty", "/nothing").stderr
    call(*command, "rmi", "localhost/sayso-empty")
    return "/nothing" in said


def limits():
    """Not more than this process may have: to raise them is refused."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1] % 2**63
    most = min(most, 65536)
    return ["--ulimit", f"nofile={most}:{most}", "--ulimit",
            "nproc=4096:4096"]


def refused():
    """None, or the reason why no image can be built and run here."""
    if os.geteuid() != 0:
        return "not root, who alone can be PostgreSQL's user"
    if engine() is None:
        return "no docker or podman that works"
    return base()[1]


@functools.cache
def base():
    """(image, None), or (None, the reason): the one of the registry, or one of
    debootstrap."""
    if call(*engine(), "image", "inspect", OWN_BASE).returncode == 0:
        return OWN_BASE, None
    if call(*engine(), "pull", BASE, seconds=300).returncode == 0:
        return BASE, None
    if not shutil.which("debootstrap") or os.geteuid() != 0:
        return None, f"{BASE} cannot be had, and no debootstrap"
    with tempfile.TemporaryDirectory() as made:
        got = call("debootstrap", "--variant=minbase", "bookworm",
                   f"{made}/root", seconds=600)
        if got.returncode != 0:
            return None, ("no registry, and debootstrap ended with: "
                          + (got.stderr or got.stdout)[-200:].strip())
        done("tar", "-cf", f"{made}/base.tar", "-C", f"{made}/root", ".")
        done(*engine(), "import", f"{made}/base.tar", OWN_BASE, seconds=300)
    return OWN_BASE, None


def build():
    """Without layers that would be kept: each build would leave some."""
    name = engine()[0]
    more = [] if name == "docker" else ["--isolation", "chroot",
                                        "--layers=false"]
    old = call(*engine(), "image", "inspect", "--format", "{{.Id}}", IMAGE)
    done(*engine(), "build", *more, *limits(), "--build-arg",
         f"BASE={base()[0]}", "-f", TOP / "packaging/Containerfile", "-t",
         IMAGE, TOP, seconds=1200)
    if old.returncode == 0:
        call(*engine(), "rmi", old.stdout.strip())


def code(page, words):
    """The block of the page that has the words."""
    text = (TOP / "docs" / page).read_text()
    [one] = [b for b in re.findall(r"^ *```sh\n(.*?)^ *```$", text,
                                   re.M | re.S) if words in b]
    return one


def options(service):
    """The options for a container that a service of a compose file gives."""
    given = []
    for name, option in (("cap_drop", "--cap-drop"), ("cap_add", "--cap-add"),
                         ("security_opt", "--security-opt"),
                         ("tmpfs", "--tmpfs"), ("volumes", "--volume")):
        given += [w for v in service.get(name, ())
                  for w in (option, prefixed(v) if name == "volumes" else v)]
    if service.get("read_only"):
        given += ["--read-only"]
        # podman would make /run and /tmp writable by itself.
        if engine()[0] == "podman":
            given += ["--read-only-tmpfs=false"]
    if user := service.get("user"):
        given += ["--user", user]
    return given


def prefixed(volume):
    """Volumes of the tests alone."""
    return f"sayso-of-the-tests-{volume}"


class Container:
    """One that runs the image, at the network of this machine, as a service of
    a compose file does."""

    def __init__(self, name, service, command=(), **environ):
        self.name = name
        call(*engine(), "rm", "-f", name)
        given = [w for k, v in environ.items() for w in ("-e", f"{k}={v}")]
        done(*engine(), "run", "-d", "--name", name, *limits(), "--network",
             "host", *options(service), *given, IMAGE,
             *(command or service.get("command", ())))

    def command(self, *args, user="sayso-admin"):
        return call(*engine(), "exec", "--user", user, self.name, *args)

    def running(self):
        return self.state("Running") == "true"

    def state(self, member):
        return done(*engine(), "inspect", "--format",
                    "{{.State.%s}}" % member, self.name).strip()

    def log(self):
        got = call(*engine(), "logs", self.name)
        return got.stdout + got.stderr

    def wait(self):
        """Until it has ended; its exit status."""
        return int(done(*engine(), "wait", self.name))

    def stop(self):
        done(*engine(), "stop", "-t", "30", self.name)

    def start(self):
        done(*engine(), "start", self.name)

    def remove(self):
        call(*engine(), "kill", self.name)
        call(*engine(), "rm", "-f", self.name)
