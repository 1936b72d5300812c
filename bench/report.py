"""The results of bench/run: a table on the terminal, everything as JSON.

usage: report.py DIRECTORY OUT. DIRECTORY has the measurements: cells and
surroundings, and time where time and push were. Fails when a number is missing.
"""
import json
import pathlib
import statistics
import sys

# The measurements: title, reference and aim of each.
ROWS = {
    "get": ("GET an intent", "get", None),
    "suspend": ("suspend", "suspend", None),
    "respond": ("respond, native", "respond", 0.5),
    "respond_openintent": ("respond, OpenIntent", "respond", 0.5),
}

# A request of Sayso as a share of something that bounds it: its title, what
# that is, and the aim.
SHARES = {
    "bare": ("GET an intent, of the bare worker", "get", ("get", "bare"), 0.8),
    "simple_update": ("respond, native, of pgbench -N", "respond",
                      ("simple_update", "pgbench"), 0.3),
}


def read_cells(path):
    """{(what, who): {round: cell}}"""
    cells = {}
    for line in pathlib.Path(path).read_text().splitlines():
        turn, what, who, rate, p50, p99, requests, cost, busy = \
            line.split()
        cells.setdefault((what, who), {})[int(turn)] = {
            "rate": float(rate), "p50_ms": float(p50),
            "p99_ms": float(p99), "requests": int(requests),
            "cpu_us": int(cost), "others_percent": int(busy)}
    return cells


def medians(cells):
    return {key: statistics.median(c[key] for c in cells.values())
            for key in ("rate", "p50_ms", "p99_ms", "cpu_us")}


def compare(cells, what, against):
    """A row: each round gives a ratio; the median of them is the result."""
    ours, theirs = cells[what, "sayso"], cells[against, "pgbench"]
    ratios = [ours[i]["rate"] / theirs[i]["rate"] for i in sorted(ours)]
    return {"sayso": medians(ours), "pgbench": medians(theirs),
            "ratio": statistics.median(ratios), "ratios": ratios,
            "cpu_ratio": statistics.median(
                theirs[i]["cpu_us"] / ours[i]["cpu_us"] for i in ours)}


def share(cells, what, against):
    """One of our requests as a share of something else, round by round."""
    ours, theirs = cells[what, "sayso"], cells[against]
    return {"other": medians(theirs),
            "ratio": statistics.median(
                ours[i]["rate"] / theirs[i]["rate"] for i in ours),
            "cpu_ratio": statistics.median(
                theirs[i]["cpu_us"] / ours[i]["cpu_us"] for i in ours)}


def show_share(title, aim, one):
    other = one["other"]
    print(f"{title}: {one['ratio']:.2f}, by cpu {one['cpu_ratio']:.2f}; aim "
          f"{aim} {'met' if one['ratio'] >= aim else 'MISSED'} (the other: "
          f"{other['rate']:.0f}/s, p50 {other['p50_ms']:.2f}, p99 "
          f"{other['p99_ms']:.2f} ms, cpu {other['cpu_us']:.0f})")


def table(results):
    head = ("", "sayso/s", "p50", "p99", "cpu", "pgbench/s", "p50", "p99",
            "cpu", "ratio", "rounds", "by cpu", "aim")
    form = ("{:<20}{:>8}{:>7}{:>7}{:>6}{:>11}{:>7}{:>7}{:>6}{:>7}  {:<10}"
            "{:>7}  {}")
    lines = [form.format(*head)]
    for what, (title, _, aim) in ROWS.items():
        r = results[what]
        numbers = [f"{r[who][key]:.{digits}f}" for who in ("sayso", "pgbench")
                   for key, digits in (("rate", 0), ("p50_ms", 2),
                                       ("p99_ms", 2), ("cpu_us", 0))]
        spread = f"{min(r['ratios']):.2f}-{max(r['ratios']):.2f}"
        goal = "-" if aim is None else (
            f"{aim} {'met' if r['ratio'] >= aim else 'MISSED'}")
        lines.append(form.format(title, *numbers, f"{r['ratio']:.2f}", spread,
                                 f"{r['cpu_ratio']:.2f}", goal))
    return "\n".join(lines)


