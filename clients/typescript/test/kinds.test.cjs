/** Both kinds of modules are one: what one has thrown, the other knows. */
const assert = require("node:assert/strict");
const { test } = require("node:test");

test("CommonJS and ESM have the same classes", async () => {
    for (const name of ["", "/ai", "/openai-agents", "/testing"]) {
        const required = require(`sayso-client${name}`);
        const imported = await import(`sayso-client${name}`);
        assert.ok(Object.keys(required).length);
        for (const [member, value] of Object.entries(required))
            assert.equal(imported[member], value, member);
    }
});

test("the version is that of the package", () => {
    assert.equal(require("sayso-client").VERSION,
                 require("sayso-client/package.json").version);
});
