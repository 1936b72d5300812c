"""packaging/Containerfile is built, and started beside a PostgreSQL as
packaging/compose.yaml starts it."""
import concurrent.futures
import re

import databases
import engine
import httpx
import kit
import pytest
import yaml

from server import TOP, free_port

COMPOSE = yaml.safe_load((TOP / "packaging/compose.yaml").read_text())
SERVICE = COMPOSE["services"]["sayso"]


@pytest.fixture(scope="module")
def container(image, database):
    port = free_port()
    given = {"DATABASE_HOST": "127.0.0.1",
             "DATABASE_SECRET": databases.SECRET,
             "SAYSO_PUBLIC_URL": f"http://127.0.0.1:{port}",
             "SAYSO_LOG_KEY": SERVICE["environment"]["SAYSO_LOG_KEY"]}
    assert SERVICE["environment"].keys() == given.keys()
    one = engine.Container("sayso-of-the-tests", SERVICE, **given,
                           DATABASE_PORT=database.port,
                           SAYSO_LISTEN=f"127.0.0.1:{port}",
                           SAYSO_MONITOR=f"127.0.0.1:{free_port()}")
    one.url, one.port = given["SAYSO_PUBLIC_URL"], port
    yield one
    one.remove()
    engine.call(*engine.engine(), "volume", "rm", "-f",
                engine.prefixed("log-key"))


def ready(container):
    assert container.running(), container.log()
    try:
        return httpx.get(f"{container.url}/readyz",
                         timeout=60).status_code == 200
    except httpx.TransportError:
        return False


def key(container, *args):
    done = container.command("sayso", "key", "create", *args)
    assert done.returncode == 0, done.stdout + done.stderr
    return httpx.Client(base_url=container.url, headers={
        "X-API-Key": done.stdout.strip(), "X-Agent-ID": "refunds-agent"},
                        timeout=60)


def test_it_serves(container):
    kit.wait_for(lambda: ready(container), 120)
    assert container.command("sayso-container", "healthy",
                             user="root").returncode == 0
    for listen in ("{}", "0.0.0.0:{}", "*:{}", "localhost:{}"):
        done = engine.call(*engine.engine(), "exec", "-e",
                           f"SAYSO_LISTEN={listen.format(container.port)}",
                           container.name, "sayso-container", "healthy")
        assert done.returncode == 0, (listen, done.stderr)
    assert "Sign in" in httpx.get(f"{container.url}/login", timeout=60).text
    assert httpx.get(f"{container.url}/static/app.css",
                     timeout=60).status_code == 200


def test_a_question_is_asked_and_answered(container):
    agent = key(container, "--role", "agent", "--label", "a", "--agent", "*")
    operator = key(container, "--role", "operator", "--label", "o")
    asked = kit.ask(agent)
    assert asked["url"].startswith(container.url)
    assert kit.answer(operator, asked).status_code == 200
    read = f"/api/v1/suspensions/{asked['suspension_id']}?wait=50"
    assert agent.get(read).json()["value"] == "approve"


def test_each_process_is_its_own_user(container):
    done = container.command("sayso", "doctor", user="root")
    # No key of the log was mounted.
    wrong = re.findall("^WRONG .*", done.stdout, re.M)
    assert len(wrong) == 1 and "the log has a current key" in wrong[0], \
        done.stdout + done.stderr
    for kind in ("web", "wait", "tick", "deliver", "seal"):
        line = f"ok     sayso-{kind} is sayso_{kind} and nobody else"
        assert line in done.stdout, done.stdout
    assert container.command("cat", "/run/sayso-conf/owner.pgpass",
                             user="sayso-web").returncode != 0
    for user, may in (("sayso-web", False), ("root", True)):
        seen = container.command("cat", "/proc/1/environ", user=user)
        assert (seen.returncode == 0) == may


def test_the_log_gets_a_key_as_the_manual_says(container):
    block = engine.code("operations/containers.md", "exec sayso sh -c")
    made = re.search("'(.*)'", block, re.S)[1]
    done = container.command("sh", "-c", made, user="root")
    assert done.returncode == 0, done.stdout + done.stderr
    auditor = key(container, "--role", "auditor", "--label", "log")
    kit.wait_for(
        lambda: auditor.get("/log/checkpoint").status_code == 200, 30)
    seen = container.command("cat", "/var/lib/sayso/log.key", user="sayso-web")
    assert "Permission denied" in seen.stderr


def waiting(container):
    return int(re.search(r'sayso_waiting\{as="read"\} (\d+)',
                         httpx.get(f"{container.url}/metrics",
                                   timeout=60).text)[1])


def test_a_stop_answers_those_who_wait_and_keeps_the_data(container):
    agent = key(container, "--role", "agent", "--label", "b", "--agent", "*")
    asked = kit.ask(agent)
    read = f"/api/v1/suspensions/{asked['suspension_id']}"
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        held = [pool.submit(agent.get, f"{read}?wait=50", timeout=60)
                for _ in range(20)]
        kit.wait_for(lambda: waiting(container) == 20)
        container.stop()
        got = [h.result(60) for h in held]
    assert [(r.status_code, r.json()["state"]) for r in got] == \
        [(200, "pending")] * 20
    assert container.state("ExitCode") == "0", container.log()
    container.start()
    kit.wait_for(lambda: ready(container), 120)
    told = agent.get(f"/api/v1/suspensions/{asked['suspension_id']}").json()
    assert told["state"] == "pending"


def test_nothing_of_the_image_can_be_written(container):
    done = container.command("touch", "/usr/x", "/etc/x", "/tmp/x",
                             user="root")
    assert done.stderr.count("Read-only file system") == 3
    assert container.command("touch", "/run/x", user="root").returncode == 0


def test_the_capabilities_are_those_of_the_compose_file(container):
    status = container.command("cat", "/proc/1/status", user="root").stdout
    assert bin(int(re.search(r"CapBnd:\s*(\w+)", status)[1], 16)).count("1") \
        == len(SERVICE["cap_add"])
    assert re.search(r"NoNewPrivs:\s*1", status)


def test_it_ends_when_a_process_of_it_ends(container):
    # The command may be ended with its container, by the same signal.
    assert container.command("sh", "-c", "kill -KILL $(cat "
                             "/run/nginx/nginx/nginx.pid)",
                             user="root").returncode in (0, 137)
    kit.wait_for(lambda: not container.running())
    assert container.state("ExitCode") == "1"
    assert "a process ended" in container.log()
