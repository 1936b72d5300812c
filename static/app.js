/* Optional comfort: every page works without scripts. Keeps relative times
 * current, shows the copy buttons, sends a form once when it is pressed twice,
 * and shows changes while a page is open. */
(function () {
    "use strict";

    var body = document.body;
    /* The server's clock is used, because a reader's may be wrong. */
    var skew = Date.parse(body.dataset.now) - Date.now() || 0;

    function count(seconds) {
        if (seconds < 60) {
            return seconds + " s";
        }
        if (seconds < 3600) {
            return Math.floor(seconds / 60) + " min";
        }
        if (seconds < 172800) {
            return Math.floor(seconds / 3600) + " h";
        }
        return Math.floor(seconds / 86400) + " days";
    }

    var soonest = 0; // seconds until the next time ends

    function relative(time) {
        var at = Date.parse(time.dateTime);
        var seconds = Math.ceil((at - Date.now() - skew) / 1000);
        if (isNaN(at)) {
            return;
        }
        if (time.dataset.rel === "left") {
            time.textContent =
                seconds > 0 ? count(seconds) + " left" : "expired";
            if (seconds > 0) {
                soonest = Math.min(soonest, seconds);
            } else {
                document.dispatchEvent(new Event("timeup"));
            }
        } else {
            time.textContent = count(Math.max(0, -seconds)) + " ago";
        }
    }

    function refresh() {
        soonest = Infinity;
        document.querySelectorAll("time[data-rel]").forEach(relative);
    }

    /* Each second of the last two minutes. */
    function tick() {
        refresh();
        setTimeout(tick, soonest <= 130 ? 1000 : 10000);
    }

    function copies(button) {
        button.hidden = false;
        button.addEventListener("click", function () {
            navigator.clipboard.writeText(button.dataset.copy).then(
                function () {
                    button.classList.add("done");
                    if (button.textContent.trim()) {
                        button.textContent = "Copied";
                    } else {
                        button.setAttribute("aria-label", "Copied");
                    }
                });
        });
    }

    function allow() {
        document.querySelectorAll("form").forEach(function (form) {
            delete form.dataset.sent;
        });
    }

    var sending = null; // the pressed button, as long as it says so

    /* The button as it was: the answer did not lead to another page. */
    function settle() {
        if (sending) {
            clearTimeout(sending.timer);
            sending.button.replaceChildren.apply(sending.button,
                sending.words);
            sending.button.disabled = false;
            sending.note.remove();
            sending = null;
        }
    }

    /* An answer is on its way. The button is pressed out only after its form
     * was read, which has its value. */
    function send(button) {
        var note = document.createElement("p");
        settle();
        note.className = "second sending";
        note.setAttribute("role", "status");
        sending = { button: button, note: note,
            words: Array.from(button.childNodes) };
        button.after(note);
        setTimeout(function () {
            if (sending && sending.button === button) {
                button.textContent = "Sending\u2026";
                button.disabled = true;
            }
        });
        sending.timer = setTimeout(function () {
            note.textContent = "Still sending. Your text is kept.";
            sending.timer = setTimeout(settle, 15000);
        }, 5000);
    }

    if (navigator.clipboard) {
        document.querySelectorAll("button[data-copy]").forEach(copies);
    }

    document.addEventListener("submit", function (event) {
        if (event.target.dataset.sent) {
            event.preventDefault();
        }
        event.target.dataset.sent = "yes";
        setTimeout(allow, 3000);
        if (!event.defaultPrevented && event.submitter &&
            /\/(respond|decide)$/.test(event.submitter.getAttribute(
                "formaction") || event.target.action)) {
            send(event.submitter);
        }
    });

    /* A page restored from the browser's cache may send again. */
    window.addEventListener("pageshow", function () {
        allow();
        settle();
        refresh();
    });
    setTimeout(tick, 1000);

    /* The answer is said once: not again by a reload, and not by the list to
     * which Back leads. */
    var told = document.getElementById("answered");
    var heading = document.querySelector("main h1");
    var plain = new URL(location.href);
    if (plain.searchParams.has("answered") ||
        plain.searchParams.has("list")) {
        ["answered", "list", "done"].forEach(function (key) {
            plain.searchParams.delete(key);
        });
        history.replaceState(null, "", plain.pathname + plain.search);
    }
    if (told && heading && document.activeElement === body) {
        heading.tabIndex = -1;
        heading.setAttribute("aria-describedby", "answered");
        heading.focus({ preventScroll: true });
    }

    /* The answer to many is ready where it is seen beside them; under them it
     * comes after the last one. */
    var ready = document.querySelector("[data-ready]");
    if (ready && ready.getBoundingClientRect().bottom <= window.innerHeight &&
        document.activeElement === body) {
        ready.focus({ preventScroll: true });
    }
}());

/* Changes while the page is open. A stream announces a change; the new content
 * comes from the same page, requested again, so that only the server writes
 * pages. Nothing moves under a pointer and no typed text is touched. A page
 * that shows nothing live has the counts of its frame, which come from a small
 * page. */
