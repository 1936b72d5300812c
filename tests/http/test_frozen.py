"""A process that stands still is noticed and replaced, asleep or at work."""
import re

import pytest

import kit
from kit import ask, comm, wait_for

# It takes half a minute: it begins here.
pytestmark = pytest.mark.usefixtures("stuck")

AGE = re.compile(r'^sayso_process_age_seconds\{kind="(\w+)"\} ([\d.]+)$',
                 re.M)


def ages(server):
    with server.client() as client:
        return {k: float(v) for k, v in
                AGE.findall(client.get("/metrics").text)}


def test_each_gives_signs_of_life(server):
    """Asleep too: nothing is asked of them meanwhile."""
    now = ages(server)
    assert now.keys() == {"web", "wait", "tick", "deliver", "seal",
                          "erase"}
    assert all(age < 30 for age in now.values()), now


def replaced(one, name):
    """The new one; None while there is none."""
    found = [p for p in kit.children(one.supervisor())
             if comm(p) == f"sayso: {name}" and p != one.frozen[name]]
    return found[0] if found else None


def test_those_that_stand_still_are_replaced(stuck, server):
    one = stuck[0]
    for name, pid in one.frozen.items():
        wait_for(lambda: replaced(one, name), 90)
        # The signer may have been at work.
        assert re.search(f"sayso: {name}, {pid}, is killed: (it gave no sign "
                         "of life|one piece of work took)", one.log())
        assert comm(pid) != f"sayso: {name}"
    assert all(age < 30 for age in ages(one).values())
    # The work is taken up: a question ends by its time, a read is held.
    with one.client("agent", agent="a", timeout=60) as client:
        asked = ask(client, timeout_seconds=1)
        at = f"/api/v1/suspensions/{asked['suspension_id']}"
        state = client.get(at, params={"wait": 20}).json()["state"]
        assert state == "expired"
    assert not [x for x in server.log().splitlines() if "no sign of life" in x]
