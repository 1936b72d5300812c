"""The Debian package is built once for all tests, with the compiler's flags that
Debian sets. Objects of an earlier run are used again."""
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import TOP  # noqa: E402

NOT_SOURCES = ("./.git", "./build*", "./var", "./debian", "node_modules",
               "__pycache__")


@pytest.fixture(scope="session")
def built():
    """The directory, with the package and the log of its build."""
    at = pathlib.Path(os.environ["SAYSO_BUILD"]) / "package"
    source = at / "source"
    source.mkdir(parents=True, exist_ok=True)
    for old in at.glob("*.deb"):
        old.unlink()
    excluded = [f"--exclude={name}" for name in NOT_SOURCES]
    script = f"""
        tar -C {TOP} {' '.join(excluded)} -cf - . | tar -C {source} -xf -
        cd {source}
        ln -sfn packaging/debian debian
        rm -rf debian/*-stamp debian/autoreconf.* debian/.debhelper debian/sayso
        dpkg-buildpackage -nc -us -uc -b"""
    with open(at / "log", "w") as log:
        done = subprocess.run(
            ["sh", "-ec", script], stdout=log, stderr=subprocess.STDOUT,
            env={**os.environ, "PATH": f"/usr/lib/ccache:{os.environ['PATH']}",
                 "SAYSO_VERSION": version(), "DEB_BUILD_OPTIONS":
                 f"nocheck noautodbgsym parallel={os.cpu_count()}"})
    assert done.returncode == 0, (at / "log").read_text()[-4000:]
    return at


@pytest.fixture(scope="session")
def deb(built):
    [made] = built.glob("*.deb")
    return made


def version():
    said = subprocess.run([TOP / "packaging/version", "0.2.0"], check=True,
                          text=True, stdout=subprocess.PIPE)
    return said.stdout.strip()
