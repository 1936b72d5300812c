"""Machines as network namespaces, each with a cable to one switch.

All of it is this run's own: the names begin with a prefix that holds its
process id, the addresses are seen inside alone. A reaper of its own, which
outlives a test that is killed, takes everything away."""
import ctypes
import os
import pathlib
import re
import subprocess
import threading

PREFIX = "sayso-cl-"
CLONE_NEWNET = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)

REAPER = """
read -r _
for ns in $1; do
    for pid in $(ip netns pids "$ns" 2>/dev/null); do
        kill -KILL "$pid" 2>/dev/null
    done
done
for ns in $1; do ip netns del "$ns" 2>/dev/null; done
rm -rf -- $2
exit 0
"""


def ip(*args, check=True):
    return subprocess.run(["ip", *args], check=check, text=True,
                          capture_output=True, timeout=30)


def refused():
    """Why there may be no namespaces here; None: there may."""
    name = f"{PREFIX}{os.getpid()}-try"
    try:
        done = ip("netns", "add", name, check=False)
    except FileNotFoundError:
        return "there is no `ip`"
    if done.returncode == 0:
        try:
            done = ip("-n", name, "link", "add", "name", "one", "type", "veth", "peer",
                      "name", "two", check=False)
            if done.returncode == 0:
                done = ip("-n", name, "link", "add", "name", "three", "type",
                          "bridge", check=False)
        finally:
            ip("netns", "del", name, check=False)
    if done.returncode == 0:
        return None
    return done.stderr.strip() or "`ip` refuses them"


def sweep():
    """Removes the namespaces of a run whose reaper was killed too."""
    for line in ip("netns", "list").stdout.splitlines():
        found = re.match(rf"({PREFIX}(\d+)-\w+)", line)
        if found and not pathlib.Path("/proc", found[2]).exists():
            ip("netns", "del", found[1], check=False)


class Net:
    """hosts: name -> last number of the address; tag: another one for each net of
    a process."""

    def __init__(self, hosts, tag="", litter=()):
        self.hosts, self.tag = hosts, tag
        self.sockets = {}  # host -> its /run/postgresql
        self.switch = self.name("net")
        names = " ".join([self.switch, *map(self.name, hosts)])
        self.reaper = subprocess.Popen(
            ["bash", "-c", REAPER, "reaper", names, " ".join(map(str, litter))],
            stdin=subprocess.PIPE, start_new_session=True)
        try:
            self.make()
        except BaseException:
            self.close()
            raise

    def name(self, host):
        return f"{PREFIX}{os.getpid()}-{self.tag}{host}"

    def address(self, host):
        return f"192.0.2.{self.hosts[host]}"

    def make(self):
        switch = self.switch
        ip("netns", "add", switch)
        ip("-n", switch, "link", "add", "name", "br0", "type", "bridge")
        ip("-n", switch, "link", "set", "dev", "br0", "up")
        for host, n in self.hosts.items():
            ns = self.name(host)
            ip("netns", "add", ns)
            ip("-n", ns, "link", "set", "dev", "lo", "up")
            ip("-n", switch, "link", "add", "name", f"to-{host}", "type",
               "veth", "peer", "name", "eth0", "netns", ns)
            ip("-n", switch, "link", "set", "dev", f"to-{host}", "master",
               "br0", "up")
            ip("-n", ns, "link", "set", "dev", "eth0", "address", self.mac(n), "up")
            ip("-n", ns, "addr", "add", f"192.0.2.{n}/24", "dev", "eth0")
        # A host cannot tell that it is cut off: no host is reported
        # unreachable, packets are lost.
        for host in self.hosts:
            for n in self.hosts.values():
                if n != self.hosts[host]:
                    ip("-n", self.name(host), "neigh", "replace",
                       f"192.0.2.{n}", "lladdr", self.mac(n), "dev", "eth0",
                       "nud", "permanent")

    @staticmethod
    def mac(n):
        return f"02:00:00:00:00:{n:02x}"

    def cut(self, host):
        ip("-n", self.switch, "link", "set", "dev", f"to-{host}", "down")

    def heal(self, host):
        ip("-n", self.switch, "link", "set", "dev", f"to-{host}", "up")

    def shape(self, host, *words):
        """Packets of a host are late or lost: words of netem(8), none: not any
        more. Gives the reason where the kernel cannot."""
        done = subprocess.run(
            ["tc", "-n", self.name(host), "qdisc", "replace", "dev", "eth0",
             "root", *(("netem", *words) if words else ("pfifo",))],
            text=True, capture_output=True, timeout=30)
        return done.stderr.strip() if done.returncode else None

    def sysctl(self, host, path):
        subprocess.run(["ip", "netns", "exec", self.name(host), "sysctl", "-q",
                        "-p", path], check=True, timeout=30)

    def pids(self, host):
        """Of all processes on a host."""
        return [int(pid) for pid in
                ip("netns", "pids", self.name(host)).stdout.split()]

    def enter(self, host, *options):
        """The words before a program on a host, as postgres where we are
        root."""
        own = ["sh", "-c", 'mount --bind "$0" /run/postgresql && exec "$@"',
               self.sockets[host]] if host in self.sockets else []
        return ["ip", "netns", "exec", self.name(host), *own, "setpriv",
                *options, "--reuid=postgres", "--regid=postgres",
                "--clear-groups"]

    def popen(self, host, args, log, *, dies_by, **kwargs):
        """A process on a host; it ends when we do."""
        with open(log, "ab") as out:
            return subprocess.Popen(
                [*self.enter(host, f"--pdeathsig={dies_by}"), *args],
                stdout=out, stderr=out, stdin=subprocess.DEVNULL, **kwargs)

    def run(self, host, args, **kwargs):
        return subprocess.run([*self.enter(host), *args], text=True,
                              capture_output=True, timeout=120, **kwargs)

    def thread(self, host, work):
        """A thread whose sockets are a host's."""
        def enter():
            with open(f"/run/netns/{self.name(host)}", "rb") as f:
                if libc.setns(f.fileno(), CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "setns")
            work()
        return threading.Thread(target=enter)

    def close(self):
        self.reaper.communicate(b"\n", timeout=60)
