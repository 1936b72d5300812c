"""packaging/compose*.yaml and packaging/kubernetes, read by those who read them:
Debian's docker-compose, the loader of Docker Compose v2 (compose/main.go) and the
schemas of Kubernetes; and against the rules for "restricted" pods."""
import copy
import os
import re
import subprocess

import kubernetes_validate
import pytest
import yaml
from programs import BUILD
from server import TOP

PACKAGING = TOP / "packaging"
COMPOSE = ("compose.yaml", "compose-apart.yaml")
KUBERNETES = sorted((PACKAGING / "kubernetes").glob("*.yaml"))
OLDEST, NEWEST = "1.29", "1.35"
KINDS = ("web", "wait", "tick", "deliver", "seal", "erase")


def read(path):
    return list(yaml.safe_load_all(path.read_text()))


OBJECTS = {(d["kind"], d["metadata"]["name"]): d
           for path in KUBERNETES for d in read(path)}


def pod(d):
    """The specification of the pod of an object; None: it has none."""
    if d["kind"] == "Pod":
        return d["spec"]
    return d["spec"].get("template", {}).get("spec") if "spec" in d else None


PODS = {name: pod(d) for name, d in OBJECTS.items() if pod(d)}
SAYSO = PODS["Deployment", "sayso"]
CONTAINERS = {c["name"]: c for c in SAYSO["containers"]}


# ---- compose -------------------------------------------------------------

def environ():
    done = subprocess.run([PACKAGING / "compose-env"], text=True,
                          capture_output=True, check=True)
    return os.environ | dict(x.split("=", 1) for x in done.stdout.split())


def debian(path):
    return subprocess.run(["docker-compose", "-f", path, "config", "-q"],
                          text=True, capture_output=True, env=environ())


def version_2(path):
    return subprocess.run([BUILD / "compose-reader", path], text=True,
                          capture_output=True, env=environ())


@pytest.mark.parametrize("reader", (debian, version_2))
@pytest.mark.parametrize("name", COMPOSE)
def test_compose_takes_the_file(name, reader, tmp_path):
    done = reader(PACKAGING / name)
    assert done.returncode == 0, done.stderr
    wrong = tmp_path / name
    wrong.write_text((PACKAGING / name).read_text()
                     .replace("read_only: true", "readonly: true"))
    assert "readonly" in reader(wrong).stderr


def test_the_passwords_are_those_of_the_database():
    had = environ()
    said = subprocess.run(
        ["sh", "-c", 'psql() { cat; }; . "$0"', PACKAGING / "compose-passwords"],
        text=True, capture_output=True, check=True,
        env=had | {"POSTGRES_USER": "postgres"}).stdout
    made = dict(re.findall(r"ALTER ROLE sayso_(\w+) PASSWORD '(\w+)'", said))
    assert made == {k: had[f"PASSWORD_{k.upper()}"]
                    for k in ("owner", *KINDS)}


# ---- Kubernetes ----------------------------------------------------------

@pytest.mark.parametrize("version", (OLDEST, NEWEST))
@pytest.mark.parametrize("name", OBJECTS, ids="-".join)
def test_kubernetes_takes_the_object(name, version):
    kubernetes_validate.validate(OBJECTS[name], version, strict=True)


def test_a_wrong_manifest_is_refused():
    for change in (lambda p: p.update(terminationGracePeriod=30),
                   lambda p: p["securityContext"].update(fsGroup="33"),
                   lambda p: p["containers"][0].pop("name")):
        wrong = copy.deepcopy(OBJECTS["Deployment", "sayso"])
        change(pod(wrong))
        with pytest.raises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(wrong, OLDEST, strict=True)


def restricted(spec):
    """The rules of the "restricted" standard for pods, and ours, that a pod
    breaks."""
    shared = spec.get("securityContext", {})
    wrong = [f"{name} of the host" for name in
             ("hostNetwork", "hostPID", "hostIPC") if spec.get(name)]
    wrong += [f"volume {v['name']}" for v in spec.get("volumes", ())
              if not {"emptyDir", "secret", "configMap", "projected"} & v.keys()]
    if spec.get("automountServiceAccountToken", True):
        wrong.append("a token of the cluster")
    if shared.get("sysctls"):
        wrong.append("sysctls")
    for c in spec.get("initContainers", []) + spec["containers"]:
        own = shared | c.get("securityContext", {})
        may = own.get("capabilities", {})
        fine = {
            "runAsNonRoot": own.get("runAsNonRoot") is True,
            "runAsUser": own.get("runAsUser", 0) != 0,
            "allowPrivilegeEscalation":
                own.get("allowPrivilegeEscalation") is False,
            "privileged": not own.get("privileged"),
            "readOnlyRootFilesystem":
                own.get("readOnlyRootFilesystem") is True,
            "capabilities": may.get("drop") == ["ALL"] and not may.get("add"),
            "seccompProfile": own.get("seccompProfile", {}).get("type")
            in ("RuntimeDefault", "Localhost"),
            "hostPort": not any(p.get("hostPort") for p in c.get("ports", ())),
            "env": not any("value" in e and re.search(
                "PASSWORD|SECRET", e["name"]) for e in c.get("env", ())),
        }
        wrong += [f"{c['name']}: {rule}" for rule, ok in fine.items()
                  if not ok]
    return wrong


