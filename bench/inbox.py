"""The lists of people over very many questions: half of them open, half
decided. How long a worker takes for each kind of request, as its log says."""
import http.cookiejar
import pathlib
import re
import subprocess
import time
import urllib.parse
import urllib.request

ROWS = pathlib.Path(__file__).with_name("inbox.sql")

# The requests, and their names in the report.
REQUESTS = {
    "inbox": "/inbox",
    "mine": "/inbox?view=mine",
    "groups": "/inbox?view=groups",
    "all": "/inbox?view=all",
    "kind": "/inbox?kind=handoff_acceptance",
    "risk": "/inbox?risk=medium",
    "agent": "/inbox?agent=agent-12",
    "agent, all": "/inbox?view=all&agent=agent-12",
    "due": "/inbox?due=1d",
    "deadline": "/inbox?sort=deadline",
    "like": "/inbox?group=like",
    "search, often": "/inbox?q=refund",
    "search, seldom": "/inbox?q=77777",
    "search, nothing": "/inbox?q=nosuchword",
    "decided": "/decided",
    "decided, kind": "/decided?kind=approval",
    "decided, outcome": "/decided?outcome=withdrawn",
    "decided, via": "/decided?via=openintent",
    "decided, who": "/decided?who=op7@example.com",
    "decided, agent": "/decided?agent=agent-13&outcome=rejected",
    "decided, days": "/decided?from=2020-01-01&until=2099-01-01",
    "decided, often": "/decided?q=refund",
    "decided, seldom": "/decided?q=77778",
    "decided, nothing": "/decided?q=nosuchword",
    "decided, two letters": "/decided?q=re",
    "a question": "/suspensions/inbox500000",
}


class Browser:
    """A person who is signed in."""

    def __init__(self, bench):
        self.at = f"http://127.0.0.1:{bench.port}"
        self.opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        token = re.search(r'name="csrf" value="([^"]*)"',
                          self.get("/login")[0])[1]
        self.open("/login", urllib.parse.urlencode({
            "csrf": token, "next": "", "email": bench.email,
            "password": bench.password}).encode())

    def open(self, path, data=None):
        wanted = urllib.request.Request(
            self.at + path, data, {"Accept": "text/html", "Origin": self.at})
        with self.opener.open(wanted, timeout=30) as answer:
            return answer.read().decode(), answer.headers["X-Request-Id"]

    def get(self, path):
        return self.open(path)


def worker_ms(log, ids):
    """The log lines of these requests."""
    found = dict(re.findall(r"request=(\S+) GET .*?total_ms=([0-9.]+)",
                            pathlib.Path(log).read_text()))
    return sorted(float(found[one]) for one in ids if one in found)


def measure(bench, rows, times):
    print(f"   making {rows} questions", flush=True)
    subprocess.run([*bench.psql, "-v", f"rows={rows}", "-f", ROWS], check=True,
                   stdout=subprocess.DEVNULL)
    bench.tidy("suspension, open_question, inbox_entry, decision")
    bench.sql("UPDATE principal SET groups = 'g1 g2 g7' WHERE email = "
              f"'{bench.email}'")
    browser, results, ids = Browser(bench), {}, {}
    for name, path in REQUESTS.items():
        ids[name] = [browser.get(path)[1] for _ in range(times)]
        # The list that goes on behind its first page.
        older = re.search(r'href="([^"]+)">Older', browser.get(path)[0])
        if older:
            further = older[1].replace("&amp;", "&")
            ids[f"{name}, older"] = [browser.get(further)[1]
                                     for _ in range(times // 2)]
    time.sleep(1)
    for name, asked in ids.items():
        took = worker_ms(bench.log, asked)
        if len(took) < len(asked):
            raise SystemExit(f"bench: the log lacks requests of {name}")
        results[f"list: {name}"] = {
            "p50_ms": took[len(took) // 2],
            "p99_ms": took[min(len(took) - 1, len(took) * 99 // 100)],
            "rows": rows, "requests": len(took)}
    return results
