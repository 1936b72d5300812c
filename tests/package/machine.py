"""A machine to install a package on: the files, programs and packages of this one,
with a systemd, a network and processes of its own. All that it writes ends with it."""
import os
import pathlib
import subprocess
import tempfile
import time

BOOT = pathlib.Path(__file__).parent / "boot"
NAMESPACES = ("--mount", "--pid", "--net", "--ipc", "--uts", "--cgroup")


def refused():
    """None, or the reason why none can be made here."""
    if os.geteuid() != 0:
        return "not root, who alone can mount"
    try:
        with Machine():
            return None
    except Refused as why:
        return str(why)


class Refused(Exception):
    pass


class Machine:
    def __enter__(self):
        self.at = tempfile.mkdtemp(prefix="sayso-machine-", dir="/tmp")
        self.outer = subprocess.Popen(
            ["unshare", *NAMESPACES, "--fork", "--kill-child", "--propagation",
             "private", BOOT, self.at], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        end = time.monotonic() + 60
        try:
            while not self.is_up():
                if self.outer.poll() is not None:
                    raise Refused(self.outer.stdout.read()[-300:].strip())
                if time.monotonic() > end:
                    raise Refused("systemd does not come up")
                time.sleep(0.2)
        except Refused:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.outer.kill()
        self.outer.wait()
        os.rmdir(self.at)

    def is_up(self):
        children = pathlib.Path(
            f"/proc/{self.outer.pid}/task/{self.outer.pid}/children")
        self.inner = children.read_text().split()[:1]
        return bool(self.inner) and self.call(
            "systemctl is-system-running").stdout.strip() in (
                "running", "degraded")

    def call(self, script, **more):
        """Runs a script of the shell as root."""
        return subprocess.run(
            ["nsenter", "--target", *self.inner, *NAMESPACES, "--root", "--wd",
             "env", "-i", "HOME=/root", "LC_ALL=C.UTF-8",
             "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "sh", "-ec", script],
            text=True, timeout=180, stdin=subprocess.DEVNULL,
            capture_output=True, **more)

    def done(self, script):
        got = self.call(script)
        assert got.returncode == 0, f"{script}\n{got.stdout}{got.stderr}"
        return got.stdout