@pytest.mark.parametrize("name", PODS, ids="-".join)
def test_a_pod_is_restricted(name):
    assert restricted(PODS[name]) == []


@pytest.mark.parametrize("rule, change", (
    ("web: runAsUser", lambda c: c["securityContext"].update(runAsUser=0)),
    ("web: capabilities",
     lambda c: c["securityContext"]["capabilities"].update(add=["CHOWN"])),
    ("web: readOnlyRootFilesystem",
     lambda c: c["securityContext"].pop("readOnlyRootFilesystem")),
    ("web: env",
     lambda c: c["env"].append({"name": "PGPASSWORD", "value": "x"})),
    ("web: seccompProfile", lambda c: c["securityContext"].update(
        seccompProfile={"type": "Unconfined"}))))
def test_a_pod_that_is_not_restricted_is_found(rule, change):
    wrong = copy.deepcopy(SAYSO)
    change(next(c for c in wrong["containers"] if c["name"] == "web"))
    assert restricted(wrong) == [rule]


# ---- apart: in both ------------------------------------------------------

def service(kind):
    return read(PACKAGING / "compose-apart.yaml")[0]["services"][kind]


def test_each_process_is_one_user_and_knows_one_password():
    users, keys = set(), set()
    for kind in KINDS:
        c = CONTAINERS[kind]
        assert c["command"] == ["sayso-container", "only", kind]
        assert service(kind)["command"] == c["command"]
        assert service(kind)["user"] == f"sayso-{kind}"
        users.add(c["securityContext"]["runAsUser"])
        secret = [e["valueFrom"]["secretKeyRef"] for e in c["env"]
                  if "valueFrom" in e]
        assert secret == [{"name": "sayso-database", "key": kind}]
        assert service(kind)["environment"]["PGPASSWORD"] == \
            "${PASSWORD_%s}" % kind.upper()
        keys.add(secret[0]["key"])
    assert len(users) == len(keys) == len(KINDS)
    assert not CONTAINERS["nginx"].get("envFrom")


# The volumes of each container; True: it may write there.
MOUNTS = {"nginx": {"web": False, "wait": False, "nginx": True},
          "web": {"pool": True, "web": True},
          "wait": {"pool": False, "wait": True},
          "tick": {"pool": False}, "deliver": {"pool": False},
          "seal": {"pool": False, "log-key": False}, "erase": {"pool": False}}


def test_only_those_that_meet_mount_the_same():
    for name, wanted in MOUNTS.items():
        assert {m["name"]: not m.get("readOnly") for m in
                CONTAINERS[name]["volumeMounts"]} == wanted
        mounted = [v.split(":") for v in service(name)["volumes"]]
        assert {v[0]: v[2:] != ["ro"] for v in mounted} == {
            k: v for k, v in wanted.items() if k != "nginx"}


def test_the_users_are_those_of_the_image():
    names = [line.split()[1] for line in
             (PACKAGING / "sysusers.d/sayso.conf").read_text().splitlines()
             if line.startswith("u ")]
    number = {name: 10001 + i for i, name in enumerate(names)}
    for kind in KINDS:
        assert CONTAINERS[kind]["securityContext"]["runAsUser"] == \
            number[f"sayso-{kind}"]
    for name in (("Job", "sayso-migrate"), ("Pod", "sayso-admin")):
        assert PODS[name]["containers"][0]["securityContext"]["runAsUser"] == \
            number["sayso-admin"]


def test_the_end_of_a_pod_has_time():
    """nginx, the workers and those who wait go on until the others know; the
    supervisor and nginx then have what they take at most."""
    for name in ("nginx", "web", "wait"):
        pause = CONTAINERS[name]["lifecycle"]["preStop"]["exec"]["command"]
        assert pause == ["sleep", "5"]
    assert SAYSO["terminationGracePeriodSeconds"] >= 5 + 10 + 3 + 5


def test_the_probes():
    assert CONTAINERS["nginx"]["readinessProbe"]["httpGet"]["path"] == \
        "/readyz"
    assert CONTAINERS["web"]["livenessProbe"]["httpGet"]["path"] == "/healthz"
    for name, s in read(PACKAGING / "compose-apart.yaml")[0][
            "services"].items():
        assert ("healthcheck" in s) == (name in ("database", "nginx"))


def test_the_balancer_waits_as_long_as_a_held_call():
    """Of MCP and hooks, which the pools' own nginx holds for so long."""
    text = (PACKAGING / "cluster/balancer.conf").read_text()
    where, wait = re.search(r"(?s)location ~ (\S+) \{[^}]*"
                            r"proxy_read_timeout (\d+)s", text).groups()
    route = (TOP / "src/doors/route.c").read_text()
    longest = {int(n) for n in re.findall(r'"hold:0-(\d+)', route)}
    own = re.findall(r"fastcgi_read_timeout (\d+)s", (
        TOP / "nginx/server.conf.in").read_text())
    assert max(map(int, own)) == int(wait) > max(longest) > 60
    for path in "/mcp", "/hooks/claude", "/hooks/gemini":
        assert re.match(where, path)
