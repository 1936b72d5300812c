/* The settings of people: people, groups, keys, sessions and oneself, each in
 * every state, with and without scripts, and with hostile names. */
import assert from "node:assert/strict";

import {
    closePage, follow, makePerson, openPage, people, press, shown, signIn,
    text, withPage,
} from "./browser.mjs";
import { holds } from "./hostile.mjs";
import { enter, tabTo } from "./keys.mjs";
import { test } from "./lanes.mjs";
import { look, state } from "./looks.mjs";
import * as questions from "./questions.mjs";
import { ask, raw, sayso, sql } from "./server.mjs";

const by = { who: "admin" };
const at = (name) => `/settings/${name}`;

/* ---- who there is --------------------------------------------------- */

let count = 0;

/* Somebody whose account and sessions are nobody else's. */
function guest(role = "operator", more = {}) {
    count += 1;
    const person = { email: `guest${count}-${process.pid}@example.com`,
        name: `Gast Nummer ${count}`, role,
        password: "a password of a guest", ...more };
    makePerson(person);
    return person;
}

const idOf = ({ email }) =>
    sql(`SELECT id FROM principal WHERE email = '${email}'`);

const personAt = (one) => at(`people/${idOf(one)}`);

function key(role = "agent", more = ["--agent", "refunds-agent"]) {
    const label = questions.named("program");
    sayso(["key", "create", "--role", role, "--label", label, ...more]);
    return { label,
        id: sql(`SELECT id FROM api_key WHERE label = '${label}'`) };
}

/* A page of somebody who is signed in nowhere else. */
async function pageOf(one, options = {}) {
    const page = await openPage(options);
    await signIn(page, one);
    await page.waitForURL("**/inbox");
    return page;
}

async function withPerson(one, use, options) {
    const page = await pageOf(one, options);
    try {
        await use(page);
    } finally {
        await closePage(page);
    }
}

/* Groups as a morning has them, with questions that wait for them. */
async function grouped() {
    for (const groups of ["finance", "finance,on-call", "on-call,legal.eu"]) {
        const { email } = guest();
        sayso(["operator", "change", "--email", email, "--groups", groups]);
    }
    key("operator", ["--groups", "on-call"]);
    await ask(questions.confirm({ responder: { mode: "group",
        who: "finance" } }));
    const { email } = guest();
    sayso(["operator", "change", "--email", email, "--groups", "night-shift"]);
    await ask(questions.confirm({ responder: { mode: "group",
        who: "night-shift" } }));
    sayso(["operator", "disable", "--email", email]);
}

/* The box of that label; its help may name others. */
const box = (page, label) =>
    page.getByRole("textbox", { name: new RegExp(`^${label}`) });

const choice = (page, label) =>
    page.getByRole("radio", { name: new RegExp(`^${label}`) });

/* ---- looks ---------------------------------------------------------- */

state("settings-groups-empty", 200, by, (page) => page.goto(at("groups")),
    { lane: "first" });
state("settings-people", 200, by, async (page) => {
    await grouped();
    await page.goto(at("people"));
}, { lane: "last" });
state("settings-people-auditor", 200, { who: "auditor" },
    (page) => page.goto(at("people")));