(function () {
    "use strict";

    var live = document.querySelector("[data-live]");
    var inbox = document.querySelector("[data-live^='/inbox']");
    var opened = Date.parse(document.body.dataset.now);
    var asked = {}, ended = {}; // questions by address, from the stream
    var source = null, channel = null, leave = null, timer = 0, over = false;
    var begun = false; // the stream was open before
    var news = []; // addresses of questions that the page does not show yet
    var arrived = []; // ids of new questions that no notification has yet
    var notices = {}; // notifications by address
    var seen = null; // ends the lock of a visible page

    if (!document.body.dataset.stream || !window.EventSource) {
        return;
    }

    /* The page that has the new content. */
    function address() {
        return live ? live.dataset.live : "/keys";
    }

    function say(text, link, address) {
        var p = document.createElement("p"), a = document.createElement("a");
        if (!live || live.dataset.said === text) {
            return;
        }
        live.dataset.said = text;
        p.className = "banner news";
        a.href = address;
        a.textContent = link;
        a.addEventListener("click", function () {
            try {
                sessionStorage.setItem("new", JSON.stringify(news));
            } catch (error) {
                return;
            }
        });
        p.append(text + " ", a);
        live.replaceChildren(p);
    }

    /* ---- the inbox ---- */

    function rows(page) {
        var found = new Map();
        page.querySelectorAll("li.row.inbox").forEach(function (row) {
            var link = row.querySelector(".title");
            found.set(link.getAttribute("href"), row);
        });
        return found;
    }

    function busy(row) {
        return row.parentNode.matches(":hover") ||
            row.contains(document.activeElement);
    }

    /* Rows that are gone are removed when no pointer is on the list: the others
     * would move under it. */
    function sweep() {
        document.querySelectorAll("li.gone").forEach(function (row) {
            if (!busy(row)) {
                row.remove();
            }
        });
        document.dispatchEvent(new Event("gone"));
    }

    /* It cannot be picked any more; the focus stays where it is. */
    function mark(row) {
        var box = row.querySelector("[name='pick[]']");
        row.classList.add("gone");
        row.querySelector(".c-end .one").textContent = "no longer open";
        if (box && box !== document.activeElement) {
            box.checked = false;
            box.disabled = true;
            document.dispatchEvent(new Event("change"));
        }
    }

    /* On a full page a row may only have moved to the next page: it is gone
     * where the stream says so, or where a row after it is still there. */
    function markGone(page, full, moved) {
        var now = rows(page), later = false;
        Array.from(rows(document)).reverse().forEach(function (pair) {
            if (now.has(pair[0])) {
                later = true;
            } else if (!full || moved || later || ended[pair[0]]) {
                mark(pair[1]);
            }
        });
    }

    /* The addresses of new questions since the page was made. */
    function fresh(page, full) {
        var here = rows(document), found = new Set();
        rows(page).forEach(function (row, address) {
            var since = row.querySelector(".c-age time");
            if (Date.parse(since.dateTime) + 1000 > opened) {
                found.add(address);
            }
        });
        Object.keys(full ? asked : {}).forEach(function (address) {
            found.add(address);
        });
        return Array.from(found).filter(function (address) {
            return !here.has(address);
        });
    }

    /* How many of the new ones are critical or high, as far as they are on the
     * page. */
    function grave(page, all) {
        var there = rows(page);
        return ["critical", "high"].map(function (level) {
            var n = news.filter(function (address) {
                var row = there.get(address);
                return row && row.querySelector(".sign." + level);
            }).length;
            return n ? ", " + (all === 1 ? "" : n + " ") + level : "";
        }).join("");
    }

    /* The new rows that the reader has asked to see: each is marked, and the
     * first of them has the focus. */
    function showNew() {
        var here = rows(document), wanted = [], first = null, p;
        try {
            wanted = JSON.parse(sessionStorage.getItem("new")) || [];
            sessionStorage.removeItem("new");
        } catch (error) {
            return;
        }
        here.forEach(function (row, address) {
            var word = document.createElement("bdi");
            if (wanted.indexOf(address) < 0) {
                return;
            }
            word.className = "of";
            word.textContent = "New. ";
            row.classList.add("fresh");
            if (row.closest("details")) {
                row.closest("details").open = true;
            }
            row.querySelector(".title").prepend(word);
            first = first || row;
        });
        wanted = wanted.filter(function (address) {
            return !here.has(address);
        });
        if (first) {
            first.querySelector(".title").focus();
            first.scrollIntoView({ block: "nearest" });
        }
        if (wanted.length) {
            p = document.createElement("p");
            p.className = "banner news";
            p.textContent = wanted.length + " of the new requests " +
                (wanted.length === 1 ? "is" : "are") + " not on this page.";
            live.replaceChildren(p);
        }
    }

    /* Without rows nothing can move. */
    function refill(page) {
        var list = document.querySelector(".list");
        if (list && !list.querySelector("li")) {
            list.replaceWith(page.querySelector(".list, .empty, .first"));
            take(page, ".pager");
            document.querySelectorAll("#bulk").forEach(function (bar) {
                bar.hidden = !page.querySelector("#bulk");
            });
        }
    }

    function compareInbox(page, moved) {
        var full = page.querySelector(".pager a[href*='after=']"), count;
        markGone(page, full, moved);
        sweep();
        refill(page);
        if (!document.querySelector(".menu :focus")) {
            take(page, ".menus .counts");
        }
        news = fresh(page, full);
        count = news.length;
        if (count) {
            say(count + " new" + grave(page, count) + ".", "Show",
                live.dataset.first);
        } else {
            live.replaceChildren();
            live.dataset.said = "";
        }
        return count;
    }

    /* ---- one question ---- */

    function isTyped(field) {
        return field.value !== field.defaultValue ||
            field.checked !== field.defaultChecked;
    }

    function fields() {
        return Array.from(document.querySelectorAll(
            "main :is(input, textarea):not([type=hidden])"));
    }

    /* A comment that is removed with the strip stays visible in its place. */
    function keep(box, strip) {
        fields().filter(function (field) {
            return strip.contains(field) && field.matches("textarea") &&
                field.value.trim();
        }).forEach(function (field) {
            var words = document.createElement("p");
            words.className = "words quote";
            words.textContent = field.value;
            box.append(words);
        });
    }

    function still(field) {
        if (field.matches("button, select, [type=checkbox], [type=radio]")) {
            field.disabled = true;
        } else {
            field.readOnly = true;
        }
    }

    /* Nothing more can be sent from here: the result replaces the buttons, and
     * is read out. */
    function end(text, state) {
        var strip = document.querySelector("main .strip:not([role=note])");
        var box = document.createElement("div");
        var head = document.createElement("h2");
        var p = document.createElement("p");
        var a = document.createElement("a");
        var told = text + (fields().some(isTyped) ?
            " Your input here was not sent." : "");
        var here = strip.contains(document.activeElement) ||
            document.activeElement.matches("main form *, [form]");
        if (strip.dataset.over === told) {
            return;
        }
        box.className = "strip ended";
        box.tabIndex = -1;
        box.dataset.over = told;
        head.textContent = state;
        p.textContent = told;
        a.href = live.dataset.live;
        a.textContent = "View";
        box.append(head, p);
        keep(box, strip);
        box.append(a);
        strip.replaceWith(box);
        document.querySelectorAll("main .jump").forEach(function (old) {
            old.remove();
        });
        document.querySelectorAll("main form :is(button, input, textarea, " +
            "select), main [form]").forEach(still);
        live.textContent = told;
        if (here) {
            box.focus({ preventScroll: true });
        }
    }

    function compareQuestion(page) {
        var summary = page.querySelector("[data-summary]");
        var chips = page.querySelector(".chips");
        var open = document.querySelector(".asked > .chips");
        if (!summary) {
            return;
        }
        if (document.querySelector("form[data-sent]")) {
            setTimeout(soon, 3000); // its own answer is being sent
            return;
        }
        if (open && chips) {
            open.replaceWith(chips.cloneNode(true));
        }
        end(summary.textContent, summary.dataset.summary);
    }

    /* The server's sentence appears as soon as it is written. */
    function timeUp() {
        if (live && !inbox && document.querySelector("main .strip") &&
            !document.querySelector("form[data-sent], .ended")) {
            end("The deadline has passed.", "Expired");
            soon();
        }
    }

    /* ---- requesting the page again ---- */

    function take(page, selector) {
        var now = page.querySelectorAll(selector);
        document.querySelectorAll(selector).forEach(function (old, i) {
            if (now[i]) {
                old.replaceWith(now[i].cloneNode(true));
            }
        });
    }

    /* The count before a title; beyond what is counted a new question would not
     * change it, so it says how many are new. */
    function titled(title, page, more) {
        var count = /^\(.*?\) /.exec(page.title);
        return (count ? count[0].replace("+)", more ? "+, " + more +
            " new)" : "+)") : "") + title.replace(/^\(.*?\) /, "");
    }

    function compare(page, moved) {
        var count = Object.keys(asked).length;
        [".count", ":is(.side, .sheet) .n"].forEach(function (selector) {
            take(page, selector);
        });
        if (live) {
            take(page, ".head .quiet, .tools .total");
            take(page, ".place .nth");
            take(page, ".asof time");
        }
        if (inbox) {
            count = compareInbox(page, moved);
        } else if (live) {
            compareQuestion(page);
        }
        document.title = titled(live ? page.title : document.title, page,
            count);
    }

    function signedOut() {
        over = true;
        stop();
        say("Your session has ended. This page is no longer updated.",
            "Sign in", "/login?next=" +
                encodeURIComponent(location.pathname + location.search));
    }

    /* An answer that is not a page of this server is requested again later. */
    function look() {
        timer = 0;
        return fetch(address()).then(function (answer) {
            var path = new URL(answer.url).pathname;
            if (path === "/login") {
                signedOut();
                return null;
            }
            return answer.ok ? answer.text().then(function (text) {
                compare(new DOMParser().parseFromString(text, "text/html"),
                    answer.redirected);
            }) : null;
        }).catch(function () {
            return null;
        });
    }

    /* Many pages get the same event, and many events may come at once. */
    function soon() {
        if (!over && !timer) {
            timer = setTimeout(look, (document.hidden ? 15000 : 700) +
                                     Math.random() * 800);
        }
    }

    /* ---- notifications ---- */

    /* As this browser was asked to; null: not at all. */
    function wanted() {
        try {
            return window.Notification && Notification.permission ===
                "granted" && JSON.parse(localStorage.getItem("notify"));
        } catch (error) {
            return null;
        }
    }

    /* Each visible page holds this lock, so that the page with the stream knows
     * whether somebody may be looking. */
    function visible() {
        if (document.hidden || seen || !navigator.locks) {
            return;
        }
        seen = true;
        navigator.locks.request("sayso-visible", { mode: "shared" },
            function () {
                return new Promise(function (done) {
                    seen = done;
                    if (document.hidden) {
                        hidden();
                    }
                });
            });
    }

    function hidden() {
        if (typeof seen === "function") {
            seen();
            seen = null;
        }
    }

    /* A click opens the page, where the answer is given. */
    function notify(title, text, tag, address) {
        var one;
        try {
            one = new Notification(title, { body: text, tag: tag });
        } catch (error) { // some browsers have no notifications of a page
            return;
        }
        notices[address] = one;
        one.addEventListener("click", function () {
            window.open(address, "_blank");
            one.close();
        });
    }

    function announce(list, more) {
        var how = wanted() || { least: 9 }, top = null;
        list = list.filter(function (one) {
            return one.rank >= how.least && (!how.mine || one.mine) &&
                !ended[one.url];
        });
        list.forEach(function (one) {
            top = !top || one.rank > top.rank ? one : top;
        });
        if (list.length > 3) {
            notify((more ? "More than " : "") + list.length + " new requests",
                "Highest risk: " + (top.risk || "unrated"), "many", "/inbox");
            return;
        }
        list.forEach(function (one) {
            notify(one.risk ? one.risk + " risk" : "New request", one.title,
                one.id, one.url);
        });
    }

    /* The new ones of a moment together, where no page is visible. */
    function announceSoon() {
        var of = arrived.splice(0, 10).join("."), more = arrived.length;
        arrived = [];
        navigator.locks.query().then(function (locks) {
            return locks.held.some(function (lock) {
                return lock.name === "sayso-visible";
            }) ? null : fetch("/inbox/notices?of=" + encodeURIComponent(of));
        }).then(function (answer) {
            return answer && answer.ok ? answer.json() : { notices: [] };
        }).then(function (said) {
            announce(said.notices, more);
        }).catch(function () {
            return null;
        });
    }

    function arrive(data) {
        var address = "/suspensions/" + encodeURIComponent(data.suspension_id);
        if (data.change === "asked" && wanted() && navigator.locks) {
            if (!arrived.length) {
                setTimeout(announceSoon, 1000);
            }
            arrived.push(data.suspension_id);
        } else if (notices[address] && data.change !== "reminded" &&
                   data.change !== "escalated") {
            notices[address].close();
            delete notices[address];
        }
    }

    function hear(data) {
        var address = "/suspensions/" + data.suspension_id;
        if (data.change === "asked") {
            asked[address] = true;
        } else if (data.suspension_id && data.change !== "reminded" &&
                   data.change !== "escalated") {
            delete asked[address];
            ended[address] = true;
        }
        soon();
    }

    function tell(event) {
        var data = JSON.parse(event.data), first = !begun;
        begun = true;
        if (channel) {
            channel.postMessage(data);
        }
        if (event.type !== "connected") {
            arrive(data);
        }
        /* Counts are as new as their page when its stream begins. */
        if (live || !first || event.type !== "connected") {
            hear(data);
        }
    }

    /* ---- the stream ---- */

    function close() {
        if (source) {
            source.close();
            source = null;
        }
    }

    /* A browser reconnects by itself, but not after a refusal. */
    function open() {
        close();
        source = new EventSource(document.body.dataset.stream);
        source.addEventListener("connected", tell);
        source.addEventListener("suspension", tell);
        source.onerror = function () {
            if (source && source.readyState === EventSource.CLOSED) {
                source = null;
                setTimeout(function () {
                    look().then(function () {
                        if (!over && !source && leave) {
                            open();
                        }
                    });
                }, 5000 + Math.random() * 2000);
            }
        };
    }

    function stop() {
        close();
        if (channel) {
            channel.close();
            channel = null;
        }
        if (leave) {
            leave();
            leave = null;
        }
    }

    /* A browser has few connections to one server, so one page listens for all
     * of them. */
    function start() {
        if (!navigator.locks || !window.BroadcastChannel) {
            leave = close; // and only while the page is visible
            open();
            return;
        }
        channel = new BroadcastChannel("sayso");
        channel.onmessage = function (event) {
            hear(event.data);
        };
        if (live) {
            soon();
        }
        navigator.locks.request("sayso-stream", function () {
            return new Promise(function (done) {
                leave = done;
                if (over || !channel) {
                    stop();
                } else {
                    open();
                }
            });
        });
    }

    document.addEventListener("timeup", timeUp);
    if (inbox) {
        showNew();
        document.addEventListener("pointerout", function () {
            setTimeout(sweep, 500);
        });
        document.addEventListener("focusout", function () {
            setTimeout(sweep, 500);
        });
    }
    document.addEventListener("visibilitychange", function () {
        (document.hidden ? hidden : visible)();
        if (leave === close) {
            (document.hidden ? close : open)();
        }
        if (!document.hidden && timer) {
            clearTimeout(timer);
            timer = 0;
            soon();
        }
    });
    window.addEventListener("pagehide", function () {
        stop();
        hidden();
    });
    window.addEventListener("pageshow", function (event) {
        if (event.persisted && !over) {
            visible();
            start();
            soon();
        }
    });
    visible();
    start();
}());

