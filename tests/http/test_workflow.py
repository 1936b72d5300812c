"""Workflow inputs and outputs of OpenIntent: a step is claimed when its inputs
are there, and completed with its outputs. The numbers are those of the list of
tests that they were planned with."""

import pytest
from kit import (answer, ask, get, new_intent, patch, refused, set_status,
                 types)


def phase(agent, title, depends_on=(), **state):
    """An intent that is a step of a workflow."""
    r = agent.post("/api/v1/intents", json={
        "title": title, "state": state,
        "depends_on": [d["id"] for d in depends_on]})
    assert r.status_code == 201, r.text
    return r.json()


def claim(client, intent, scope="work"):
    return client.post(f"/api/v1/intents/{intent['id']}/leases",
                       json={"scope": scope})


def end(agent, intent, **state):
    """Completes a step with these outputs."""
    now = get(agent, intent)
    if now["status"] == "draft":
        now = set_status(agent, now, "active").json()
    if state:
        now = patch(agent, now, *[
            {"op": "set", "path": f"/{k}", "value": v}
            for k, v in state.items()]).json()
    return set_status(agent, now, "completed")


def detail(response, code, error):
    body = refused(response, 422, code)
    assert body["detail"]["error"] == error
    assert body["detail"]["message"] == body["message"]
    return body["detail"]


def upstream(response):
    return detail(response, "io.upstream_suspended",
                  "UpstreamIntentSuspendedError")


def unresolvable(response):
    found = detail(response, "io.unresolvable", "UnresolvableInputError")
    return found["unresolvable_refs"]


INPUTS = {"findings": "research.findings"}


# --- Inputs ---------------------------------------------------------------

def test_W1_a_claim_waits_for_the_suspended_upstream(agent, operator):
    research = phase(agent, "Research the case")
    step = phase(agent, "Write", [research], _io_inputs=INPUTS,
                 _io_dep_title_to_name={"Research the case": "research"})
    set_status(agent, research, "active")
    asked = ask(agent, intent_id=research["id"], timeout_seconds=3600)
    before = types(agent, step["id"])
    found = upstream(claim(agent, step))
    assert found["suspended_intent_id"] == research["id"]
    assert found["reason"] == "upstream_intent_suspended"
    assert found["rule"] == "io_inputs" and found["task_id"] == step["id"]
    assert found["phase_name"] == "Write"
    assert asked["expires_at"].startswith(found["expected_resume_at"][:19])
    assert types(agent, step["id"]) == before  # agents try in a loop

    answer(operator, asked, "approve")
    assert unresolvable(claim(agent, step)) == ["research.findings"]
    assert unresolvable(claim(agent, step)) == ["research.findings"]
    assert types(agent, step["id"]) == before + ["governance.violation"]
    assert end(agent, research, findings=None).status_code == 200
    assert claim(agent, step).status_code == 201


def test_W1_of_two_the_first_is_named(agent):
    one, two = phase(agent, "one"), phase(agent, "two")
    step = phase(agent, "three", [two, one],
                 _io_inputs={"a": "one.x", "b": "two.x"})
    for intent in (two, one):
        set_status(agent, intent, "active")
        ask(agent, intent_id=intent["id"])
    found = upstream(claim(agent, step))
    assert found["suspended_intent_id"] == one["id"]
    assert found["expected_resume_at"] is None


def test_another_dependency_may_be_suspended(agent):
    used, other = phase(agent, "used"), phase(agent, "other")
    step = phase(agent, "last", [used, other], _io_inputs={"a": "used.x"})
    set_status(agent, other, "active")
    ask(agent, intent_id=other["id"])
    assert end(agent, used, x=1).status_code == 200
    assert claim(agent, step).status_code == 201


@pytest.mark.parametrize("ref", ["$trigger.order", "$initial_state.order"])
def test_own_values(agent, ref):
    there = phase(agent, "x", order=7, _io_inputs={"order": ref})
    assert claim(agent, there).status_code == 201
    for state in ({}, {"order": None}):
        without = phase(agent, "x", _io_inputs={"order": ref}, **state)
        assert unresolvable(claim(agent, without)) == [ref]