state("settings-people-made", 200, by, async (page) => {
    await page.goto(at("people"));
    await follow(page, "New person");
    await box(page, "E-mail").fill(`${Math.random()}@example.com`);
    await box(page, "Name").fill("Mara Lindqvist");
    await press(page, "Add person");
});
state("settings-people-errors", 422, by, async (page) => {
    await page.goto(at("people"));
    await follow(page, "New person");
    await box(page, "E-mail").fill(people.operator.email);
    await box(page, "Name").fill("Mara Lindqvist");
    await box(page, "Groups").fill("finance, on-call");
    await press(page, "Add person");
    assert.equal(await box(page, "Groups").inputValue(),
        "finance, on-call");
});
state("settings-person", 200, by, (page) => page.goto(personAt(guest())));
state("settings-person-disabled", 200, by, async (page) => {
    await page.goto(personAt(guest("auditor")));
    await follow(page, "Disable account");
    await press(page, "Disable the account");
});
state("settings-person-sure", 200, by, async (page) => {
    await page.goto(personAt(guest()));
    await follow(page, "Disable account");
});
state("settings-sessions-sure", 200, by, async (page) => {
    await closePage(await pageOf(guest()));
    await page.goto(at("sessions"));
    await page.getByRole("link", { name: /Sign out the session/ }).first()
        .click();
    await page.waitForURL("**key=*");
});
state("settings-person-password", 200, by, async (page) => {
    await page.goto(personAt(guest()));
    await follow(page, "Reset password");
    await press(page, "Reset the password");
});
state("settings-person-oneself", 422, by, async (page) => {
    await page.goto(personAt(people.admin));
    await choice(page, "Auditor").check();
    await press(page, "Save");
});
state("settings-groups", 200, by, async (page) => {
    await grouped();
    await page.goto(at("groups"));
    assert.match(await text(page), /no members who can answer/);
}, { lane: "last" });
state("settings-keys", 200, by, async (page) => {
    key();
    key("operator", ["--groups", "finance,on-call", "--expires-days", "12"]);
    key("auditor", []);
    sayso(["key", "revoke", key().id]);
    await page.goto(at("keys"));
});
state("settings-keys-auditor", 200, { who: "auditor" },
    (page) => page.goto(at("keys")));
state("settings-keys-made", 200, by, async (page) => {
    await page.goto(at("keys"));
    await follow(page, "New key");
    await box(page, "Label").fill("refunds-agent, eu");
    await box(page, "Agents").fill("refunds-agent");
    await press(page, "Create key");
    assert.match(await text(page), /sayso_[\w-]{43}/);
});
state("settings-keys-errors", 422, by, async (page) => {
    await page.goto(at("keys"));
    await follow(page, "New key");
    await box(page, "Label").fill("refunds-agent, eu");
    await press(page, "Create key");
});
state("settings-key", 200, by, (page) => page.goto(at(`keys/${key().id}`)));
state("settings-key-ended", 200, by, async (page) => {
    const { id } = key("operator", ["--groups", "finance"]);
    sayso(["key", "revoke", id]);
    await page.goto(at(`keys/${id}`));
});
state("settings-sessions", 200, by, (page) => page.goto(at("sessions")));
state("settings-sessions-own", 200, { who: "operator" },
    (page) => page.goto(at("sessions")));
state("settings-profile", 200, { who: "operator" },
    (page) => page.goto(at("profile")));
state("settings-profile-errors", 422, { who: "operator" }, async (page) => {
    await page.goto(at("profile"));
    await page.getByLabel(/^Time zone/).fill("Europe/Nowhere");
    await press(page, "Save");
});
state("settings-profile-password-errors", 422, { who: "operator" },
    async (page) => {
        await page.goto(at("profile"));
        await page.getByLabel("Current password").fill("wrong");
        await page.getByLabel("New password").fill("long enough");
        await press(page, "Change password");
    });

/* A theme that was chosen stays, whatever the browser prefers. */
for (const theme of ["Light", "Dark"]) {
    test(`looks: settings-profile-${theme}`, () =>
        withPerson(guest(), async (page) => {
            await page.goto(at("profile"));
            await page.getByLabel(/^Time zone/).fill("Europe/Berlin");
            await page.getByLabel(theme, { exact: true }).check();
            await press(page, "Save");
            await look(page, `settings-profile-${theme.toLowerCase()}`);
            const grounds = new Set();
            for (const colorScheme of ["light", "dark"]) {
                await page.emulateMedia({ colorScheme });
                grounds.add(await page.evaluate(() =>
                    getComputedStyle(document.body).backgroundColor));
            }
            assert.deepEqual([...grounds], [theme === "Dark"
                ? "rgb(16, 17, 19)" : "rgb(247, 247, 245)"]);
        }));
}

