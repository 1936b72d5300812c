"""clients/python: the package asks at a real server, and is answered."""
import asyncio
import base64
import concurrent.futures
import datetime
import hmac
import json
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import threading
import zipfile

import httpx
import kit
import pytest
from asking import asked, decide, signed
from programs import BUILD, CLIENTS, load_python

SOURCE = CLIENTS / "python"
sayso = load_python()


@pytest.fixture
def client(server):
    return sayso.Client(server.url, server.env["SAYSO_AGENT_KEY"],
                        "refunds-agent")


class Pool:
    """Threads that no test waits for when it has failed."""

    def submit(self, function, *args, **more):
        future = concurrent.futures.Future()

        def run():
            try:
                future.set_result(function(*args, **more))
            except BaseException as error:
                future.set_exception(error)
        threading.Thread(target=run, daemon=True).start()
        return future


@pytest.fixture
def pool():
    return Pool()


def blocking(client, *args, **more):
    return client.ask(*args, **more)


def waiting(client, *args, **more):
    return asyncio.run(client.aask(*args, **more))


WAYS = pytest.mark.parametrize("way", [blocking, waiting])


@WAYS
def test_a_question_is_answered(client, operator, pool, way):
    text = f"Which? {kit.new_id()}"
    got = pool.submit(way, client, text, choices=["red", "blue"])
    decide(operator, text, "blue", reason="It is nicer.")
    answer = got.result(30)
    assert answer.value == "blue" and answer.reason == "It is nicer."
    assert not answer.approved and not answer.pending
    assert answer.id == answer.raw["suspension_id"]
    with pytest.raises(AttributeError):
        answer.no_such_member


@WAYS
@pytest.mark.parametrize("value, yes", [("yes", True), ("no", False)])
def test_a_yes_is_approved(client, operator, pool, way, value, yes):
    text = f"Deploy? {kit.new_id()}"
    got = pool.submit(way, client, text)
    decide(operator, text, value)
    assert got.result(30).approved is yes


@WAYS
def test_the_same_wish_is_asked_once(client, operator, pool, way):
    text, once = f"Once? {kit.new_id()}", kit.new_id()
    first = way(client, text, once=once, wait=0)
    assert first.pending and not first.approved
    decide(operator, text, "yes")
    again = way(client, text, once=once)
    assert again.id == first.id and again.approved


@WAYS
def test_silence_is_no(client, way):
    answer = way(client, "Anybody?", timeout_seconds=1)
    assert answer.state == "expired" and not answer.approved


@WAYS
def test_a_refusal_has_the_servers_code(client, way):
    with pytest.raises(sayso.InvalidRequest) as refused:
        way(client, "x", no_such_member=1)
    assert refused.value.status == 422 and refused.value.request_id
    assert refused.value.code == "field.unknown"
    assert refused.value.at == "no_such_member"


def uploading(client, *args):
    return client.upload(*args)


def aupload(client, *args):
    return asyncio.run(client.aupload(*args))


@pytest.mark.parametrize("way", [uploading, aupload])
def test_a_file_goes_with_a_question(client, operator, way):
    data = f"a log {kit.new_id()}".encode()
    ref = way(client, data, "text/plain")
    asked = client.ask("Is it fine?", wait=0,
                       evidence=[{"title": "The log", "ref": ref}])
    assert operator.get(f"/api/v1/artifacts/{ref}", params={
        "question": asked.id}).content == data
    with pytest.raises(sayso.ApiError) as refused:
        way(client, data, "text/html")
    assert refused.value.code == "artifact.type"
    with pytest.raises(sayso.Unreachable):
        way(sayso.Client("http://127.0.0.1:1", "x"), data, "text/plain")


@WAYS
def test_a_wrong_address_is_told_at_once(way):
    with pytest.raises(sayso.Unreachable):
        way(sayso.Client("http://127.0.0.1:1", "x"), "x")


def test_a_server_that_goes_away_is_waited_for(client, operator, pool,
                                               monkeypatch):
    """After the first answer a lost connection is tried again."""
    text, lost = f"Back? {kit.new_id()}", []
    real = httpx.Client.request

    def request(self, method, url, **more):
        if "?wait=" in url and len(lost) < 2:
            lost.append(url)
            raise httpx.ConnectError("gone")
        return real(self, method, url, **more)
    monkeypatch.setattr(httpx.Client, "request", request)
    monkeypatch.setattr(sayso._requests, "pause_after", lambda *_: 0.01)
    got = pool.submit(client.ask, text)
    decide(operator, text, "yes")
    assert got.result(30).approved and len(lost) == 2


