// Verifies receipts with jose. Takes the folder with the packages, the keys and
// the tokens as JSON; prints the claims of each, or null where it was refused.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { packages, keys, tokens } = JSON.parse(process.argv[2]);
const at = pathToFileURL(createRequire(`${packages}/`).resolve("jose"));
const { createLocalJWKSet, errors, jwtVerify } = await import(at);
const found = createLocalJWKSet(keys);
const claims = [];
for (const token of tokens) {
    try {
        const { payload } = await jwtVerify(token, found, {
            algorithms: ["EdDSA"],
            typ: "sayso-receipt+jwt",
        });
        claims.push(payload);
    } catch (e) {
        if (!(e instanceof errors.JOSEError))
            throw e;
        claims.push(null);
    }
}
console.log(JSON.stringify(claims));
