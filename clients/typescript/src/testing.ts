/** Servers for tests, whose operator has a script.
 *
 *     const server = await FakeServer.start(
 *         [approve, deny("Too much."), silence]);
 *     await runMyAgent(server.client());
 *     await server.stop();
 *
 * The fake one is on the loopback address and answers as the real one does:
 * questions with choices, yes or no, or a text, and approvals. A form and other
 * kinds are refused. `RealServer` takes the same script to a real server, with
 * a key of `sayso key create --test`, and all kinds. Each question takes the
 * next reply of the script.
 * @packageDocumentation */
export { FakeServer } from "./testing/fake.js";
export { RealServer } from "./testing/real.js";
export {
    answer, approve, constrain, deny, edit, pending, silence, withdrawn,
} from "./testing/replies.js";
export type { Changes, Reply, Scripted } from "./testing/replies.js";