def test_a_wait_ends_though_the_server_is_away(client, monkeypatch):
    """Also where it is too busy to be asked."""
    real = httpx.Client.request

    def request(self, method, url, **more):
        if method == "GET":
            raise httpx.ConnectError("gone")
        return real(self, method, url, **more)
    monkeypatch.setattr(httpx.Client, "request", request)
    assert client.ask("Anybody?", wait=0.1).pending
    monkeypatch.setattr(httpx.Client, "request",
                        lambda *args, **more: httpx.Response(503))
    with pytest.raises(sayso.Unreachable):
        client.ask("Anybody?", wait=0.1)


def test_many_wait_at_once(server, operator):
    """Over few connections, and the loop goes on."""
    name, ids, most = f"agent-{kit.new_id()}", [], []
    key = server.key("agent", "--agent", name)

    def sockets():
        return sum(fd.is_socket() for fd in pathlib.Path(
            "/proc/self/fd").iterdir())

    def answer_all():
        for one in ids:
            kit.made(operator.post(f"/api/v1/suspensions/{one}/respond",
                                   json={"value": "yes"}), 200)

    async def main():
        client = sayso.Client(server.url, key, name,
                              on_asked=lambda one: ids.append(one.id))
        tasks = [asyncio.ensure_future(client.aask(f"{n}?"))
                 for n in range(100)]
        while len(ids) < len(tasks):
            await asyncio.sleep(0.1)
            most.append(sockets())
        answering = asyncio.to_thread(answer_all)
        answers, _ = await asyncio.gather(asyncio.gather(*tasks), answering)
        await client.aclose()
        return answers
    before = sockets()
    answers = asyncio.run(asyncio.wait_for(main(), 120))
    assert [one.question for one in answers] == [f"{n}?" for n in range(100)]
    assert all(one.approved for one in answers)
    assert max(most) - before < 50


# --- Functions that need an approval --------------------------------------

def refund_of(client, ran, **more):
    name = f"refund_{kit.new_id()}"

    @client.require_approval(name=name, target="order {order}", **more)
    def refund(order, amount=1.5, tags=()):
        ran.append((order, amount))
        return "done"
    return f"Run {name}?", refund


def test_it_runs_after_a_yes(client, operator, pool):
    ran = []
    text, refund = refund_of(client, ran, severity="low")
    got = pool.submit(refund, "12345", amount=50, tags=["a"])
    question = asked(operator, text)
    assert question["subject"]["target"] == "order 12345"
    assert question["subject"]["calls"][0]["args"] == {
        "order": "12345", "amount": 50, "tags": ["a"]}
    assert ran == []
    decide(operator, text, "approve")
    assert got.result(30) == "done" and ran == [("12345", 50)]


@pytest.mark.parametrize("value", ["reject", None])
def test_it_does_not_run_without(client, operator, pool, value):
    ran = []
    text, refund = refund_of(client, ran,
                             **({} if value else {"wait": 0}))
    got = pool.submit(refund, "12345", tags=[])
    if value:
        decide(operator, text, value)
    with pytest.raises(sayso.Denied) as no:
        got.result(30)
    assert ran == [] and no.value.answer.id and str(no.value)


def test_a_coroutine_waits(client, operator, pool):
    name, ran = f"async_{kit.new_id()}", []

    @client.require_approval(name=name)
    async def act(x):
        ran.append(x)
        return x
    got = pool.submit(lambda: asyncio.run(act(7)))
    decide(operator, f"Run {name}?", "approve")
    assert got.result(30) == 7 and ran == [7]


def test_what_runs_is_what_was_shown(client, operator, pool):
    """Arguments that change meanwhile change nothing."""
    name, ran = f"list_{kit.new_id()}", []

    @client.require_approval(name=name)
    def act(rows):
        ran.append(rows)
    rows = [1]
    got = pool.submit(act, rows)
    asked(operator, f"Run {name}?")
    rows.append(2)
    decide(operator, f"Run {name}?", "approve")
    got.result(30)
    assert ran == [[1]]


