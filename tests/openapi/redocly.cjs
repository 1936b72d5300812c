// Lints a description of an API by the recommended rules of Redocly, and prints
// what it finds as a list.
//
// An operation may answer by leading to a page; test_lint.py looks at that. Files
// of nginx have no answers of their own to a wrong request. The addresses of the
// log's tiles are those of its protocol. `nullable` stands beside `allOf` without a
// type, because a generator would read the type alone.
const { createConfig, lint } = require("@redocly/openapi-core");

(async () => {
    const config = await createConfig({
        extends: ["recommended"],
        rules: {
            "operation-2xx-response": "off",
            "operation-4xx-response": "off",
            "no-ambiguous-paths": "off",
        },
    });
    const found = await lint({ ref: process.argv[2], config });
    const known = "The `type` field must be defined when the `nullable` field";
    console.log(JSON.stringify(found.filter(({ message }) =>
        !message.startsWith(known)).map(({ ruleId, message, location }) =>
        ({ ruleId, message, at: location.map((l) => l.pointer) }))));
})();
