/* Runs in the page, after axe, and asks it: about the rules, and about the
 * contrast of those texts that it has not passed yet.
 *
 * The contrast of a text follows from its own style and from what is painted
 * behind it. Where nothing is behind it but its ancestors, and each of them
 * that paints holds all of the text, then their styles are all that axe reads:
 * they are the text's key. A text whose key is that of a text that axe has
 * measured and passed is not measured again. Every other one is, and so is
 * every text without a key. */
"use strict";

window.audit = (() => {
    /* Properties of the text that axe reads. */
    const ink = ["color", "-webkit-text-fill-color", "font-size",
        "font-weight", "text-shadow", "-webkit-text-stroke-width",
        "-webkit-text-stroke-color"];
    /* Properties of a box behind it that axe reads, with the value that leaves
     * no trace: colours, and all that decides which box lies on which. */
    const trace = Object.entries({
        "background-color": "rgba(0, 0, 0, 0)", "background-image": "none",
        opacity: "1", "mix-blend-mode": "normal", position: "static",
        "z-index": "auto", float: "none", transform: "none", filter: "none",
        perspective: "none", "clip-path": "none", "mask-image": "none",
        isolation: "auto", "will-change": "auto", contain: "none",
        "overflow-x": "visible", "overflow-y": "visible",
    });
    const pictures = ["IMG", "CANVAS", "OBJECT", "IFRAME", "VIDEO", "svg"];
    /* Fields whose words axe reads. */
    const fields = "select, textarea, input:not([type=hidden], [type=range], " +
        "[type=color], [type=checkbox], [type=radio], [type=image])";

    function boxOf(one) {
        const style = getComputedStyle(one);
        let words = "";
        for (const [name, none] of trace) {
            const value = style.getPropertyValue(name);
            words += value === none ? "" : `${name}: ${value}; `;
        }
        return { one, style, words, rect: one.getBoundingClientRect(),
            paints: words.includes("background-") ||
                pictures.includes(one.nodeName),
            clips: words.includes("overflow-") };
    }

    /* Left of the page, or clipped away: for screen readers only. */
    function unseen({ style, rect }) {
        return rect.right + window.scrollX <= 0 ||
            style.clipPath === "inset(50%)";
    }

    /* Where the words of an element stand. */
    function places(one) {
        if (one.matches(fields)) {
            return [...one.getClientRects()];
        }
        const range = document.createRange();
        return [...one.childNodes].flatMap((node) => {
            if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) {
                return [];
            }
            range.selectNodeContents(node);
            return [...range.getClientRects()];
        });
    }

    function around(rects) {
        return {
            left: Math.min(...rects.map(({ left }) => left)),
            right: Math.max(...rects.map(({ right }) => right)),
            top: Math.min(...rects.map(({ top }) => top)),
            bottom: Math.max(...rects.map(({ bottom }) => bottom)),
        };
    }

    const holds = (box, is) => box.left <= is.left && box.right >= is.right &&
        box.top <= is.top && box.bottom >= is.bottom;
    const meets = (box, is) => box.left < is.right && box.right > is.left &&
        box.top < is.bottom && box.bottom > is.top;

    /* null where more than the styles of its ancestors may count. */
    function keyOf(one, rects, boxes, painted) {
        if (painted.some((box) => rects.some((is) => meets(box.rect, is)) &&
            !box.one.contains(one))) {
            return null;
        }
        const { style } = boxes.get(one);
        let key = ink.map((name) => style.getPropertyValue(name)).join("; ");
        let is = around(rects), inside = true;
        for (let up = one; up; up = up.parentElement) {
            const box = boxes.get(up);
            if (!box) {
                continue; // it has contents and no box of its own
            }
            if (box.clips && inside) { // it holds all that it shows
                is = box.rect;
            } else if (box.paints && !holds(box.rect, is)) {
                return null;
            }
            inside &&= !/position: (absolute|fixed)/.test(box.words);
            key += box.words && ` | ${box.words}`;
        }
        return key;
    }

    let texts = []; // of the page as it stands: [element, key]

    function keys() {
        const all = [...document.querySelectorAll("*")].filter((one) =>
            one.checkVisibility()).map(boxOf);
        const boxes = new Map(all.map((box) => [box.one, box]));
        const painted = all.filter(({ paints, rect }) =>
            paints && rect.width && rect.height);
        texts = [];
        for (const box of all) {
            const rects = unseen(box) ? [] : places(box.one);
            if (rects.length) {
                texts.push([box.one, keyOf(box.one, rects, boxes, painted)]);
            }
        }
        return [...new Set(texts.map(([, key]) => key))];
    }

    /* A line for each thing that axe finds. */
    const said = (violations) => violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) =>
            `${id}: ${html.slice(0, 300)} ${failureSummary}`));

    /* All rules of these standards but contrast. */
    async function rules(standards) {
        const { violations } = await window.axe.run({ runOnly: standards,
            rules: { "color-contrast": { enabled: false } },
            resultTypes: ["violations"], selectors: false });
        return said(violations);
    }

    /* Measures the texts with these keys. Those passed are the ones with a
     * figure: without one axe has found the text to be hidden. */
    async function contrast(asked) {
        const some = new Map(texts.filter(([, key]) => asked.includes(key)));
        const { passes, violations } = await window.axe.run(
            { include: [...some.keys()] },
            { runOnly: { type: "rule", values: ["color-contrast"] },
              resultTypes: ["passes", "violations"], elementRef: true,
              selectors: false });
        const passed = passes.flatMap(({ nodes }) => nodes.filter(
            ({ any: [{ data }] }) => data?.fgColor && data.bgColor)
            .map(({ element }) => some.get(element)));
        return { found: said(violations),
            passed: [...new Set(passed)].filter(Boolean) };
    }

    return { keys, rules, contrast };
})();