/* The style sheet says the dark colours twice: nothing else can be done
 * without a script. */
test("dark is the same whether chosen or preferred", async () => {
    const css = (await raw("/static/app.css")).body.toString();
    const colours = (selector) => [...css.split(`${selector} {`)[1]
        .split("}")[0].matchAll(/--[\w-]+: [^;]+/g)].map(([one]) => one);
    const chosen = colours('\n[data-theme="dark"]');
    const preferred = colours(":root:not([data-theme])");
    assert.ok(preferred.length > 20);
    assert.deepEqual(preferred.filter((one) => !chosen.includes(one)), []);
});

/* ---- doing it ------------------------------------------------------- */

/* The text that the page shows once: a password or a key. */
const once = (page) => page.locator(".once code").innerText();

for (const scripts of [true, false]) {
    const how = scripts ? "with scripts" : "without scripts";
    const as = { ...by, scripts };

    test(`a person from the first sign-in to the last, ${how}`, () =>
        withPage(as, async (page) => {
            const one = { email: `new-${Math.random()}@example.com`,
                name: "Nora New" };
            await page.goto("/inbox");
            await follow(page, "Settings");
            await follow(page, "People");
            await follow(page, "New person");
            await box(page, "E-mail").fill(one.email);
            await box(page, "Name").fill(one.name);
            await box(page, "Groups").fill("finance");
            await press(page, "Add person");
            one.password = await once(page);
            const theirs = await pageOf(one, { scripts });
            await follow(theirs, "Settings");
            const fresh = "words that I chose myself";
            await theirs.getByLabel("Current password")
                .fill(one.password);
            await theirs.getByLabel("New password").fill(fresh);
            await press(theirs, "Change password");
            assert.match(await text(theirs), /Password changed/);
            await page.goto(personAt(one));
            await follow(page, "Disable account");
            await press(page, "Disable the account");
            assert.match(await text(page), /Disabled/);
            await theirs.goto("/inbox");
            assert.equal(new URL(theirs.url()).pathname, "/login");
            await signIn(theirs, { ...one, password: fresh });
            assert.match(await text(theirs), /Sign-in failed/);
            await press(page, "Enable account");
            await signIn(theirs, { ...one, password: fresh });
            await theirs.waitForURL("**/inbox");
            await closePage(theirs);
        }));

    test(`a key is made and revoked, ${how}`, () =>
        withPage(as, async (page) => {
            const label = questions.named("key");
            await page.goto(at("keys"));
            await follow(page, "New key");
            await box(page, "Label").fill(label);
            await choice(page, "Operator").check();
            await box(page, "Groups").fill("finance");
            await press(page, "Create key");
            const secret = await once(page);
            await page.goto(at("keys"));
            assert.ok(!(await text(page)).includes(secret));
            await follow(page, label);
            assert.match(await text(page), /Not revoked yet/);
            await press(page, "Revoke the key");
            assert.equal(new URL(page.url()).pathname, at("keys"));
            assert.equal(await page.getByRole("link",
                { name: label, exact: true }).count(), 0);
            assert.equal(sql(`SELECT revoked_at IS NOT NULL FROM api_key
                WHERE label = '${label}'`), "t");
        }));

    test(`a key's reach and its least risk are set, ${how}`, () =>
        withPage(as, async (page) => {
            const label = questions.named("key");
            const row = () => sql(`SELECT reach, severity_floor FROM api_key
                WHERE label = '${label}'`);
            await page.goto(at("keys"));
            await follow(page, "New key");
            await box(page, "Label").fill(label);
            await choice(page, "Agent").check();
            await box(page, "Agents").fill("mira");
            await choice(page, "Medium").check();
            await press(page, "Create key");
            await page.goto(at("keys"));
            assert.equal(row(), "own|medium");
            await follow(page, label);
            await page.getByLabel("Minimum risk").selectOption("high");
            await press(page, "Save");
            assert.equal(await page.getByLabel("Minimum risk").inputValue(),
                "high");
            await press(page, "Allow all tasks");
            assert.match(await text(page), /All tasks\. Agents/);
            assert.equal(row(), "all|high");
            await press(page, "Limit to own tasks");
            assert.equal(row(), "own|high");
        }));

    test(`my sessions are ended one by one and all at once, ${how}`,
        async () => {
            const me = guest();
            const first = await pageOf(me, { scripts });
            const others = [await pageOf(me), await pageOf(me),
                await pageOf(me)];
            await first.goto(at("sessions"));
            assert.match(await text(first), /4 sessions/);
            await Promise.all([first.waitForEvent("load"),
                first.getByRole("link", { name: /Sign out the session/ })
                    .first().click()]);
            await press(first, "Sign out");
            assert.match(await text(first), /3 sessions/);
            await follow(first, "Sign out all other sessions");
            await press(first, "Sign out");
            assert.match(await text(first), /1 session\b/);
            for (const other of others) {
                await other.goto("/inbox");
                assert.equal(new URL(other.url()).pathname, "/login");
                await closePage(other);
            }
            await closePage(first);
        });

    test(`times are those of the reader, ${how}`, () =>
        withPerson(guest(), async (page) => {
            await page.goto(at("profile"));
            await page.getByLabel(/^Time zone/).fill("Asia/Kolkata");
            await press(page, "Save");
            const now = page.locator("main time").first();
            assert.match(await now.innerText(), / IST$/);
            assert.match(await now.getAttribute("title"), / UTC$/);
            await page.goto("/inbox");
            assert.match(await page.locator(".asof").innerText(),
                /\d\d:\d\d:\d\d IST/);
        }, { scripts }));
}

