/* The cells of tables and lists at every width: none outside the box that shows
 * it, and no word torn that would fit. Runs in the page that a test brought. */
import assert from "node:assert/strict";

/* A step of widths, and both sides of each that the style sheet names. */
const edges = [720, 900, 1000].flatMap((one) => [one - 1, one, one + 1]);
const widths = [...Array.from({ length: 21 }, (_, i) => 320 + 80 * i),
    ...edges].sort((a, b) => a - b);
const cells = "th, td, .row > *, .step > *, .plan li > *, .line li > *, " +
    ".args > div > *, .edit > *";
const shortest = 16; // letters of a word that is never torn, but in code

/* The faults of the page as it stands, a line each. */
function find([selector, letters]) {
    const boxes = new Map();

    /* The inner edges of the box that cuts, or scrolls, what is in it. */
    function boxOf(one) {
        if (!boxes.has(one)) {
            const { overflowX } = getComputedStyle(one);
            const { left } = one.getBoundingClientRect();
            boxes.set(one, one === document.documentElement
                ? [0, one.clientWidth]
                : overflowX === "visible" ? boxOf(one.parentElement)
                    : [left + one.clientLeft,
                        left + one.clientLeft + one.clientWidth]);
        }
        return boxes.get(one);
    }

    function lines(range) {
        return new Set([...range.getClientRects()].map(({ top }) =>
            Math.round(top))).size;
    }

    function torn(cell) {
        const range = document.createRange(), found = [];
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const node = texts.currentNode;
            if (node.parentElement.closest("code, .facts th") ||
                !node.parentElement.checkVisibility()) {
                continue;
            }
            range.selectNodeContents(node);
            if (lines(range) < 2) {
                continue;
            }
            /* A line may end behind a slash that begins a word. */
            const words = /(?!\/)(?:(?!\p{Pd})[\p{L}\p{N}\p{P}])+/gu;
            for (const { 0: word, index } of node.data.matchAll(words)) {
                /* One that signs such as "=" or "<" join to a long run has no
                 * place of its own to end a line. */
                const run = node.data.slice(0, index).match(/\S*$/u)[0] +
                    node.data.slice(index).match(/^\S*/u)[0];
                if (run.length > letters && /\p{S}/u.test(run)) {
                    continue;
                }
                range.setStart(node, index);
                range.setEnd(node, index + word.length);
                if (word.length <= letters && lines(range) > 1) {
                    found.push(word);
                }
            }
        }
        return found;
    }

    return [...document.querySelectorAll(selector)].flatMap((cell) => {
        const { left, right, width } = cell.getBoundingClientRect();
        if (width <= 1 || !cell.checkVisibility()) {
            return [];
        }
        const [from, to] = boxOf(cell.parentElement);
        const over = [...cell.querySelectorAll(".chip, .btn")].filter((one) =>
            one.checkVisibility() && one.getBoundingClientRect().width > 1 &&
            one.getBoundingClientRect().right > right + 1);
        const where = `${cell.tagName}.${cell.className}`;
        const said = () => cell.innerText.slice(0, 40);
        return [
            ...(left < from - 1 || right > to + 1
                ? [`${where} at ${left} to ${right} of ${from} to ${to}: ` +
                    said()] : []),
            ...over.map((one) => `${where} is less wide than ` +
                one.innerText),
            ...(cell.matches("th, td") ? torn(cell).map((word) =>
                `${where} tears ${word} of: ${said()}`) : []),
        ];
    });
}

export async function cellsHold(page, name, at = widths) {
    if (!await page.locator(cells).count()) {
        return;
    }
    for (const width of at) {
        await page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await page.evaluate(find, [cells, shortest]), [],
            `${name} at ${width}`);
    }
}
