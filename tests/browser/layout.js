/* Runs in the page, and asks it how it is laid out. */
"use strict";

window.layout = (() => {
    const all = (selector, inside = document) =>
        [...inside.querySelectorAll(selector)];

    /* Boxes that hide a part of the words in them, but for those that end with
     * an ellipsis, and what only screen readers are told. */
    function hides(one) {
        const { overflowX, display } = getComputedStyle(one);
        return ["hidden", "clip"].includes(overflowX) &&
            display !== "inline" && one.clientWidth > 1;
    }

    function ends(one) { // with an ellipsis
        const { textOverflow, webkitLineClamp } = getComputedStyle(one);
        return textOverflow === "ellipsis" || webkitLineClamp !== "none" ||
            (one !== document.body && ends(one.parentElement));
    }

    function outside(text, box) {
        const range = document.createRange();
        range.selectNodeContents(text);
        return text.data.trim() && text.parentElement.checkVisibility() &&
            getComputedStyle(text.parentElement).clipPath === "none" &&
            !ends(text.parentElement) &&
            [...range.getClientRects()].some((is) =>
                is.right > box.right + 1 || is.left < box.left - 1 ||
                is.bottom > box.bottom + 1 || is.top < box.top - 1);
    }

    function cutOff() {
        return all("body *").filter(hides).flatMap((one) => {
            const box = one.getBoundingClientRect(), cut = [];
            const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
            while (texts.nextNode()) {
                if (outside(texts.currentNode, box)) {
                    cut.push(`${one.tagName}.${one.className}: ` +
                        texts.currentNode.data.trim().slice(0, 60));
                }
            }
            return cut;
        });
    }

    /* Texts that end with an ellipsis, of which the beginning is what is cut:
     * a title that is read from the right, in a box that is cut there. */
    function headless() {
        return all("main *").filter((one) =>
            !one.matches("input") && one.clientWidth > 1 &&
            one.checkVisibility() &&
            getComputedStyle(one).textOverflow === "ellipsis")
            .flatMap((one) => {
                const texts = document.createTreeWalker(one,
                    NodeFilter.SHOW_TEXT);
                const range = document.createRange();
                const box = one.getBoundingClientRect();
                do {
                    texts.nextNode();
                } while (texts.currentNode !== one &&
                    !texts.currentNode.data?.trim());
                if (texts.currentNode === one ||
                    !texts.currentNode.data?.trim()) {
                    return [];
                }
                const at = texts.currentNode.data.search(/\S/u);
                range.setStart(texts.currentNode, at);
                range.setEnd(texts.currentNode, at + 1);
                const is = range.getBoundingClientRect();
                return is.left < box.left - 1 || is.right > box.right + 1
                    ? [`${one.className}: ${one.innerText.slice(0, 60)}`] : [];
            });
    }

    /* Items of a list under each other that do not begin at one edge: a class
     * that means something elsewhere moves or marks them. */
    function ragged() {
        const edge = (one) => [one.getBoundingClientRect().left,
            getComputedStyle(one).borderLeftWidth].join(", border ");
        return all("ol, ul").filter((list) =>
            getComputedStyle(list).display === "block").flatMap((list) => {
            const items = [...list.children].filter((one) =>
                one.checkVisibility());
            const usual = items.length && edge(items[0]);
            return items.filter((one) => edge(one) !== usual).map((one) =>
                `${one.className}: ${edge(one)}, not ${usual}`);
        });
    }

    /* The button that confirms, where it is not the last one of its step: none
     * stands below it or, on more than a phone, further right. */
    function strayed(phone) {
        return all(".confirm .ends").flatMap((ends) => {
            const boxes = all(".btn", ends).map((one) =>
                one.getBoundingClientRect());
            const last = boxes.at(-1);
            return last && boxes.some(({ right, bottom }) =>
                bottom > last.bottom + 1 || (!phone && right > last.right + 1))
                ? [ends.innerText] : [];
        });
    }

    /* How many pixels the page is wider than the window. */
    function sideways() {
        const root = document.documentElement;
        return Math.max(root.scrollWidth, document.body.scrollWidth) -
            root.clientWidth;
    }

    return (phone) => ({ sideways: sideways(), cutOff: cutOff(),
        strayed: strayed(phone), ragged: ragged(), headless: headless() });
})();