test("a person is added by keyboard alone", () =>
    withPage(by, async (page) => {
        const email = `keys-${Math.random()}@example.com`;
        await page.goto(at("people"));
        await tabTo(page, (now) => now.name === "New person");
        await enter(page);
        await tabTo(page, ({ id }) => id === "f1");
        await page.keyboard.type(email);
        await tabTo(page, ({ id }) => id === "f2");
        await page.keyboard.type("Kim Keys");
        await tabTo(page, (now) => now.name === "Add person");
        await enter(page);
        assert.ok(await once(page));
        assert.equal(sql(`SELECT role || bulk_limit FROM principal
            WHERE email = '${email}'`), "operatormedium");
    }));

/* ---- hostile -------------------------------------------------------- */

const villain = `"><b>${questions.attacks[1]}\u202e\u200b${"x".repeat(80)}`
    .slice(0, 120);
const quoted = (words) => `'${words.replaceAll("'", "''")}'`;

test("nothing of hostile names of people and keys runs or hides", () =>
    withPage({ ...by, width: 360, height: 740 }, async (page) => {
        const one = guest(), { id } = key("operator", []);
        const group = "g".repeat(60);
        sql(`UPDATE principal SET name = ${quoted(villain)},
             groups = '${group}' WHERE email = '${one.email}';
             UPDATE api_key SET label = ${quoted(villain)}, role = 'agent',
             agents = ARRAY[${quoted(villain)}, '${"W".repeat(120)}']
             WHERE id = '${id}'`);
        const theirs = await pageOf(one, { width: 360, height: 740 });
        for (const path of [at("people"), personAt(one), at("groups"),
            at("keys"), at(`keys/${id}`), at("sessions")]) {
            await page.goto(path);
            assert.equal(shown(page).status(), 200, path);
            assert.match(await holds(page, path), /U\+202E/, path);
        }
        await theirs.goto(at("profile"));
        await holds(theirs, "profile");
        await closePage(theirs);
        sql(`DELETE FROM known_browser WHERE principal_id =
                 (SELECT id FROM principal WHERE email = '${one.email}');
             DELETE FROM principal WHERE email = '${one.email}';
             DELETE FROM api_key WHERE id = '${id}'`);
    }), "last");
