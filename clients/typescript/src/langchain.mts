/** LangChain: a person answers the interrupts of `humanInTheLoopMiddleware`.
 *
 *     const result = await invoke(agent, { messages: [...] }, config); */
import { Command } from "@langchain/langgraph";
import { invokeWith } from "./interrupts.js";

export type {
    ConfigOf, InputOf, Invocable, Invoke, InvokeOptions, ResultOf,
} from "./interrupts.js";

/** `agent.invoke`, in which a person decides about the calls of tools. */
export const invoke = invokeWith(Command);
