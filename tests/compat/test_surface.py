"""The public methods of the SDK's two clients: graphs work, and what is not a
part of this server raises 501."""
import inspect
import typing
import uuid

import pytest
from openintent import AsyncOpenIntentClient, IntentStatus, OpenIntentClient
from openintent.exceptions import (ConflictError, OpenIntentError,
                                   ValidationError)
from sdk import Blocking, access

OUT = """
    create_vault get_vault create_credential get_credential create_tool_grant
    get_tool_grant list_agent_grants revoke_grant record_invocation
    list_invocations invoke_tool
    create_memory get_memory list_memory update_memory delete_memory
    register_agent get_agent_record list_agents agent_heartbeat
    update_agent_status
    create_trigger get_trigger list_triggers update_trigger fire_trigger
    delete_trigger
    register_identity complete_identity_challenge get_identity verify_signature
    rotate_key
    create_channel list_channels get_channel send_message
    reply_to list_messages get_message mark_read ask
    federation_status list_federated_agents federation_dispatch
    federation_receive federation_discover
    """.split()


# It deletes, and never looks at what the server says.
SILENT = ["close_channel"]

# --- What is not a part of it ---------------------------------------------

def plausible(kind):
    """An argument of this annotation."""
    origin = typing.get_origin(kind)
    if origin is typing.Union:
        return plausible(typing.get_args(kind)[0])
    plain = origin or kind
    return {int: 1, float: 1.0, bool: True, dict: {}, list: []}.get(
        plain, str(uuid.uuid4()))


def arguments(method):
    return {p.name: plausible(p.annotation)
            for p in inspect.signature(method).parameters.values()
            if p.default is p.empty and p.kind not in (p.VAR_KEYWORD,
                                                       p.VAR_POSITIONAL)}


def missing(method):
    with pytest.raises(OpenIntentError) as raised:
        method(**arguments(method))
    assert raised.value.status_code == 501, raised.value
    assert raised.value.response["code"] == "feature.unsupported"


@pytest.mark.parametrize("name", OUT)
def test_S1_a_method_that_is_out_raises(sync, name):
    missing(getattr(sync, name))


@pytest.mark.parametrize("name", [
    n for n in OUT if hasattr(AsyncOpenIntentClient, n)])
def test_S1_a_method_that_is_out_raises_async(server, name):
    plain = AsyncOpenIntentClient(**access(server, "refunds-agent"))
    client = Blocking(plain)
    try:
        method = getattr(client, name)
        with pytest.raises(OpenIntentError) as raised:
            method(**arguments(getattr(plain, name)))
        assert raised.value.status_code == 501, raised.value
    finally:
        client.close()


# --- The log helpers -------------------------------------------------------

@pytest.mark.parametrize("name, event_type", [
    ("log_tool_call_started", "tool_call_started"),
    ("log_tool_call_completed", "tool_call_completed"),
    ("log_tool_call_failed", "tool_call_failed"),
    ("log_llm_request_started", "llm_request_started"),
    ("log_llm_request_completed", "llm_request_completed"),
    ("log_llm_request_failed", "llm_request_failed"),
    ("start_stream", "stream_started"),
    ("log_stream_chunk", "stream_chunk"),
    ("complete_stream", "stream_completed"),
    ("cancel_stream", "stream_cancelled")])
def test_S1_a_log_helper_writes_its_event(sync, intent, name, event_type):
    method = getattr(sync, name)
    method(**{**arguments(method), "intent_id": intent.id})
    assert sync.get_events(intent.id)[0].event_type.value == event_type


# --- Graphs ---------------------------------------------------------------

def ids(intents):
    return [i.id for i in intents]


def test_S1_graphs(sync, intent):
    low = sync.create_child_intent(intent.id, "Book the return")
    mid = sync.create_child_intent(intent.id, "Refund", depends_on=[low.id])
    leaf = sync.create_child_intent(mid.id, "Mail")
    assert ids(sync.get_children(intent.id)) == [low.id, mid.id]
    assert set(ids(sync.get_descendants(intent.id))) == {low.id, mid.id,
                                                         leaf.id}
    assert ids(sync.get_ancestors(leaf.id)) == [mid.id, intent.id]
    assert ids(sync.get_dependencies(mid.id)) == [low.id]
    assert ids(sync.get_dependents(low.id)) == [mid.id]
    assert ids(sync.get_ready_intents(intent.id)) == [low.id]
    assert ids(sync.get_blocked_intents(intent.id)) == [mid.id]
    graph = sync.get_intent_graph(intent.id)
    assert graph["aggregate_status"]["total"] == 3
    assert len(graph["nodes"]) == 4 and len(graph["edges"]) == 4
    with pytest.raises(ValidationError):
        sync.add_dependency(leaf.id, intent.id, leaf.version)
    with pytest.raises(ConflictError):
        sync.set_status(intent.id, intent.version, IntentStatus.COMPLETED)


def test_what_each_client_has():
    """The numbers of docs/openintent.md: a new release of the SDK may have
    more."""
    def methods(kind):
        return {n for n, f in inspect.getmembers(kind, callable)
                if not n.startswith("_")}

    sync, plain = methods(OpenIntentClient), methods(AsyncOpenIntentClient)
    assert (len(sync), len(plain), len(sync | plain)) == (149, 134, 150)
    assert {*OUT, *SILENT} <= sync
    assert plain - sync == {"get_server_config"}
