"""packaging/apt-install waits for another program that installs packages.

apt-get and dpkg are stand-ins: real ones would change the machine that runs the
tests."""
import os
import subprocess

import pytest

from server import TOP

BUSY = {
    "apt-get": "E: Could not get lock /var/lib/apt/lists/lock. It is held by "
               "process 812 (apt-get)",
    "dpkg": "dpkg: error: dpkg frontend lock was locked by another process "
            "with pid 812",
}


def stand_in(at, name, body):
    path = at / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.fixture
def install(tmp_path):
    """install(BUSY-PROGRAM, TIMES, ERROR) runs it."""
    def run(busy, times, said):
        for name in ("apt-get", "dpkg"):
            stand_in(tmp_path, name, f"""
                echo "{name} $*" >>{tmp_path}/calls
                [ {name} = {busy} ] || exit 0
                n=$(cat {tmp_path}/n 2>/dev/null || echo 0)
                echo $((n + 1)) >{tmp_path}/n
                [ "$n" -ge {times} ] || {{ echo "{said}" >&2; exit 100; }}""")
        stand_in(tmp_path, "dpkg-query", "exit 1")
        stand_in(tmp_path, "sleep", ":")
        stand_in(tmp_path, "systemctl", ":")
        script = (TOP / "packaging/apt-install").read_text()
        for place in ("/usr/sbin/policy-rc.d", "/etc/postgresql-common"):
            script = script.replace(place, f"{tmp_path}{place}")
        (tmp_path / "usr/sbin").mkdir(parents=True)
        copy = tmp_path / "apt-install"
        copy.write_text(script.replace("$(id -u)", "0"))
        copy.chmod(0o755)
        done = subprocess.run(
            [copy, "a-package"], text=True, capture_output=True, timeout=60,
            env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
        calls = (tmp_path / "calls").read_text().splitlines()
        return done, calls
    return run


@pytest.mark.parametrize("busy", BUSY)
def test_it_waits(install, busy):
    done, calls = install(busy, 3, BUSY[busy])
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("waiting for it") == 1
    assert calls[-1].endswith("install a-package")
    assert len([c for c in calls if c == calls[0]]) == \
        (4 if busy == "dpkg" else 1)


def test_another_error_ends_it(install):
    done, calls = install("apt-get", 1, "E: Unable to fetch some archives")
    assert done.returncode == 100
    assert "Unable to fetch" in done.stdout + done.stderr
    assert [c.split()[0] for c in calls] == ["dpkg", "apt-get"]


def test_it_does_not_wait_for_ever(install):
    done, calls = install("apt-get", 100_000, BUSY["apt-get"])
    assert done.returncode == 100 and 100 < len(calls) < 400