/* Others who have the request open, as the server says. A page that nobody sees
 * does not count. */
(function () {
    "use strict";

    var said = document.querySelector("[data-looking]");

    function look() {
        if (document.hidden || document.querySelector("main .ended")) {
            return;
        }
        fetch(said.dataset.looking).then(function (answer) {
            return answer.ok && !answer.redirected ? answer.json() : null;
        }).then(function (now) {
            if (now && said.textContent !== now.sentence) {
                said.textContent = now.sentence;
            }
        }).catch(function () {
            return null;
        });
    }

    if (said && window.fetch) {
        setInterval(look, 20000);
        document.addEventListener("visibilitychange", look);
        window.addEventListener("pageshow", function (event) {
            if (event.persisted) {
                look();
            }
        });
    }
}());

/* The bar with the link to the form is hidden while the form is visible. */
(function () {
    "use strict";

    var bar = document.querySelector(".jump");
    if (bar && window.IntersectionObserver) {
        new IntersectionObserver(function (seen) {
            bar.hidden = seen[0].isIntersecting;
        }).observe(document.querySelector(".choose") ||
            document.querySelector(bar.querySelector("a").hash));
    }
}());

/* Of many values those are shown that have what is typed above them, in their
 * name or in the value. */
(function () {
    "use strict";

    function sift(box) {
        var input = box.querySelector("input");
        var rows = box.parentElement.querySelectorAll(".args > div");
        var others = box.parentElement.querySelector(".others");

        function show() {
            var wanted = input.value.trim().toLowerCase(), shown = 0;
            rows.forEach(function (row) {
                row.hidden =
                    row.textContent.toLowerCase().indexOf(wanted) < 0;
                shown += row.hidden ? 0 : 1;
            });
            if (wanted) {
                others.open = true;
            }
            others.querySelector("summary").hidden = !!wanted;
            box.querySelector("[role=status]").textContent =
                wanted ? shown + " of " + rows.length + " values" : "";
        }

        input.addEventListener("input", show);
        box.hidden = false;
    }

    document.querySelectorAll(".sift").forEach(sift);
}());

