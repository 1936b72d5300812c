"""clients/typescript: the package is built and installed from its tarball, asks
at a real server, and is answered."""
import datetime
import json
import re
import shutil
import subprocess

import kit
import pytest
from asking import asked, decide, signed
from documents import TOP
from programs import BUILD, CLIENTS, NEW_NODE, Program

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.fixture(scope="module")
def running(typescript):
    started = []

    def one():
        if not started or started[-1].busy():  # of a test that failed
            started.append(Program(NEW_NODE, typescript / "client.js"))
        return started[-1]
    yield one
    for program in started:
        program.end()


@pytest.fixture
def do(running, server):
    def do(what, **more):
        return running().run(**{
            "do": what, "url": server.url, "options": {},
            "key": server.env["SAYSO_AGENT_KEY"], **more})
    return do


def test_the_package_holds_what_it_should(typescript):
    installed = typescript / "node_modules/sayso-client"
    names = {str(path.relative_to(installed))
             for path in installed.rglob("*") if path.is_file()}
    source = CLIENTS / "typescript"
    modules = {path.relative_to(source / "src").with_suffix("")
               for path in source.glob("src/**/*.ts")}
    doors = {path.stem for path in source.glob("src/*.mts")}
    assert names == {"package.json", "README.md", "CHANGELOG.md", "LICENSE"} | {
        f"dist/{name}.{end}" for name in modules for end in ("js", "d.ts")} | {
        f"dist/{name}.{end}" for name in doors for end in ("mjs", "d.mts")}
    told = json.loads((installed / "package.json").read_text())
    assert "dependencies" not in told
    assert {"index" if name == "." else name.removeprefix("./")
            for name in told["exports"]} == doors | {"package.json"}
    assert (source / "LICENSE").read_text() == (TOP / "LICENSE").read_text()
    assert not (source / "dist").exists()  # it was built in a copy


def test_a_question_is_answered(do, operator):
    text = f"Which? {kit.new_id()}"
    got = do("ask", question=text, options={"choices": ["red", "blue"]})
    decide(operator, text, "blue", reason="It is nicer.")
    answer = got.result(30)
    assert answer["value"] == "blue" and answer["reason"] == "It is nicer."
    assert not answer["approved"] and not answer["pending"]
    assert answer["id"] == answer["raw"]["suspension_id"]


@pytest.mark.parametrize("value, yes", [("yes", True), ("no", False)])
def test_a_yes_is_approved(do, operator, value, yes):
    text = f"Deploy? {kit.new_id()}"
    got = do("ask", question=text)
    decide(operator, text, value)
    assert got.result(30)["approved"] is yes


def test_the_same_wish_is_asked_once(do, operator):
    text, once = f"Once? {kit.new_id()}", kit.new_id()
    first = do("ask", question=text,
               options={"once": once, "wait": 0}).result(30)
    assert first["pending"] and not first["approved"]
    decide(operator, text, "yes")
    again = do("ask", question=text, options={"once": once}).result(30)
    assert again["id"] == first["id"] and again["approved"]


def test_a_file_goes_with_a_question(do, operator):
    data = f"a log {kit.new_id()}"
    got = do("upload", question="Is it fine?",
             file=[data, "text/plain"]).result(30)
    assert got["same"]
    assert operator.get(f"/api/v1/artifacts/{got['ref']}", params={
        "question": got["id"]}).text == data
    refused = do("upload", question="x", file=[data, "text/html"]).result(30)
    assert refused["code"] == "artifact.type"


def test_silence_is_no(do):
    answer = do("ask", question="Anybody?",
                options={"timeout_seconds": 1}).result(30)
    assert answer["state"] == "expired" and not answer["approved"]


def test_a_refusal_has_the_servers_code(do):
    refused = do("ask", question="x",
                 options={"no_such_member": 1}).result(30)
    assert refused["known"] == ["InvalidRequest"]
    assert (refused["status"], refused["code"], refused["at"]) == \
        (422, "field.unknown", "no_such_member")


def test_a_wrong_address_is_told_at_once(do):
    got = do("ask", question="x", url="http://127.0.0.1:9").result(30)
    assert got["known"] == ["Unreachable"]


