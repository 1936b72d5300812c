/* All tests that were imported, around one server and one Chromium. */
import { after, before } from "node:test";

import { startBrowser, stopBrowser } from "./browser.mjs";
import { runAll } from "./lanes.mjs";
import { looked } from "./looks.mjs";
import { startServer, stopServer } from "./server.mjs";

/* atOnce: how many tests that may run beside others do so. */
export function runWhole(atOnce = 2) {
    before(async () => {
        await startServer();
        await startBrowser();
    }, { timeout: 270000 });

    after(async () => {
        if (looked.size) {
            console.log(`axe found nothing on ${looked.size} pages, each at ` +
                "three widths, light and dark");
        }
        await stopBrowser();
        stopServer();
    }, { timeout: 90000 });

    runAll(atOnce);
}
