"""The models of the pages' agents, which are none: each calls the tool
`refund` once, says what came of it, and ends. Every function is for one
framework, and imports it."""
import json

TOOL, CALL = "refund", "call_1"
ARGS = {"order": "12345", "amount": 50.0}


def heard(*results):
    """The last words of the model."""
    print("the model heard", *results)
    return "The end."


def langchain():
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class Model(BaseChatModel):
        _llm_type = "fake"

        def bind_tools(self, tools, **more):
            return self

        def _generate(self, messages, stop=None, run_manager=None, **more):
            got = [m.content for m in messages if isinstance(m, ToolMessage)]
            call = {"name": TOOL, "args": ARGS, "id": CALL}
            return ChatResult(generations=[ChatGeneration(
                message=AIMessage(heard(*got)) if got else
                AIMessage("", tool_calls=[call]))])
    return Model()


def openai_agents():
    import agents
    from openai.types.responses import (
        ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText)

    class Model(agents.Model):
        async def get_response(self, system_instructions, input, *args,
                               **more):
            got = [one["output"] for one in input if isinstance(one, dict)
                   and one.get("type") == "function_call_output"]
            said = ResponseOutputMessage(
                id="1", role="assistant", status="completed", type="message",
                content=[ResponseOutputText(
                    annotations=[], type="output_text", text=heard(*got))]
            ) if got else ResponseFunctionToolCall(
                arguments=json.dumps(ARGS), call_id=CALL, name=TOOL,
                type="function_call")
            return agents.ModelResponse(response_id=None, output=[said],
                                        usage=agents.Usage())

        def stream_response(self, *args, **more):
            raise NotImplementedError
    agents.set_tracing_disabled(True)
    return Model()


def pydantic_ai():
    from pydantic_ai import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.messages import ToolReturnPart
    from pydantic_ai.models.function import FunctionModel

    def answered(messages, info):
        got = [part.content for message in messages for part in message.parts
               if isinstance(part, ToolReturnPart)]
        return ModelResponse(parts=[TextPart(heard(*got)) if got else
                                    ToolCallPart(TOOL, ARGS, CALL)])
    return FunctionModel(answered)


def crewai():
    from crewai import BaseLLM

    turns = [f"Action: {TOOL}\nAction Input: {json.dumps(ARGS)}"]

    class Model(BaseLLM):
        def call(self, messages, *args, **more):
            said = turns.pop() if turns else \
                f"Final Answer: {heard(messages[-2:])}"
            return f"Thought: x\n{said}"

        def supports_function_calling(self):
            return False

        def get_context_window_size(self):
            return 8000
    return Model(model="fake")


def adk():
    from google.adk.models import BaseLlm, LlmResponse
    from google.genai import types

    class Model(BaseLlm):
        async def generate_content_async(self, llm_request, stream=False):
            got = [part.function_response.response
                   for content in llm_request.contents
                   for part in content.parts if part.function_response]
            part = types.Part(text=heard(*got)) if got else types.Part(
                function_call=types.FunctionCall(name=TOOL, args=ARGS,
                                                 id=CALL))
            yield LlmResponse(content=types.Content(role="model",
                                                    parts=[part]))
    return Model(model="fake")


def strands():
    from strands.models import Model as Base

    class Model(Base):
        def update_config(self, **config):
            pass

        def get_config(self):
            return {}

        def structured_output(self, *args, **more):
            raise NotImplementedError

        async def stream(self, messages, *args, **more):
            got = [block["toolResult"] for message in messages
                   for block in message["content"] if "toolResult" in block]
            yield {"messageStart": {"role": "assistant"}}
            if got:
                yield {"contentBlockStart": {"start": {}}}
                yield {"contentBlockDelta": {"delta": {"text": heard(*got)}}}
            else:
                yield {"contentBlockStart": {"start": {"toolUse": {
                    "toolUseId": CALL, "name": TOOL}}}}
                yield {"contentBlockDelta": {"delta": {"toolUse": {
                    "input": json.dumps(ARGS)}}}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {
                "stopReason": "end_turn" if got else "tool_use"}}
    return Model()


def haystack():
    from haystack import component
    from haystack.dataclasses import ChatMessage, ToolCall

    @component
    class Model:
        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], tools: object = None):
            got = [result.result for message in messages
                   for result in message.tool_call_results]
            return {"replies": [
                ChatMessage.from_assistant(heard(*got)) if got else
                ChatMessage.from_assistant(tool_calls=[
                    ToolCall(TOOL, ARGS, id=CALL)])]}
    return Model()


def agent_framework():
    from agent_framework import (BaseChatClient, ChatResponse, Content,
                                 FunctionInvocationLayer, Message)

    class Model(FunctionInvocationLayer, BaseChatClient):
        async def _inner_get_response(self, *, messages, **more):
            got = [content.result for message in messages
                   for content in message.contents
                   if content.type == "function_result"]
            said = Content.from_text(heard(*got)) if got else \
                Content.from_function_call(CALL, TOOL, arguments=ARGS)
            return ChatResponse(messages=[
                Message(role="assistant", contents=[said])])
    return Model()


def ag2():
    from ag2.config import LLMClient, ModelConfig
    from ag2.events import (ModelMessage, ModelResponse, ToolCallEvent,
                            ToolCallsEvent, ToolResultsEvent)

    class Client(LLMClient):
        async def __call__(self, messages, context, **more):
            got = [result.result for message in messages
                   if isinstance(message, ToolResultsEvent)
                   for result in message.results]
            if got:
                return ModelResponse(ModelMessage(heard(*got)))
            return ModelResponse(tool_calls=ToolCallsEvent([ToolCallEvent(
                TOOL, id=CALL, arguments=json.dumps(ARGS))]))

    class Model(ModelConfig):
        provider = model = "fake"

        def copy(self):
            return self

        def create(self):
            return Client()

        def create_files_client(self):
            raise NotImplementedError
    return Model()
