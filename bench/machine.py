"""The resources of a server, from /proc: processes, memory and time."""
import os
import pathlib
import time

PROC = pathlib.Path("/proc")


def read(path):
    """The text of a file below /proc; "" when its process has gone."""
    try:
        return (PROC / path).read_text(errors="replace")
    except OSError:
        return ""


def processes(root):
    """{pid: name} of all that come from a process, itself left out."""
    parent, name = {}, {}
    for pid in filter(str.isdigit, os.listdir(PROC)):
        head, _, rest = read(f"{pid}/stat").rpartition(")")
        if rest:
            parent[int(pid)] = int(rest.split()[1])
            name[int(pid)] = head.partition("(")[2]

    def ours(pid):
        while pid in parent and pid != root:
            pid = parent[pid]
        return pid == root

    return {pid: name[pid] for pid in name if pid != root and ours(pid)}


def memory(root):
    """{name: {"rss": kB, "pss": kB}} of the processes of each name."""
    sums = {}
    for pid, name in processes(root).items():
        one = sums.setdefault(name, {"rss": 0, "pss": 0})
        for line in read(f"{pid}/smaps_rollup").splitlines():
            key = line.partition(":")[0].lower()
            if key in one:
                one[key] += int(line.split()[1])
    return sums


def growth(before, after):
    """The same, of what came on top."""
    return {name: {key: kb - before.get(name, {}).get(key, 0)
                   for key, kb in one.items()} for name, one in after.items()}


def total(sums, key):
    return sum(one[key] for one in sums.values())


def kernel():
    """kB that the kernel holds for sockets and the like, of all programs."""
    fields = dict(line.split(":", 1) for line in read("meminfo").splitlines())
    return int(fields["SUnreclaim"].split()[0])


def title(pid, name):
    """A name; of the database's processes also the role that they serve."""
    words = read(f"{pid}/cmdline").replace("\0", " ").split()
    return f"{name}: {words[1]}" if name == "postgres" and words[1:] else name


def seconds(root):
    """{title: seconds of processor so far} of the living processes, each of
    which has one thread. Its times in stat are in ticks, too coarse for a
    difference of a few percent."""
    sums = {}
    for pid, name in processes(root).items():
        name = title(pid, name)
        ran = read(f"{pid}/schedstat").split()
        if ran:
            sums[name] = sums.get(name, 0) + int(ran[0]) / 1e9
    return sums


def spent(before, after):
    return {name: round(used - before.get(name, 0), 2)
            for name, used in sorted(after.items())
            if used - before.get(name, 0) >= 0.01}


def open_files(pid):
    """How many descriptors a process holds."""
    return len(os.listdir(PROC / str(pid) / "fd"))


def others():
    """The share of the processors that is in use just now, in percent."""
    def look():
        return [int(x) for x in read("stat").split("\n", 1)[0].split()[1:9]]
    a = look()
    time.sleep(0.5)
    b = look()
    every = sum(b) - sum(a)
    idle = b[3] + b[4] - a[3] - a[4]
    return round(100 - 100 * idle / max(every, 1))


def settle(patience):
    """Waits for a quiet machine, but not for long; what others use then."""
    end, busy = time.monotonic() + patience, others()
    while busy > 10 and time.monotonic() < end:
        time.sleep(1)
        busy = others()
    return busy
