"""A model that is none, on the loopback address, for coding agents: it calls
one tool after the other, while it likes what it hears, and ends."""
import contextlib
import http.server
import json
import threading
import uuid


class Model:
    """`plan`: a function of the texts that the tools gave back. It gives the
    next call, as a tool's name and its arguments, or None at the end. For the
    Responses API a name may be SPACE::NAME."""

    def __init__(self, plan):
        self.plan, self.heard = plan, []

    def after(self, heard):
        if len(heard) > len(self.heard):
            self.heard = heard
        return self.plan(heard)


def text_of(content):
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


# --- The Messages API, as Claude Code speaks it ---------------------------

def messages_heard(body):
    return [text_of(part["content"]) for message in body["messages"]
            if isinstance(message["content"], list)
            for part in message["content"] if part["type"] == "tool_result"]


def messages_events(call):
    usage = {"input_tokens": 1, "output_tokens": 1}
    start, delta = {"type": "text", "text": ""}, {
        "type": "text_delta", "text": "The end."}
    if call:
        name, args = call
        start = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex}",
                 "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(args)}
    yield {"type": "message_start", "message": {
        "id": f"msg_{uuid.uuid4().hex}", "type": "message", "model": "fake",
        "role": "assistant", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": usage}}
    yield {"type": "content_block_start", "index": 0, "content_block": start}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "usage": usage, "delta": {
        "stop_reason": "tool_use" if call else "end_turn",
        "stop_sequence": None}}
    yield {"type": "message_stop"}


# --- The Responses API, as Codex speaks it --------------------------------

def responses_heard(body):
    return [text_of(item["output"]) for item in body["input"]
            if item["type"] == "function_call_output"]


def responses_events(call):
    item = {"type": "message", "role": "assistant", "id": "msg_1",
            "content": [{"type": "output_text", "text": "The end."}]}
    if call:
        *space, name = call[0].rsplit("::", 1)
        item = {"type": "function_call", "name": name,
                "call_id": f"call_{uuid.uuid4().hex}",
                "arguments": json.dumps(call[1])}
        if space:
            item["namespace"] = space[0]
    yield {"type": "response.created", "response": {"id": "resp_1"}}
    yield {"type": "response.output_item.done", "output_index": 0,
           "item": item}
    yield {"type": "response.completed", "response": {
        "id": "resp_1", "output": [], "usage": {
            "input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
            "input_tokens_details": None, "output_tokens_details": None}}}


# --- The API of Gemini, as its CLI speaks it --------------------------------

def gemini_heard(body):
    return [json.dumps(part["functionResponse"]["response"])
            for content in body["contents"] for part in content["parts"]
            if "functionResponse" in part]


def gemini_events(call):
    part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {
        "text": "The end."}
    yield {"candidates": [{"index": 0, "finishReason": "STOP", "content": {
        "role": "model", "parts": [part]}}], "usageMetadata": {
            "promptTokenCount": 1, "candidatesTokenCount": 1,
            "totalTokenCount": 2}}


APIS = {"/v1/messages": (messages_heard, messages_events),
        "/v1/responses": (responses_heard, responses_events),
        ":streamGenerateContent": (gemini_heard, gemini_events)}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_HEAD(self):
        self.send_response(200)
        self.end_headers()

    def do_POST(self):
        size = int(self.headers["Content-Length"])
        body = json.loads(self.rfile.read(size))
        path = self.path.partition("?")[0]
        api = next((api for end, api in APIS.items() if path.endswith(end)),
                   None)
        if not api:
            self.send_error(404)
            return
        heard, events = api
        # A client also asks for the title of a conversation, without tools.
        call = self.server.model.after(heard(body)) if body.get("tools") \
            else None
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in events(call):
            name = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(
                f"{name}data: {json.dumps(event)}\n\n".encode())

    def log_message(self, *args):
        pass


@contextlib.contextmanager
def running(plan):
    """The model, and its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.model = Model(plan)
    threading.Thread(target=server.serve_forever).start()
    try:
        yield server.model, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