def test_a_person_changes_the_arguments(client, operator, pool):
    ran = []
    text, refund = refund_of(client, ran, edit=True)
    got = pool.submit(refund, "12345", amount=50, tags=[])
    subject = asked(operator, text)["subject"]
    subject["calls"][0]["args"]["amount"] = 20
    edited = decide(operator, text, "edit", subject=subject,
                    reason="Twenty is enough.")
    assert got.result(30) == "done" and ran == [("12345", 20)]
    read = operator.get(f"/api/v1/suspensions/{edited['suspension_id']}")
    answer = sayso.Answer(read.json())
    assert answer.modified and answer.approved_subject == subject
    assert not answer.approved


def test_another_tool_is_another_call(client, operator, pool):
    """A person may change that too; the function is none of it."""
    ran = []
    text, refund = refund_of(client, ran, edit=True)
    got = pool.submit(refund, "12345", tags=[])
    subject = asked(operator, text)["subject"]
    subject["calls"][0]["tool"] = "refund_half"
    decide(operator, text, "edit", subject=subject, reason="Half of it.",
           typed="order 12345")
    with pytest.raises(sayso.Denied, match="another call"):
        got.result(30)
    assert ran == []


def approve_call(client, *args, **more):
    return client.approve_call(*args, **more)


def aapprove_call(client, *args, **more):
    return asyncio.run(client.aapprove_call(*args, **more))


@pytest.mark.parametrize("way", [approve_call, aapprove_call])
def test_a_call_by_its_id_and_arguments(client, operator, way):
    tool = f"tool_{kit.new_id()}"
    asked_of = {}
    for call in (("1", 5), ("1", 5), ("2", 5), ("1", 6)):
        with pytest.raises(sayso.Denied, match="Nobody answered") as no:
            way(client, tool, {"x": call[1]}, call_id=call[0], wait=0)
        asked_of.setdefault(no.value.answer.id, set()).add(call)
    assert list(asked_of.values()) == [{("1", 5)}, {("2", 5)}, {("1", 6)}]


def test_named_arguments_are_shown_by_their_names(client, operator, pool):
    name, ran = f"named_{kit.new_id()}", []

    @client.require_approval(name=name, target="{who}")
    def act(**named):
        ran.append(named)
    got = pool.submit(act, who="Mara", amount=5)
    question = decide(operator, f"Run {name}?", "approve")
    assert question["subject"]["target"] == "Mara"
    got.result(30)
    assert ran == [{"who": "Mara", "amount": 5}]


def test_an_answer_for_something_else_is_no(client, operator, pool,
                                            monkeypatch):
    ran = []
    text, refund = refund_of(client, ran)
    monkeypatch.setattr(sayso._calls, "sha256", lambda text: "0" * 64)
    got = pool.submit(refund, "12345", tags=[])
    decide(operator, text, "approve")
    with pytest.raises(sayso.Denied):
        got.result(30)
    assert ran == []


def test_the_name_of_the_wish_comes_from_the_arguments(client, operator):
    name = f"once_{kit.new_id()}"

    @client.require_approval(name=name, wait=0,
                             once=lambda order: f"{name}:{order}")
    def act(order):
        return order
    ids = set()
    for _ in range(2):
        with pytest.raises(sayso.Denied) as no:
            act("1")
        ids.add(no.value.answer.id)
    assert len(ids) == 1
    decide(operator, f"Run {name}?", "approve")
    assert act("1") == "1"


def test_arguments_have_to_be_shown(client):
    _, refund = refund_of(client, [])
    for bad in (object(), {1: 2}, (1, 2)):
        with pytest.raises(TypeError):
            refund(bad, tags=[])


def test_the_functions_of_the_module(server, operator, pool, monkeypatch):
    monkeypatch.setenv("SAYSO_URL", server.url)
    monkeypatch.setenv("SAYSO_AGENT_KEY", server.env["SAYSO_AGENT_KEY"])
    monkeypatch.setenv("SAYSO_AGENT", "refunds-agent")
    name = f"module_{kit.new_id()}"

    @sayso.require_approval(name=name, severity="low")
    def act(x):
        return x
    got = pool.submit(act, 1)
    decide(operator, f"Run {name}?", "approve")
    assert got.result(30) == 1

    @sayso.require_approval(name=f"{name}_async")
    async def act_later(x):
        return x
    got = pool.submit(lambda: asyncio.run(act_later(2)))
    decide(operator, f"Run {name}_async?", "approve")
    assert got.result(30) == 2
    assert sayso.ask("x?", wait=0).pending
    assert asyncio.run(sayso.aask("x?", wait=0)).asked_by == "refunds-agent"


