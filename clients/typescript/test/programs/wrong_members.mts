/** Words that are none. */
import { ask } from "sayso-client";

await ask("x?", { severty: "high" }); // TS2561
await ask("x?", { severity: "hgh" }); // TS2820
await ask("x?", { timeout: 3, wait: 1 }); // TS2353
await ask("x?", { choices: [{ value: "a", effect: "authorise" }] }); // TS2820
await ask("x?", { timeout_seconds: "60" }); // TS2322
await ask(5); // TS2345