@pytest.mark.parametrize("declared, refs", [
    ({"_io_inputs": 7}, ["_io_inputs"]),
    ({"_io_inputs": [["a", "b"]]}, ["_io_inputs"]),
    ({"_io_inputs": "research.x"}, ["_io_inputs"]),
    ({"_io_inputs": {"a": 7}}, ["a"]),
    ({"_io_inputs": {"a": None, "b": {}}}, ["a", "b"]),
    ({"_io_inputs": {"a": "x"}}, ["x"]),
    ({"_io_inputs": {"a": ".x"}}, [".x"]),
    ({"_io_inputs": {"a": "x."}}, ["x."]),
    ({"_io_inputs": {"a": "y.x"}, "_io_dep_title_to_name": [1]},
     ["_io_dep_title_to_name"]),
    ({"_io_inputs": {"a": "y.x"}, "_io_dep_title_to_name": {"y": 7}},
     ["y.x"])])
def test_W3_inputs_that_cannot_be_read(agent, declared, refs):
    step = phase(agent, "x", **declared)
    assert unresolvable(claim(agent, step)) == refs


def test_more_inputs_than_there_may_be(agent):
    step = phase(agent, "x", v=1, _io_inputs={
        f"i{n}": "$trigger.v" for n in range(101)})
    assert unresolvable(claim(agent, step)) == ["$trigger.v"]


def test_the_scope_is_looked_at_last(agent, other_agent):
    step = phase(agent, "x")
    assert claim(agent, step).status_code == 201
    now = get(agent, step)
    patch(agent, now, {"op": "set", "path": "/_io_inputs",
                       "value": {"a": "y.x"}})
    assert unresolvable(claim(other_agent, step)) == ["y.x"]


# --- Outputs --------------------------------------------------------------

@pytest.mark.parametrize("declared, state, missing", [
    ({"a": "string"}, {}, ["a"]),
    ({"a": "any", "b": {"type": "number"}}, {"a": 1}, ["b"]),
    ({"a": {"required": True}}, {}, ["a"]),
    ({"a": {"required": "no"}}, {}, ["a"])])
def test_W2_outputs_that_are_missing(agent, declared, state, missing):
    step = phase(agent, "x", _io_outputs=declared)
    found = detail(end(agent, step, **state), "io.missing_output",
                   "MissingOutputError")
    assert found["missing_keys"] == missing and found["type_errors"] == []
    assert found["rule"] == "io_outputs" and found["phase_name"] == "x"
    assert get(agent, step)["status"] == "active"
    assert types(agent, step["id"]).count("governance.violation") == 1


TYPES = {"colour": {"enum": ["red", 2, None]},
         "order": {"id": "string", "sum": "number"}, "odd": 7}


@pytest.mark.parametrize("type_, value, actual", [
    ("string", 1, "number"), ("number", "1", "string"),
    ("number", True, "boolean"), ("boolean", 1, "number"),
    ("object", [], "array"), ("array", {}, "object"),
    ("string", None, "null"), ("colour", "blue", "string"),
    ("order", {"id": "x"}, "object"), ("order", "x", "string"),
    ({"type": "string", "required": False}, 1, "number"),
    (7, 1, "number"), ({"type": 7}, 1, "number")])
def test_W2_outputs_of_another_type(agent, type_, value, actual):
    step = phase(agent, "x", _io_outputs={"a": type_}, _io_types=TYPES)
    found = detail(end(agent, step, a=value), "io.type",
                   "OutputTypeMismatchError")
    assert found["key"] == "a" and found["actual_type"] == actual
    assert get(agent, step)["status"] == "active"


@pytest.mark.parametrize("type_, value", [
    ("string", ""), ("number", 1.5), ("number", 7), ("boolean", False),
    ("object", {}), ("array", []), ("any", None), ("", None),
    ("colour", 2), ("colour", "red"), ("order", {"id": 1, "sum": 2, "x": 3}),
    ("unknown", 1), ("odd", 1), ({}, 1), ({"type": "number"}, 1)])
def test_W2_outputs_that_fit(agent, type_, value):
    step = phase(agent, "x", _io_outputs={"a": type_}, _io_types=TYPES)
    assert end(agent, step, a=value).status_code == 200


def test_W2_an_optional_output(agent):
    step = phase(agent, "x", _io_outputs={
        "a": {"type": "string", "required": False}})
    assert end(agent, step).status_code == 200


@pytest.mark.parametrize("declared, key", [
    ({"_io_outputs": 7}, "_io_outputs"), ({"_io_outputs": []}, "_io_outputs"),
    ({"_io_outputs": {}, "_io_types": "x"}, "_io_types")])
def test_W3_outputs_that_cannot_be_read(agent, declared, key):
    step = phase(agent, "x", **declared)
    found = detail(end(agent, step), "io.type", "OutputTypeMismatchError")
    assert found["key"] == key and found["expected_type"] == "object"
