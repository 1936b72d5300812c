/* The tests by when they run: the first and the last ones after each other,
 * all others some at a time, since a test waits more than it works. */
import { describe, it } from "node:test";

const lanes = { first: [], any: [], last: [] };

export function test(name, run, lane = "any") {
    lanes[lane].push([name, run]);
}

export function runAll(atOnce) {
    for (const [lane, tests] of Object.entries(lanes)) {
        describe(lane, { concurrency: lane === "any" ? atOnce : 1 }, () => {
            for (const [name, run] of tests) {
                it(name, { timeout: 600000 }, run);
            }
        });
    }
}