/* The shortcuts, and the bar for several questions at once. A key only presses
 * a button of the page, and does nothing while somebody types. A critical
 * question is never answered by a key. */
(function () {
    "use strict";

    var list = document.querySelector(".list");
    var bar = document.getElementById("bulk");
    var before = "", timer = 0; // the first key of two
    var meant = null; // the no whose comment is being typed
    var single = document.body.dataset.keys === "once";
    var armed = null; // the button that waits for its second press
    var armedKey = "";
    var last = 0, earlier = 0; // the time of the last letter, and of the one
                               // before
    var note = null;
    var rail = document.querySelector(".rail");
    var way = (document.querySelector(".ask") || {}).dataset; // of an open one
    var lastBox = null; // the one that was ticked last
    var ending = null; // says that the list from which the reader came ends

    function one(selector) {
        return document.querySelector(selector);
    }

    function all(selector) {
        return Array.from(document.querySelectorAll(selector));
    }

    function press(thing) {
        if (thing && !thing.disabled) {
            thing.click();
        }
        return !!thing;
    }

    /* ---- rows ---- */

    /* Those that can be seen; a folded group is one. */
    function rows() {
        return all("li.row:not(.gone), summary.row").filter(function (row) {
            return row.checkVisibility ? row.checkVisibility() :
                row.getClientRects().length > 0;
        });
    }

    function current() {
        return one(".row.here");
    }

    /* The part of a row that takes the focus. */
    function handle(row) {
        return row.querySelector(".title") || row;
    }

    function tick(row, on) {
        var box = row && (row.querySelector("[name='pick[]']") ||
            row.closest(".grouped").querySelector("[data-group]"));
        if (box) {
            box.checked = on === undefined ? !box.checked : on;
            if (box.matches("[data-group]")) {
                boxes(box).forEach(function (one) {
                    one.checked = box.checked;
                });
            }
            count();
        }
        return !!box;
    }

    function stand(row) {
        var old = current();
        if (old) {
            old.classList.remove("here");
        }
        row.classList.add("here");
        handle(row).focus({ preventScroll: true });
        row.scrollIntoView({ block: "nearest" });
    }

    function move(by, select) {
        var there = rows(), at = there.indexOf(current());
        var next = there[at < 0 ? 0 : at + by];
        if (!next) {
            return there.length > 0;
        }
        if (select && at >= 0) {
            tick(there[at], true);
        }
        stand(next);
        if (select) {
            tick(next, true);
        }
        return true;
    }

    /* ---- the bar ---- */

    function picked() {
        return all("[name='pick[]']:checked").length;
    }

    /* The address of this list with the ids of ticked rows. */
    function ticked(ids) {
        var address = new URL(location.href);
        address.searchParams.delete("picked");
        if (ids) {
            address.searchParams.set("picked", ids);
        }
        return address.pathname + address.search;
    }

    /* The box of a group shows the ticks in it. */
    function boxes(group) {
        return Array.from(group.parentNode.querySelectorAll(
            "li.row:not(.gone) [name='pick[]']"));
    }

    function countGroup(group) {
        var of = boxes(group);
        var n = of.filter(function (box) {
            return box.checked;
        }).length;
        group.checked = n > 0 && n === of.length;
        group.indeterminate = n > 0 && n < of.length;
    }

    /* "412.60 EUR" of the ticked ones, where each has an amount of one unit;
     * added as whole numbers. */
    function sum(picks) {
        var places = 0, total = 0n, unit = picks[0].dataset.unit;
        var same = picks.every(function (box) {
            places = Math.max(places,
                ((box.dataset.sum || "").split(".")[1] || "").length);
            return box.dataset.sum && box.dataset.unit === unit;
        });
        if (!same) {
            return "";
        }
        picks.forEach(function (box) {
            var parts = box.dataset.sum.split(".");
            total += BigInt(parts[0] + (parts[1] || "").padEnd(places, "0"));
        });
        total = String(total).padStart(places + 1, "0");
        return total.slice(0, total.length - places).replace(
            /\B(?=(\d{3})+$)/g, ",") +
            (places ? "." + total.slice(-places) : "") + " " + unit;
    }

    /* Their risk, and which of them cannot be decided together. */
    function risks(picks) {
        var levels = ["low", "medium", "high", "critical"];
        var limit = levels.indexOf(bar.dataset.limit);
        var found = picks.map(function (box) {
            return levels.indexOf(box.dataset.risk);
        });
        var top = Math.max.apply(null, found);
        var over = found.filter(function (level) {
            return level < 0 || level > limit;
        }).length;
        return (top < 0 ? "" : (found.every(function (level) {
            return level === top;
        }) ? "all " : "up to ") + levels[top] + ", ") + (over ?
            over + (over === 1 ? " needs" : " need") + " an answer alone" :
            "within your limit");
    }

    function count() {
        var n, picks, whole = one("[data-all]");
        if (!bar || !whole) {
            return;
        }
        picks = all("[name='pick[]']:checked");
        n = picks.length;
        all("[data-group]").forEach(countGroup);
        whole.checked = n > 0 &&
            n === all("li.row [name='pick[]']:enabled").length;
        whole.indeterminate = n > 0 && !whole.checked;
        bar.querySelector("[data-pick=all]").hidden = whole.checked;
        bar.querySelectorAll("[name=all]").forEach(function (button) {
            button.hidden = !whole.checked;
        });
        if (!n) { // it is not to be seen
            return;
        }
        bar.querySelector(".selected").textContent = n + " selected";
        bar.querySelector(".quiet").textContent = [sum(picks), risks(picks)]
            .filter(Boolean).join(", ");
        bar.querySelectorAll("[data-word]").forEach(function (button) {
            button.firstChild.textContent = button.dataset.word + " " + n;
        });
    }

    /* The number and the sum of a group of which some are gone. */
    function tally(group) {
        var left = Array.from(group.querySelectorAll("li.row:not(.gone)"));
        var words = group.querySelector(".how-many");
        var figure = group.querySelector("summary .figure");
        var total = "", n = left.length;
        if (!left.length) {
            if (!group.querySelector("li") && !one(".list:hover") &&
                !group.contains(document.activeElement)) {
                group.remove();
            }
            return;
        }
        total = sum(left.map(function (row) {
            return row.querySelector("[name='pick[]']") || row;
        })).split(" ");
        words.textContent = words.textContent.replace(
            /^[\d,]+( requests?)?/, function (all, word) {
                return n + (word ? " request" + (n === 1 ? "" : "s") : "");
            });
        words = group.querySelector(".review .of");
        if (words) {
            words.textContent = words.textContent.replace(/\d+/, n);
        }
        if (figure) {
            figure.textContent = total[0];
            figure.parentNode.hidden = !total[0];
        }
    }

    function tallySection(head) {
        var n = 0, groups = 0, at = head.nextElementSibling;
        var words = head.querySelector(".n").lastChild;
        for (; at && !at.matches(".section"); at = at.nextElementSibling) {
            n += at.querySelectorAll("li.row:not(.gone)").length;
            groups += at.matches(".grouped");
        }
        head.querySelector(".k").textContent = n;
        head.hidden = !n;
        if (/ in \d/.test(words.data)) {
            words.data = " in " + groups + " group" +
                (groups === 1 ? "" : "s");
        }
    }

    /* Of the rows of the page, in folded groups too. */
    function pickAll(on) {
        all("li.row:not(.gone) [name='pick[]']").slice(0, 50).forEach(
            function (box) {
                box.checked = on;
            });
        count();
        return !!bar;
    }

    /* With Shift a tick counts for all rows from the last one. */
    function range(event) {
        var box = event.target, there, from, to;
        if (!box.matches("li.row [name='pick[]']")) {
            return;
        }
        there = rows().map(function (row) {
            return row.querySelector("[name='pick[]']");
        }).filter(Boolean);
        from = there.indexOf(lastBox);
        to = there.indexOf(box);
        if (event.shiftKey && from >= 0 && to >= 0) {
            there.slice(Math.min(from, to), Math.max(from, to) + 1).forEach(
                function (one) {
                    one.checked = box.checked;
                });
            count();
        }
        lastBox = box;
    }

    /* ---- a letter that answers is pressed twice ---- */

    function label(button) {
        return Array.from(button.childNodes).filter(function (node) {
            return node.nodeName !== "KBD";
        }).map(function (node) {
            return node.textContent;
        }).join("").trim();
    }

    /* The note about the first press; present from the start, so that it is
     * read out. */
    function makeNote() {
        var strip = one("main .strip:not([role=note])");
        if (strip && !single && strip.querySelector("[aria-keyshortcuts]")) {
            note = document.createElement("p");
            note.className = "armed-note";
            note.setAttribute("role", "status");
            strip.append(note);
        }
    }

    function disarm() {
        if (armed) {
            armed.classList.remove("armed");
            armed = null;
            note.textContent = "";
        }
    }

    /* A link decides nothing, and neither does a letter in the middle of a
     * word. */
    function decide(key, button) {
        var again = armed === button;
        if (button.disabled || button.type !== "submit" || single || !note) {
            return press(button);
        }
        disarm();
        if (again) {
            return press(button);
        }
        if (!earlier || last - earlier > 700) {
            armed = button;
            armedKey = key;
            button.classList.add("armed");
            note.textContent = "Press " + key + " again to answer: " +
                label(button) + ". Any other key cancels.";
        }
        return true;
    }

    /* A letter does not leave a page with unsent text. */
    function stay() {
        var box = all("main textarea").find(function (field) {
            return field.value !== field.defaultValue && !field.readOnly;
        });
        if (box) {
            box.focus();
        }
        return !!box;
    }

    /* ---- one question ---- */

    function critical() {
        return !!one(".asked > .chips .chip.critical, " +
            ".listed.grave");
    }

    /* Focuses the box first, where a text is needed and missing. */
    function words(button) {
        var box = document.getElementById("reason");
        var needed = box && !box.value.trim() && (box.required ||
            (button && button.closest(".answer") && /^Comment required/.test(
                button.closest(".answer").textContent.replace(
                    button.textContent, "").trim())));
        if (needed) {
            box.focus();
        }
        return !!needed;
    }

    function send() {
        var button = meant ||
            one("form.confirm [type=submit][aria-keyshortcuts]") ||
            one("#answer [type=submit]:enabled");
        var sure = button && (button === meant || !button.closest(".choose"));
        return sure && !critical() && (words(button) || press(button));
    }

    /* A no that would be sent at once first focuses the comment, and is sent
     * from there, with a comment or without. */
    function comment(button) {
        var box = document.getElementById("reason");
        if (button.type !== "submit" || !box || box.value.trim()) {
            return false;
        }
        meant = button;
        box.placeholder = "Ctrl Enter: " + button.firstChild.textContent;
        box.focus();
        box.addEventListener("blur", function () {
            meant = null;
            box.placeholder = "";
        }, { once: true });
        return true;
    }

    /* The button with this key on the page. */
    function named(key) {
        return one("#answer [aria-keyshortcuts='" + key + "'], " +
            ".strip [aria-keyshortcuts='" + key + "']");
    }

    function answer(key) {
        var button = named(key);
        if (one("form.confirm")) {
            return !!button && send();
        }
        if (bar) {
            if (!picked() && !tick(current(), true)) {
                return false;
            }
            return press(bar.querySelector(
                "[value=" + (key === "a" ? "approve" : "reject") + "]"));
        }
        return !!button && (words(button) ||
            (key === "r" && comment(button)) || decide(key, button));
    }

    /* Each key is shown on its button. */
    function hint() {
        all("[aria-keyshortcuts]").forEach(function (button) {
            var key = document.createElement("kbd");
            key.textContent = button.getAttribute("aria-keyshortcuts")
                .replace("Escape", "Esc");
            key.setAttribute("aria-hidden", "true");
            if (key.textContent &&
                !(critical() && button.closest("form.confirm"))) {
                button.append(" ", key);
            }
        });
    }

    function number(n) {
        var button = all(".choose .answer .btn")[n - 1];
        return !!button && (words(button) || decide(String(n), button));
    }

    /* ---- from one to the next ---- */

    /* A list with one filter has its name; what was searched is none. */
    function remember() {
        var set = /[?&]q=/.test(location.search) ? [] : all(".set bdi");
        var total = one(".tools .total");
        try {
            sessionStorage.setItem("list", JSON.stringify({
                at: location.pathname + location.search,
                name: (set.length === 1 ? set[0] : one("h1")).textContent,
                total: total ? /^[\d,]*\+?/.exec(total.textContent)[0] : "",
                of: all("li.row .title").map(function (link) {
                    return link.getAttribute("href");
                }) }));
        } catch (error) {
            return;
        }
    }

    function remembered() {
        try {
            return JSON.parse(sessionStorage.getItem("list")) || {};
        } catch (error) {
            return {};
        }
    }

    function link(text, address) {
        var a = document.createElement("a");
        a.textContent = text;
        a.href = address;
        return a;
    }

    /* "2 of 11" of those that are left in the list. */
    function position(from, at) {
        var words = document.createElement("span");
        var done = way && way.done ? way.done.split(".") : [];
        var all = parseInt((from.total || "").replace(/,/g, ""), 10);
        function answered(address) {
            return done.indexOf(address.split("/").pop()) >= 0;
        }
        words.className = "quiet";
        if (all && !answered(from.of[at])) {
            words.textContent = at + 1 -
                from.of.slice(0, at).filter(answered).length + " of " +
                (all - done.length) + (/\+/.test(from.total) ? "+" : "");
        }
        return words;
    }

    /* Where the request on this page stands in the list. An answer that was
     * refused comes back at an address of its own. */
    function standing(of) {
        return of.indexOf(location.pathname.replace(/\/respond$/, ""));
    }

    /* The form and the links of an open question say on which way its reader
     * came; where the server could not know it, this page was in the list that
     * the browser remembers. */
    function lead(from) {
        if (way && !way.list && /^\/inbox\b/.test(from.at)) {
            way.list = from.at;
            all("[name=list]").forEach(function (field) {
                field.value = from.at;
            });
        }
    }

    function onward(address) {
        return address + (way && way.list ? "?" + new URLSearchParams(
            { list: way.list, done: way.done }) : "");
    }

    /* The neighbours in the list from which the reader came. */
    function neighbours() {
        var from = remembered(), back = one(".back");
        var of = from.of || [], at = standing(of);
        var place = one(".place") || back;
        var home = back && back.querySelector("a");
        if (!back || at < 0) {
            return;
        }
        lead(from);
        if (/^\/(inbox|decided)\b/.test(home.getAttribute("href"))) {
            home.href = from.at;
            home.lastChild.textContent = from.name;
        }
        if (place !== back) {
            place.replaceChildren(position(from, at));
        }
        if (at > 0) {
            place.append(" ", link("Previous", onward(of[at - 1])));
            place.lastChild.rel = "prev";
            place.lastChild.setAttribute("aria-keyshortcuts", "p");
        }
        if (at + 1 < of.length) {
            place.append(" ", link("Next", onward(of[at + 1])));
            place.lastChild.rel = "next";
            place.lastChild.setAttribute("aria-keyshortcuts", "n");
        } else {
            ending = document.createElement("span");
            ending.className = "quiet";
            ending.setAttribute("role", "status");
            place.append(" ", ending);
        }
    }

    /* The last of its list does not lead on to one that is not in it. */
    function ends() {
        var said = /^[\d,]+(\+?)/.exec(one(".count").textContent);
        var n = said ? parseInt(said[0].replace(",", ""), 10) : 0;
        if (!ending) {
            return false;
        }
        if (n && one(".rail .strip:not(.ended) .btn") && !said[1]) {
            n -= 1; // this one is still open
        }
        ending.textContent = "End of this list" + (n ? ": " + n +
            (said[1] || "") + (n === 1 && !said[1] ? " other" : " others") +
            " open." : ".");
        return true;
    }

    /* The answers stay in sight where all of them fit in the window. */
    function fit() {
        rail.classList.toggle("fits", rail.offsetHeight + 32 <=
            document.documentElement.clientHeight);
    }

    function go(address) {
        location.href = address;
        return true;
    }

    function back() {
        return press(one(".confirm a.btn.plain") || one(".back a")) ||
            (list ? false : go(remembered().at || "/inbox"));
    }

    /* ---- the panel ---- */

    function show(page) {
        var dialog = document.createElement("dialog");
        var close = document.createElement("button");
        var head = document.createElement("h2");
        dialog.setAttribute("aria-label", "Shortcuts");
        head.textContent = "Shortcuts";
        close.className = "btn small plain";
        close.textContent = "Close";
        close.addEventListener("click", function () {
            dialog.close();
        });
        head.append(close);
        dialog.append(head, page.querySelector(".panel"));
        dialog.addEventListener("close", function () {
            dialog.remove();
        });
        document.body.append(dialog);
        dialog.showModal();
    }

    function help() {
        fetch("/keys").then(function (got) {
            return got.text();
        }).then(function (text) {
            var page = new DOMParser().parseFromString(text, "text/html");
            if (page.querySelector(".panel")) {
                show(page);
            } else { // signed out meanwhile
                go("/keys");
            }
        }).catch(function () {
            go("/keys");
        });
        return true;
    }

    /* ---- keys ---- */

    var pairs = {
        "* a": function () { return pickAll(true); },
        "* n": function () { return pickAll(false); },
        "g i": function () { return go("/inbox"); },
        "g m": function () { return go("/inbox?view=mine"); },
        "g d": function () { return go("/decided"); }
    };

    var keys = {
        j: function () { return move(1); },
        k: function () { return move(-1); },
        J: function () { return move(1, true); },
        K: function () { return move(-1, true); },
        o: function () {
            return !!current() && press(handle(current()));
        },
        x: function () { return tick(current()); },
        u: function () { return stay() || back(); },
        Escape: function () {
            return bar && picked() ? pickAll(false) : back();
        },
        a: function () { return answer("a"); },
        r: function () { return answer("r"); },
        e: function () {
            return !!named("e") && decide("e", named("e"));
        },
        c: function () {
            var box = document.getElementById("value") ||
                one("form#answer .field input, form#answer .field textarea") ||
                document.getElementById("reason");
            if (box) {
                box.focus();
            }
            return !!box;
        },
        n: function () {
            return stay() || press(one("[rel=next]")) || ends() ||
                press(one(".next .btn"));
        },
        p: function () { return stay() || press(one("[rel=prev]")); },
        "/": search,
        "?": help
    };

    /* Where the bar has no room for it, it is in the fold. */
    function search() {
        var field = one(".find input");
        var fold = one(".menu .find");
        if (fold && !field.offsetParent) {
            fold.parentNode.open = true;
            field = fold.querySelector("input");
        }
        field.select();
        return true;
    }

    function typing(target) {
        return target.matches("textarea, select, [contenteditable]") ||
            (target.matches("input") &&
             !target.matches("[type=checkbox], [type=radio]"));
    }

    function known(key) {
        var two = pairs[before + " " + key];
        before = "";
        if (two) {
            return two();
        }
        if (key === "*" || key === "g") {
            before = key;
            clearTimeout(timer);
            timer = setTimeout(function () {
                before = "";
            }, 1500);
            return true;
        }
        if (/^[1-9]$/.test(key)) {
            return number(Number(key));
        }
        return Object.hasOwn(keys, key) && keys[key]();
    }

    document.addEventListener("keydown", function (event) {
        var plain = !event.ctrlKey && !event.metaKey && !event.altKey;
        if (event.defaultPrevented || event.isComposing || event.repeat &&
            !/^[jkJK]$/.test(event.key) || one("dialog[open]") ||
            !one(".find")) {
            return;
        }
        if (/^(Shift|Control|Alt|Meta)$/.test(event.key)) {
            return;
        }
        earlier = last;
        last = event.key.length === 1 ? event.timeStamp : 0;
        if (armed && (!plain || event.key !== armedKey)) {
            disarm();
            if (event.key === "Escape" || event.key === "Enter") {
                event.preventDefault();
                return;
            }
        }
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            if (send()) {
                event.preventDefault();
            }
        } else if (plain && typing(event.target)) {
            if (event.key === "Escape") {
                event.target.blur();
            }
        } else if (plain && known(event.key)) {
            event.preventDefault();
        }
    });

    document.addEventListener("focusin", function (event) {
        var row = event.target.closest(".row");
        if (row && row !== current() &&
            event.target.matches(".title, summary.row")) {
            stand(row);
        }
    });
    all("[data-group]").forEach(function (group) {
        group.hidden = false;
        group.addEventListener("change", function () {
            boxes(group).forEach(function (box) {
                box.checked = group.checked;
            });
        });
    });
    document.addEventListener("change", count);
    document.addEventListener("gone", function () {
        if (one("li.gone, .grouped")) {
            all(".grouped").forEach(tally);
            all(".section").forEach(tallySection);
        }
    });
    all("[data-pick]").forEach(function (button) {
        button.hidden = false;
        button.addEventListener("click", function () {
            pickAll(button.dataset.pick === "all");
            if (!picked()) { // the bar is gone
                (lastBox || one("li.row [name='pick[]']")).focus();
            }
        });
    });
    all("[data-all]").forEach(function (box) {
        box.hidden = false;
        box.addEventListener("change", function () {
            pickAll(box.checked);
        });
    });
    document.addEventListener("click", range);
    /* One menu at a time, until Escape or a press elsewhere. */
    document.addEventListener("click", function (event) {
        all(":is(.menu, .account)[open]").forEach(function (menu) {
            if (!menu.contains(event.target)) {
                menu.open = false;
            }
        });
    });
    all(".menu, .account").forEach(function (menu) {
        menu.addEventListener("keydown", function (event) {
            if (event.key === "Escape" && menu.open) {
                menu.open = false;
                menu.querySelector("summary").focus();
                event.preventDefault();
            }
        });
    });
    /* A group stays as its reader left it. */
    all(".folded").forEach(function (group) {
        var fold = group.querySelector("details");
        var name = "open " + group.dataset.key;
        try {
            fold.open = fold.open || !!localStorage.getItem(name);
        } catch (error) {
            return;
        }
        fold.addEventListener("toggle", function () {
            if (fold.open) {
                localStorage.setItem(name, "yes");
            } else {
                localStorage.removeItem(name);
            }
        });
    });
    all("a[href='/keys']").forEach(function (a) {
        a.addEventListener("click", function (event) {
            event.preventDefault();
            help();
        });
    });
    /* The ticks are in the address while the page that confirms is open, so that
     * the browser's Back finds them; no longer than that. */
    if (bar) {
        bar.addEventListener("submit", function () {
            var of = all("[name='pick[]']:checked").map(function (box) {
                return box.value.split(":")[0];
            });
            history.replaceState(null, "", ticked(of.join(".")));
        });
        if (/[?&]picked=/.test(location.search)) {
            history.replaceState(null, "", ticked(""));
        }
    }
    window.addEventListener("pageshow", count);
    if (/^\/(inbox|decided)$/.test(location.pathname)) {
        remember();
    } else {
        neighbours();
    }
    /* An answer that was too long to be led to its page: a reload asks for that
     * page, and does not send the password again. */
    if (location.pathname === "/login" && one("[data-live]")) {
        history.replaceState(null, "", one("[data-live]").dataset.live);
    }
    document.addEventListener("pointerdown", disarm);
    hint();
    makeNote();
    if (rail && window.ResizeObserver) {
        window.addEventListener("resize", fit);
        new ResizeObserver(fit).observe(rail);
    }
}());
