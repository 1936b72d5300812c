/** Members that an answer does not have, and values that it cannot have. */
import { ask } from "sayso-client";

const answer = await ask("x?", { choices: ["a", "b"] });
if (!answer.vetoed) // TS2339
    console.log("it would always run");
if (answer.value === "c") // TS2367
    console.log("never");
if (answer.outcome === "approved") // TS2367
    console.log("never");
answer.reason.trim(); // TS18047
answer.approved = true; // TS2540
