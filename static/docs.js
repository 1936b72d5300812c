/* Optional comfort of the pages under /docs: a block in several languages shows
 * one of them, and the search shows what it finds. Without a script the blocks
 * stand below one another, and the page of the search lists all pages. */
(function () {
    "use strict";

    /* ---- languages: what is chosen once is chosen everywhere ------------ */

    var KEPT = "docs-language";
    var sets = []; // of each set of tabs: a function that chooses a language

    function kept() {
        try {
            return localStorage.getItem(KEPT);
        } catch (error) {
            return null; // a browser that keeps nothing
        }
    }

    function keep(language) {
        try {
            localStorage.setItem(KEPT, language);
        } catch (error) {
            /* It holds for this page. */
        }
    }

    function tabs(set, number) {
        var panels = Array.from(set.children);
        var list = document.createElement("div");
        list.setAttribute("role", "tablist");
        list.setAttribute("aria-label", "Language");
        var buttons = panels.map(function (panel, n) {
            var button = document.createElement("button");
            button.type = "button";
            button.id = "language-" + number + "-" + n;
            button.textContent = panel.getAttribute("aria-label");
            button.setAttribute("role", "tab");
            panel.id = button.id + "-panel";
            button.setAttribute("aria-controls", panel.id);
            panel.removeAttribute("aria-label");
            panel.setAttribute("role", "tabpanel");
            panel.setAttribute("aria-labelledby", button.id);
            list.append(button);
            return button;
        });

        function show(chosen) {
            panels.forEach(function (panel, n) {
                panel.hidden = n !== chosen;
                buttons[n].setAttribute("aria-selected", n === chosen);
                buttons[n].tabIndex = n === chosen ? 0 : -1;
            });
        }

        function choose(language) {
            var n = panels.findIndex(function (panel) {
                return panel.dataset.lang === language;
            });
            if (n >= 0) {
                show(n);
            }
        }

        list.addEventListener("click", function (event) {
            var n = buttons.indexOf(event.target);
            if (n >= 0) {
                /* The button stays where it is on the screen. */
                var top = list.getBoundingClientRect().top;
                keep(panels[n].dataset.lang);
                sets.forEach(function (other) {
                    other(panels[n].dataset.lang);
                });
                window.scrollBy(0, list.getBoundingClientRect().top - top);
            }
        });
        list.addEventListener("keydown", function (event) {
            var step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
            var n = buttons.indexOf(event.target);
            if (step && n >= 0) {
                var next = (n + step + buttons.length) % buttons.length;
                buttons[next].focus();
                buttons[next].click();
                event.preventDefault();
            }
        });
        set.prepend(list);
        show(0);
        choose(kept());
        sets.push(choose);
    }

    document.querySelectorAll(".langs").forEach(tabs);

    /* ---- the search ----------------------------------------------------- */

    var MOST = 30; // results that are shown
    var found = document.getElementById("found");
    var said = document.getElementById("said");
    var inputs = Array.from(document.querySelectorAll(".find input"));
    var index = null;

    /* As the words of the index were made. */
    function words(text) {
        return text.toLowerCase().normalize("NFKD")
            .replace(/\p{M}/gu, "").match(/[\p{L}\p{N}_]+/gu) || [];
    }

    /* The parts that have a word which begins like this one: a number for
     * each, larger where such words are rare, where the word is whole, often in
     * a short part, or in the heading. */
    function having(start) {
        var often = new Map(), points = new Map();
        Object.keys(index.words).forEach(function (word) {
            if (!word.startsWith(start)) {
                return;
            }
            var part = 0;
            index.words[word].split(" ").forEach(function (step) {
                var both = step.split("*");
                part += Number(both[0]);
                often.set(part, (often.get(part) || 0) +
                    Number(both[1] || 1) * (word === start ? 2 : 1));
            });
        });
        var rare = Math.log(1 + index.parts.length / often.size);
        often.forEach(function (times, part) {
            var length = index.parts[part][4] / 200;
            var page = index.pages[index.parts[part][0]];
            var heads = words(index.parts[part][2] + " " + page[1]);
            points.set(part, rare * times / (times + .5 + length) *
                (heads.includes(start) ? 2 : 1));
        });
        return points;
    }

    /* The parts that have all words, the best first. */
    function search(text) {
        var each = words(text).filter(function (word) {
            return word.length > 1 && !index.everywhere.includes(word);
        }).map(having);
        if (each.length === 0) {
            return [];
        }
        return Array.from(each[0].keys()).filter(function (part) {
            return each.every(function (points) {
                return points.has(part);
            });
        }).map(function (part) {
            return [part, each.reduce(function (sum, points) {
                return sum + points.get(part);
            }, 0)];
        }).sort(function (a, b) {
            return b[1] - a[1] || a[0] - b[0];
        }).map(function (one) {
            return one[0];
        });
    }

    function row(number) {
        var part = index.parts[number];
        var page = index.pages[part[0]];
        var item = document.createElement("li");
        var link = document.createElement("a");
        link.href = page[0] + "#" + part[1];
        link.textContent = page[1] === part[2] ? page[1]
            : page[1] + ": " + part[2];
        var lead = document.createElement("p");
        lead.textContent = part[3];
        item.append(link, lead);
        return item;
    }

    function show(text) {
        var parts = search(text);
        said.textContent = text.trim() === "" ? "" : parts.length === 0
            ? "Nothing has all of these words."
            : parts.length === 1 ? "1 place" : parts.length + " places";
        found.replaceChildren.apply(found, parts.slice(0, MOST).map(row));
    }

    function typed(event) {
        inputs.forEach(function (input) {
            if (input !== event.target) {
                input.value = event.target.value;
            }
        });
        history.replaceState(null, "", "?q=" +
            encodeURIComponent(event.target.value));
        show(event.target.value);
    }

    if (found) {
        var asked = new URLSearchParams(location.search).get("q") || "";
        inputs.forEach(function (input) {
            input.value = asked;
        });
        fetch("/docs/search.json").then(function (answer) {
            return answer.json();
        }).then(function (json) {
            index = json;
            show(inputs[0].value);
            inputs.forEach(function (input) {
                input.addEventListener("input", typed);
            });
        }, function () {
            said.textContent = "The search could not be loaded.";
        });
    }

    document.addEventListener("keydown", function (event) {
        if (event.key === "/" && !event.ctrlKey && !event.metaKey &&
            !event.target.closest("input, textarea, [contenteditable]")) {
            var seen = inputs.find(function (input) {
                return input.offsetParent !== null;
            });
            if (seen) {
                seen.focus();
                event.preventDefault();
            }
        }
    });
})();