def test_it_is_given_up(do, operator):
    """The signal ends the waiting, and nothing else."""
    text = f"Long? {kit.new_id()}"
    got = do("ask", question=text, abort=True).result(30)
    assert got["message"] == "no time left" and got["known"] == []
    assert asked(operator, text)["state"] == "pending"


# --- Functions that need an approval --------------------------------------

def refund_of(do, args=None, **options):
    more = {k: options.pop(k) for k in ("named", "abort") if k in options}
    name = options.setdefault("name", f"refund_{kit.new_id()}")
    return f"Run {name}?", do("refund", approval=options, **more, args=args or {
        "order": "12345", "amount": 50, "tags": ["a"]})


def test_it_runs_after_a_yes_as_it_was_shown(do, operator):
    """The program adds a tag once it has asked."""
    text, got = refund_of(do, severity="low")
    question = decide(operator, text, "approve")
    shown = {"order": "12345", "amount": 50, "tags": ["a"]}
    assert question["subject"]["target"] == "order 12345"
    assert question["subject"]["calls"][0]["args"] == shown
    assert got.result(30) == {"ran": [shown], "result": "done"}


def test_it_does_not_run_after_a_no(do, operator):
    text, got = refund_of(do)
    decide(operator, text, "reject", reason="It was refunded before.")
    got = got.result(30)
    assert got["ran"] == [] and got["known"] == ["Denied"]
    assert got["message"] == "It was refunded before."


@pytest.mark.parametrize("options", [{"timeout_seconds": 1}, {"wait": 0.1}])
def test_it_does_not_run_when_nobody_answers(do, options):
    got = refund_of(do, **options)[1].result(30)
    assert got["ran"] == [] and got["known"] == ["Denied"]
    assert got["message"] == "Nobody answered in time. That is not a yes."


def test_it_does_not_run_when_it_was_withdrawn(do, operator, agent):
    text, got = refund_of(do)
    question = asked(operator, text)
    r = agent.post(f"/api/v1/suspensions/{question['suspension_id']}/cancel",
                   json={})
    assert r.status_code == 200, r.text
    assert got.result(30)["message"] == "The question was withdrawn."


def test_a_person_changes_the_arguments(do, operator):
    text, got = refund_of(do, edit=True)
    subject = asked(operator, text)["subject"]
    subject["calls"][0]["args"]["amount"] = 20
    decide(operator, text, "edit", subject=subject,
           reason="Twenty is enough.")
    assert [a["amount"] for a in got.result(30)["ran"]] == [20]


def test_another_tool_is_another_call(do, operator):
    text, got = refund_of(do, edit=True)
    subject = asked(operator, text)["subject"]
    subject["calls"][0]["tool"] = "refund_half"
    decide(operator, text, "edit", subject=subject, reason="Half of it.",
           typed="order 12345")
    got = got.result(30)
    assert got["ran"] == [] and "another call" in got["message"]


def test_the_name_of_the_wish_comes_from_the_arguments(do, operator):
    name = f"once_{kit.new_id()}"
    args = {"order": "1"}
    ids = {refund_of(do, args, name=name, named=True,
                     wait=0)[1].result(30)["id"] for _ in range(2)}
    assert len(ids) == 1
    decide(operator, f"Run {name}?", "approve")
    got = refund_of(do, args, name=name, named=True, wait=0)[1].result(30)
    assert got["ran"] == [args]


def test_arguments_have_to_be_shown(do):
    got = do("badArguments").result(30)
    assert got == ["TypeError"] * 8 + ["RangeError"]


def test_the_functions_of_the_module(do, operator):
    text = f"Double? {kit.new_id()}"
    got = do("module", question=text)
    question = decide(operator, text, "approve")
    assert question["subject"]["calls"] == [
        {"tool": "double", "args": {"x": 21}}]
    got = got.result(30)
    assert got["doubled"] == 42 and got["pending"]
    assert got["raw"]["asked_by"] == "refunds-agent"


# --- Webhooks -------------------------------------------------------------

