/* The browser tests: one server and one Chromium for all of them. */
import { after, before } from "node:test";

import "./answers.mjs";
import { startBrowser, stopBrowser } from "./browser.mjs";
import "./comfort.mjs";
import "./hostile.mjs";
import "./journeys.mjs";
import "./keys.mjs";
import "./live.mjs";
import { runAll } from "./lanes.mjs";
import "./people.mjs";
import { startServer, stopServer } from "./server.mjs";
import "./settings.mjs";
import "./states.mjs";

before(async () => {
    await startServer();
    await startBrowser();
}, { timeout: 270000 });

after(async () => {
    await stopBrowser();
    stopServer();
}, { timeout: 90000 });

runAll();
