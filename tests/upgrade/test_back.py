"""A wrong migration at night, by docs/operations/problems.md: back to the version
before, with its database. Nothing of before the upgrade is lost."""
import pytest

import live
from filling import CHOICES
from machine import Version, walk
from test_upgrade import fine


@pytest.fixture
def upgraded(machine, oldest):
    """The version of before is in use: a database of the oldest commit."""
    receiver = live.prepare(machine)
    filling = oldest.restore(machine)
    live.by_the_manual(machine, Version.current())
    yield filling
    receiver.close()


def wrong_version(machine):
    """The tables belong to a newer version, which has destroyed something."""
    machine.psql("sayso", "-c", "ALTER TABLE suspension DROP COLUMN context "
                 "CASCADE; INSERT INTO migration (version, name, sha256, "
                 "applied_at) VALUES (9000, '9000_wrong.sql', 'x', now())")


def test_back_to_the_version_before(machine, upgraded):
    with machine.client("agent", agent="a") as agent:
        r = agent.post("/api/v1/suspensions", json={
            "question": "Before the upgrade?", "choices": CHOICES})
        asked = r.json()
    told, stored = upgraded.told(), upgraded.stored()
    machine.stop_serving()
    machine.dump_to("before-upgrade.dump")
    wrong_version(machine)
    # It is refused, and not used by half.
    done = machine.sayso("migrate")
    assert done.returncode == 1 and "(migrate.newer)" in done.stderr
    machine.begin_serving()
    machine.until(lambda: machine.status("/readyz") == 503)
    assert "install the newer program" in machine.sayso("doctor").stdout
    does = live.commands(machine, Version.current())
    said = walk(machine, "operations/problems.md", "sayso_newer", does)
    printed = {line.split("sayso ")[-1]: out for line, out in said.items()}
    assert printed["migrate"] == "the database is up to date (0 new)\n"
    assert printed["verify"].endswith(" 0 broken\n")
    fine(machine, printed["doctor"])
    lost, changed = live.compare(machine, upgraded, told, stored)
    assert (lost, changed) == ([], [])
    with machine.client("agent", agent="a") as agent, \
            machine.client("operator") as operator:
        at = f"/api/v1/suspensions/{asked['suspension_id']}"
        assert agent.get(at).json()["state"] == "pending"
        r = operator.post(f"{at}/respond", json={"value": "approve"})
        assert r.status_code == 200, r.text
        assert agent.get(f"{at}?wait=5").json()["value"] == "approve"
    live.sound(machine)