def test_a_push_is_verified(do):
    body = json.dumps({"type": "x", "data": {"ä": 1}})
    headers = signed(body, SECRET)
    good = do("webhook", push=[body, headers, SECRET]).result(30)
    assert good == [json.loads(body)] * 2
    old = datetime.timedelta(seconds=400)
    for bad in ([body + " ", headers, SECRET],
                [body, signed(body, SECRET, old), SECRET],
                [body, headers, "whsec_" + "A" * 32],
                [body, headers, "whsec_?"],
                [body, {}, SECRET],
                [body, {**headers, "webhook-timestamp": "x"}, SECRET]):
        got = do("webhook", push=bad).result(30)
        assert got["known"] == ["InvalidSignature"], bad
    two = {**headers, "webhook-signature":
           "v1,AAAA " + headers["webhook-signature"]}
    assert do("webhook", push=[body, two, SECRET]).result(30) == good


# --- Public members --------------------------------------------------------

MEMBERS = CLIENTS / "members.json"
READ = r"""
import * as sayso from "sayso-client";
import * as testing from "sayso-client/testing";
const { Answer, Client, Denied } = sayso;
function members(one) {
    const names = new Set();
    for (let at = one; at && ![Object, Error].some((c) => at === c.prototype);
         at = Object.getPrototypeOf(at))
        for (const name of Object.getOwnPropertyNames(at))
            names.add(name);
    return [...names].filter((name) => ![
        "constructor", "name", "stack", "message", "cause"].includes(name));
}
const client = new Client({ url: "http://127.0.0.1:1", key: "x" });
const answer = new Answer({ suspension_id: "1", state: "expired" });
const kinds = Object.values(sayso).filter((one) =>
    one === sayso.SaysoError || sayso.SaysoError.isPrototypeOf(one));
const made = (kind) => kind === Denied ? new Denied(answer)
    : kind.prototype instanceof sayso.ApiError || kind === sayso.ApiError
        ? new kind(400, {}) : new kind("x");
const fake = await testing.FakeServer.start([]);
const real = await testing.RealServer.start([], {
    url: fake.url, key: fake.key });
console.log(JSON.stringify({
    module: Object.keys(sayso).filter((name) =>
        /^[a-z][A-Za-z]*$|^VERSION$/.test(name)),
    client: members(client), answer: members(answer),
    feed: members(client.feed()),
    errors: Object.fromEntries(kinds.map((kind) =>
        [kind.name, members(made(kind))])),
    testing: Object.keys(testing).filter((name) => /^[A-Za-z]+$/.test(name)),
    fake: members(fake), real: members(real) }));
await real.stop();
await fake.stop();
"""
TYPES = """
import type {
    ApprovalOptions, AskOptions, CallOptions, ClientOptions, Question,
} from "sayso-client";
type Same<A, B> = [A, B] extends [B, A] ? true : { here: Exclude<A, B>;
                                                   missing: Exclude<B, A> };
type Own<T> = Exclude<keyof T, keyof Question | "signal">;
"""


def snake(name):
    return re.sub("[A-Z]", lambda c: f"_{c[0].lower()}", name).lstrip("_")


def camel(name):
    return re.sub("_(.)", lambda c: c[1].upper(), name)


def test_its_members_are_those_of_both_packages(typescript):
    both = json.loads(MEMBERS.read_text())
    file = typescript / "members.mjs"
    file.write_text(READ)
    here = json.loads(subprocess.check_output([NEW_NODE, file], text=True))

    def names(those):
        return sorted("version" if one == "VERSION" else snake(one)
                      for one in those)
    for group in ("module", "client", "answer", "feed"):
        assert names(here[group]) == sorted(both[group]), group
    assert {kind: names(those) for kind, those in here["errors"].items()} == \
        {kind: sorted(those) for kind, those in both["errors"].items()}
    assert sorted(here["testing"]) == sorted(set(both["testing"]) - {"Reply"})
    for server in ("fake", "real"):
        assert names(here[server]) == sorted([*both["servers"], "stop"])


