/** Programs of users under `tsc --strict`: the good ones compile, and in the
 * wrong ones each line with a code has exactly this error. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

const here = join(import.meta.dirname, "programs");
const tsc = join(createRequire(import.meta.url).resolve(
    "typescript/package.json"), "../bin/tsc");
const { stdout } = spawnSync(process.execPath, [tsc, "-p", here], {
    encoding: "utf8", cwd: here });
const found = [...stdout.matchAll(/^(\S+)\((\d+),\d+\): error (TS\d+)/gm)]
    .map(([, file, line, code]) => `${file}:${line} ${code}`);

for (const name of readdirSync(here).filter((one) => /\.[mc]ts$/.test(one)))
    test(name, () => {
        const wanted = readFileSync(join(here, name), "utf8").split("\n")
            .flatMap((text, n) => [...text.matchAll(/\/\/ (TS\d+)$/g)]
                .map(([, code]) => `${name}:${n + 1} ${code}`));
        assert.equal(wanted.length > 0, name.startsWith("wrong"));
        assert.deepEqual(found.filter((one) => one.startsWith(name)), wanted,
                         stdout);
    });

test("there is no other error", () => {
    const others = stdout.split("\n").filter((line) =>
        /^[^ ].*error TS/.test(line) && !/^(good|wrong)_/.test(line));
    assert.deepEqual(others, []);
});
