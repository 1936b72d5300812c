/* The tests that need an inbox in which nobody else asks, and those with a server
 * of their own: one after the other, because they wait more than they work, while
 * the others run at another server. */
if (process.env.SAYSO_VAR) {
    process.env.SAYSO_VAR += "-alone";
}
delete process.env.SAYSO_PORT;

await import("./demo.mjs");
await import("./live.mjs");
await import("./notices_alone.mjs");
await import("./yield.mjs");
const { runWhole } = await import("./whole.mjs");
runWhole(1);