def test_its_options_are_those_of_both_packages(typescript):
    both = json.loads(MEMBERS.read_text())
    code = TYPES
    for name, type_ in (("question", "keyof Question"),
                        ("ask_options", "Own<AskOptions>"),
                        ("call_options", "Own<CallOptions>"),
                        ("approval_options", "Own<ApprovalOptions>"),
                        ("client_options", "keyof ClientOptions")):
        wanted = " | ".join(json.dumps(
            one if name == "question" else "fetch" if one == "http_client"
            else camel(one)) for one in both[name])
        code += f"export const {name}: Same<{type_}, {wanted}> = true;\n"
    file = typescript / "members.ts"
    file.write_text(code)
    done = subprocess.run(
        [NEW_NODE, NEW_NODE.parents[2] / "typescript/bin/tsc", "--noEmit",
         "-p", typescript], text=True, capture_output=True)
    file.unlink()
    assert done.returncode == 0, done.stdout


# --- As its author and its users have it -------------------------------------

TOOLS, LINT = BUILD / "node-typescript", BUILD / "node-lint"


@pytest.fixture(scope="module")
def package():
    """The package as its author has it, with its tools."""
    assert all((at / "node_modules").exists() for at in (TOOLS, LINT)), \
        "./check compat installs the tools"
    made = TOOLS / "made"
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(CLIENTS / "typescript", made)
    (made / "lint/node_modules").symlink_to(LINT / "node_modules")
    yield made
    shutil.rmtree(made)


def test_its_own_tests_pass(package):
    """Among them the programs of users under tsc --strict."""
    done = subprocess.run(["npm", "test", "--silent"], cwd=package, text=True,
                          capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n# fail 0\n" in done.stdout and "good_ask.mts" in done.stdout


def test_it_is_clean(package):
    """eslint, and attw for the types of both kinds of modules."""
    done = subprocess.run(["npm", "run", "--silent", "lint"], text=True,
                          cwd=package / "lint", capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No problems found" in done.stdout


USER = {
    "module": ("index.mts", "node16", """
import { Client, Denied } from "sayso-client";
import { approve, FakeServer } from "sayso-client/testing";
"""),
    "commonjs": ("index.cts", "node16", """
import { Client, Denied } from "sayso-client";
import { approve, FakeServer } from "sayso-client/testing";
"""),
    "old commonjs": ("index.ts", "node10", """
import { Client, Denied } from "sayso-client";
import { approve, FakeServer } from "sayso-client/testing";
""")}
RUNS = """
async function main(): Promise<void> {
    const server = await FakeServer.start([approve]);
    const client = new Client({ url: server.url, key: server.key });
    const refund = client.requireApproval(
        async (args: { order: string }) => `refunded ${args.order}`,
        { name: "refund" });
    console.log(await refund({ order: "1" }), Denied.name);
    await server.stop();
}
void main();
"""


@pytest.mark.parametrize("kind", USER)
def test_it_is_installed_in_a_clean_folder(typescript, tmp_path, kind):
    name, resolution, imports = USER[kind]
    [tarball] = typescript.glob("sayso-client-*.tgz")
    (tmp_path / "package.json").write_text(json.dumps({
        "private": True,
        "type": "module" if kind == "module" else "commonjs"}))
    subprocess.run(["npm", "install", "--offline", "--no-audit", "--no-fund",
                    tarball], cwd=tmp_path, check=True)
    (tmp_path / name).write_text(imports + RUNS)
    (tmp_path / "node_modules/@types").symlink_to(TOOLS / "node_modules/@types")
    (tmp_path / "node_modules/undici-types").symlink_to(
        TOOLS / "node_modules/undici-types")
    old = resolution == "node10"
    done = subprocess.run(
        ["node", LINT / "node_modules/typescript/bin/tsc", "--strict",
         "--target", "es2022", "--types", "node",
         *(("--module", "commonjs", "--moduleResolution", "node10",
            "--ignoreDeprecations", "6.0") if old else
           ("--module", resolution)), tmp_path / name],
        cwd=tmp_path, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout
    for node in ("node", NEW_NODE):
        said = subprocess.check_output(
            [node, tmp_path / name.replace("ts", "js")], text=True)
        assert said == "refunded 1 Denied\n"