# --- Webhooks and the package ---------------------------------------------

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_a_push_is_verified():
    body = json.dumps({"type": "x", "data": {"ä": 1}})
    headers = signed(body, SECRET)
    verify = sayso.verify_webhook
    assert verify(body.encode(), headers, SECRET) == json.loads(body)
    old = datetime.timedelta(seconds=400)
    other = "whsec_" + "A" * 32
    told = {name.lower(): value for name, value in headers.items()}
    text = f"{told['webhook-id']}.{told['webhook-timestamp']}.{body}"
    unkeyed = {**told, "webhook-signature": "v1," + base64.b64encode(
        hmac.digest(b"", text.encode(), "sha256")).decode()}
    for bad in ((body.encode() + b" ", headers, SECRET),
                (body.encode(), signed(body, SECRET, old), SECRET),
                (body.encode(), headers, other),
                (body.encode(), headers, "whsec_?"),
                (body.encode(), unkeyed, "whsec_"),
                (body.encode(), unkeyed, ""),
                (body.encode(), {}, SECRET),
                (body.encode(), {**headers, "webhook-timestamp": "x"},
                 SECRET)):
        with pytest.raises(sayso.InvalidSignature):
            verify(*bad)
    two = {**headers, "webhook-signature":
           "v1,AAAA " + headers["webhook-signature"]}
    assert verify(body.encode(), two, SECRET)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A clean environment with the wheel and what it needs, and behind them
    the tools of these tests; and a folder with all of the package but its
    source."""
    at = tmp_path_factory.mktemp("wheel")

    def run(*command, cwd=at):
        done = subprocess.run(list(map(str, command)), cwd=cwd,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
    # A copy, because a build leaves files in the source.
    shutil.copytree(SOURCE, at / "source")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps",
        "--disable-pip-version-check", "-w", "out", "./source")
    [wheel] = (at / "out").iterdir()
    run(sys.executable, "-m", "venv", "venv")
    run("venv/bin/pip", "install", "-q", "--disable-pip-version-check", wheel)
    run("venv/bin/python", "-c", "import httpx, sayso.testing")
    [place] = (at / "venv/lib").glob("python*/site-packages")
    (place / "tools.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    shutil.copytree(SOURCE, at / "here",
                    ignore=shutil.ignore_patterns("sayso"))
    return wheel, at / "venv/bin", at / "here", run


def test_the_wheel_has_all_of_it(installed):
    wheel, programs, here, run = installed
    names = zipfile.ZipFile(wheel).namelist()
    assert {f"sayso/{path.name}" for path in (SOURCE / "sayso").glob("*.*")
            } == {name for name in names if name.startswith("sayso/")}
    assert any(name.endswith("/licenses/LICENSE") for name in names)
    assert (SOURCE / "LICENSE").read_text() == (
        CLIENTS.parent / "LICENSE").read_text()
    said = run(programs / "python", "-c", "import sayso; "
               "print(sayso.__version__, sayso.__file__)", cwd=here)
    version, file = said.split()
    assert wheel.name.startswith(f"sayso_client-{version}-")
    assert "site-packages" in file
    assert f"## {version}," in (SOURCE / "CHANGELOG.md").read_text()


def test_the_packages_own_tests_pass(installed):
    _, programs, here, run = installed
    said = run(programs / "python", "-m", "pytest", "-q", "-rs", cwd=here)
    assert " passed" in said and "skipped" not in said


def test_the_package_is_clean(installed):
    """Types, rules and form, as its pyproject.toml wants them."""
    _, _, here, run = installed
    for check in (["check"], ["format", "--check"]):
        run(sys.executable, "-m", "ruff", *check, "--no-cache", ".", cwd=SOURCE)
    run(sys.executable, "-m", "venv", "--without-pip", here / "typed")
    [place] = (here / "typed/lib").glob("python*/site-packages")
    (place / "frameworks.pth").write_text(f"{BUILD / 'python-frameworks'}\n")
    run(sys.executable, "-m", "mypy", "--cache-dir", BUILD / "mypy-cache",
        "--python-executable", here / "typed/bin/python", "sayso", cwd=SOURCE)
