/* The browser tests: one server and one Chromium for all of them. */
import { after, before } from "node:test";

import "./acceptance.mjs";
import "./answers.mjs";
import "./back.mjs";
import "./browse.mjs";
import { startBrowser, stopBrowser } from "./browser.mjs";
import "./calls.mjs";
import "./cards.mjs";
import "./clearing.mjs";
import "./comfort.mjs";
import "./containers.mjs";
import "./demo.mjs";
import "./docs.mjs";
import "./edges.mjs";
import "./edits.mjs";
import "./evidence.mjs";
import "./extremes.mjs";
import "./facts.mjs";
import "./figures.mjs";
import "./hold.mjs";
import "./hostile.mjs";
import "./inbox.mjs";
import "./journeys.mjs";
import "./keys.mjs";
import { runAll } from "./lanes.mjs";
import "./live.mjs";
import { looked } from "./looks.mjs";
import "./media.mjs";
import "./notices.mjs";
import "./origins.mjs";
import "./people.mjs";
import "./people_settings.mjs";
import "./plans.mjs";
import { startServer, stopServer } from "./server.mjs";
import "./refused.mjs";
import "./risk.mjs";
import "./rows.mjs";
import "./settings.mjs";
import "./states.mjs";
import "./tools.mjs";
import "./yield.mjs";

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

runAll();