# Of time and push: title, which result, its numbers, and the aim as a number
# and a ceiling.
TIMES = (
    ("a waiter holds", "waiters", "pss_kb", "kB", 32),
    ("wake, one by one, p99", "wake", "p99_ms", "ms", 25),
    ("wake, at a rate, p99", "wake_rate", "p99_ms", "ms", 25),
    ("an MCP call holds", "mcp_waiters", "pss_kb", "kB", None),
    ("its answer, one by one", "mcp_wake", "p99_ms", "ms", 25),
    ("its answer, at a rate", "mcp_wake_rate", "p99_ms", "ms", 25),
    ("expiry of all", "expiry", "seconds", "s", 10),
    ("respond meanwhile, p50", "slower", "p50", "times", 2),
    ("respond meanwhile, p99", "slower", "p99", "times", 2),
    ("deliveries, one endpoint", "deliver_one", "rate", "/s", None),
    ("deliveries, many", "deliver_many", "rate", "/s", None),
    ("an answer with a permit", "permits", "ratio", "times", 1.05),
    ("the log takes an event in", "log", "us", "us", None),
    ("a receipt, p99", "receipts", "p99_ms", "ms", 1500),
)
REMARKS = {
    "waiters": "{held} held; {rss_kb:.1f} kB of RSS, and {kernel_kb:.1f} kB "
               "of the kernel",
    "mcp_waiters": "{held} held; {rss_kb:.1f} kB of RSS, and "
                   "{kernel_kb:.1f} kB of the kernel",
    "mcp_wake": "p50 {p50_ms:.1f}, p99 shown, of {answers}",
    "mcp_wake_rate": "p50 {p50_ms:.1f}, p99 shown, of {answers}, {rate} a "
                     "second",
    "wake": "p50 {p50_ms:.1f}, of {answers}",
    "wake_rate": "p50 {p50_ms:.1f}, of {answers}, {rate} a second",
    "expiry": "{questions} questions",
    "slower": "{usual_rate:.0f}/s p50 {usual_p50:.1f} p99 {usual_p99:.1f} "
              "became {rate:.0f}/s p50 {now_p50:.1f} p99 {now_p99:.1f}",
    "deliver_one": "{deliveries} to {endpoints}, {twice} twice",
    "deliver_many": "{deliveries} to {endpoints}, {twice} twice",
    "log": "{events} events that waited; {log_leaf_bytes:.0f} bytes of leaves "
           "for each and {log_tile_bytes:.0f} of tiles; {peak_kb} kB at most",
    "receipts": "p50 {p50_ms:.0f}, of {answers} answers, {rate:.0f} a second",
    "permits": "{granting:.0f} us of processor against {plain:.0f}, of "
               "{answers}",
}


def slower(usual, now):
    """How an operator's answers are, while much expires."""
    return {"p50": now["p50_ms"] / usual["p50_ms"],
            "p99": now["p99_ms"] / usual["p99_ms"],
            "usual_rate": usual["rate"], "usual_p50": usual["p50_ms"],
            "usual_p99": usual["p99_ms"], "rate": now["rate"],
            "now_p50": now["p50_ms"], "now_p99": now["p99_ms"]}


def time_table(results):
    lines = []
    for title, what, key, unit, aim in TIMES:
        if what not in results:
            continue
        value = results[what][key]
        assert value >= 0, (what, key, value)
        goal = "-" if aim is None else (
            f"{aim} {'met' if value <= aim else 'MISSED'}")
        lines.append(f"{title:<26}{value:>8.1f} {unit:<6}{goal:<11}"
                     + REMARKS[what].format(**results[what]))
    return "\n".join(lines)


def list_table(results):
    """The lists of people: what a worker takes, and the aim of 50 ms."""
    return "\n".join(
        f"{name:<28}{one['p50_ms']:>8.1f}{one['p99_ms']:>8.1f} ms  "
        f"{'met' if one['p99_ms'] < 50 else 'MISSED'}"
        for name, one in results.items() if name.startswith("list: "))


def show_rows(cells, results):
    for c in (c for one in cells.values() for c in one.values()):
        assert c["rate"] > 0 and c["requests"] > 0, c
        assert 0 < c["p50_ms"] <= c["p99_ms"], c
    print("\nMedians of the rounds: requests a second, latencies in ms, "
          "microseconds of processor\nfor each (client, nginx, workers and "
          "database), and the ratio that each round has.\n")
    print(table(results) + "\n")
    for name, (title, _, _, aim) in SHARES.items():
        show_share(title, aim, results[name])


def main(where, out):
    where = pathlib.Path(where)
    cells = read_cells(where / "cells")
    around = dict(line.split("=", 1) for line in
                  (where / "surroundings").read_text().splitlines())
    results = {what: compare(cells, what, against)
               for what, (_, against, _) in ROWS.items()} if cells else {}
    if cells:
        results.update({name: share(cells, what, against)
                        for name, (_, what, against, _) in SHARES.items()})
    busy = [c["others_percent"] for one in cells.values()
            for c in one.values()]
    if cells:
        show_rows(cells, results)
    if (where / "time").exists():
        times = json.loads((where / "time").read_text())
        busy += [one["others_percent"] for one in times.values()
                 if "others_percent" in one]
        if "expiry" in times:
            times["slower"] = slower(times["respond_usual"],
                                     times["respond_meanwhile"])
        if any(name.startswith("list: ") for name in times):
            print("\nThe lists, p50 and p99 at the worker:\n\n" +
                  list_table(times))
        else:
            print("\nTime and push:\n\n" + time_table(times))
        results.update(times)
    pathlib.Path(out).write_text(json.dumps({
        "surroundings": around, "results": results,
        "cells": [{"round": i, "what": what, "who": who, **c}
                  for (what, who), one in cells.items()
                  for i, c in one.items()]}, indent=1) + "\n")
    print("\n" + ", ".join(f"{k} {v}" for k, v in around.items()))
    if max(busy, default=0) > 10:
        print(f"Others used up to {max(busy)} % of this machine meanwhile.")
    if around["sanitizers"] == "yes" or around["quick"] == "yes":
        print("These numbers mean nothing: "
              "quick run or a build with sanitizers.")
    print(f"All of it: {out}")


if __name__ == "__main__":
    main(*sys.argv[1:])
