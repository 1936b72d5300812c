/* The browser tests but for those of alone.test.mjs: one server and one Chromium
 * for all of them. */
import "./acceptance.mjs";
import "./answers.mjs";
import "./back.mjs";
import "./browse.mjs";
import "./calls.mjs";
import "./cards.mjs";
import "./clearing.mjs";
import "./comfort.mjs";
import "./containers.mjs";
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
import "./media.mjs";
import "./notices.mjs";
import "./origins.mjs";
import "./people.mjs";
import "./people_settings.mjs";
import "./plans.mjs";
import "./refused.mjs";
import "./risk.mjs";
import "./rows.mjs";
import "./settings.mjs";
import "./states.mjs";
import "./tools.mjs";
import { runWhole } from "./whole.mjs";

runWhole();
