/* Comfort only: every page works without it. Keeps relative times fresh,
 * shows the copy buttons, sends a form once when it is pressed twice, and
 * tells what happens meanwhile. */
(function () {
    "use strict";

    var body = document.body;
    /* The server's clock rules; a reader's may be wrong. */
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

    function relative(time) {
        var at = Date.parse(time.dateTime);
        var seconds = Math.round((at - Date.now() - skew) / 1000);
        if (isNaN(at)) {
            return;
        }
        if (time.dataset.rel === "left") {
            time.textContent =
                seconds > 0 ? count(seconds) + " left" : "time is up";
        } else {
            time.textContent = count(Math.max(0, -seconds)) + " ago";
        }
    }

    function refresh() {
        document.querySelectorAll("time[data-rel]").forEach(relative);
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

    if (navigator.clipboard) {
        document.querySelectorAll("button[data-copy]").forEach(copies);
    }

    document.addEventListener("submit", function (event) {
        if (event.target.dataset.sent) {
            event.preventDefault();
        }
        event.target.dataset.sent = "yes";
        setTimeout(allow, 3000);
    });

    /* A page that comes back from the browser's memory may send again. */
    window.addEventListener("pageshow", function () {
        allow();
        refresh();
    });
    setInterval(refresh, 20000);
}());

/* What happens meanwhile. A stream says that something did; what the page then
 * says comes from the same page, asked for again, so that the server alone
 * writes pages. Nothing moves under a pointer and nothing that was typed is
 * touched. */
(function () {
    "use strict";

    var live = document.querySelector("[data-live]");
    var inbox = document.querySelector("[data-live^='/inbox']");
    var opened = Date.parse(document.body.dataset.now);
    var asked = {}, ended = {}; // addresses of questions, by the stream
    var source = null, channel = null, leave = null, timer = 0, over = false;

    if (!live || !window.EventSource) {
        return;
    }

    function say(text, link, address) {
        var p = document.createElement("p"), a = document.createElement("a");
        if (live.dataset.said === text) {
            return;
        }
        live.dataset.said = text;
        p.className = "banner news";
        a.href = address;
        a.textContent = link;
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

    /* Rows that are gone leave when no pointer is on the list: the others
     * would move under it. */
    function sweep() {
        document.querySelectorAll("li.gone").forEach(function (row) {
            if (!busy(row)) {
                row.remove();
            }
        });
    }

    function mark(row) {
        row.classList.add("gone");
        row.querySelector(".c-age").textContent = "no longer open";
    }

    /* A full page may have lost a row to the next one only: it is gone where
     * the stream says so, or where one behind it is still there. */
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

    /* How many came since the page was made. */
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
        }).length;
    }

    /* Where no row is left there is nothing to move. */
    function refill(page) {
        var list = document.querySelector(".list");
        if (list && !list.querySelector("li")) {
            list.replaceWith(page.querySelector(".list, .empty"));
            take(page, ".pager");
        }
    }

    function compareInbox(page, moved) {
        var full = page.querySelector(".pager a[href*='after=']"), count;
        markGone(page, full, moved);
        sweep();
        refill(page);
        count = fresh(page, full);
        if (count) {
            say(count + (count === 1 ? " new question." : " new questions."),
                "Show " + (count === 1 ? "it" : "them"), "/inbox");
        } else {
            live.replaceChildren();
            live.dataset.said = "";
        }
    }

    /* ---- one question ---- */

    function typed() {
        return Array.from(document.querySelectorAll(
            "main :is(input, textarea)")).some(function (field) {
            return field.value !== field.defaultValue ||
                field.checked !== field.defaultChecked;
        });
    }

    function compareQuestion(page) {
        var summary = page.querySelector("[data-summary]");
        if (summary && !document.querySelector("form[data-sent]")) {
            say(summary.textContent + (typed() ?
                " What you typed here was not sent." : ""),
                "See the record", live.dataset.live);
        }
    }

    /* ---- looking again ---- */

    function take(page, selector) {
        var now = page.querySelectorAll(selector);
        document.querySelectorAll(selector).forEach(function (old, i) {
            if (now[i]) {
                old.replaceWith(now[i]);
            }
        });
    }

    function compare(page, moved) {
        [".count", "nav .n", ".head .quiet", ".asof time"].forEach(
            function (selector) {
                take(page, selector);
            });
        document.title = page.title;
        if (inbox) {
            compareInbox(page, moved);
        } else {
            compareQuestion(page);
        }
    }

    function signedOut() {
        over = true;
        stop();
        say("You are signed out. This page no longer follows what happens.",
            "Sign in", "/login");
    }

    /* An answer that is no page of ours is looked for another time. */
    function look() {
        timer = 0;
        return fetch(live.dataset.live).then(function (answer) {
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

    /* Many pages hear the same at once, and much may happen at once. */
    function soon() {
        if (!over && !timer) {
            timer = setTimeout(look, (document.hidden ? 15000 : 700) +
                                     Math.random() * 800);
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
        var data = JSON.parse(event.data);
        if (channel) {
            channel.postMessage(data);
        }
        hear(data);
    }

    /* ---- the stream ---- */

    function close() {
        if (source) {
            source.close();
            source = null;
        }
    }

    /* A browser comes back by itself, but not after a refusal. */
    function open() {
        close();
        source = new EventSource("/inbox/stream");
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

    /* A browser has few connections to one server, so one page listens for
     * all of them. */
    function start() {
        if (!navigator.locks || !window.BroadcastChannel) {
            leave = close; // and only while somebody looks at it
            open();
            return;
        }
        channel = new BroadcastChannel("sayso");
        channel.onmessage = function (event) {
            hear(event.data);
        };
        soon();
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

    if (inbox) {
        document.addEventListener("pointerout", function () {
            setTimeout(sweep, 500);
        });
        document.addEventListener("focusout", function () {
            setTimeout(sweep, 500);
        });
    }
    document.addEventListener("visibilitychange", function () {
        if (leave === close) {
            (document.hidden ? close : open)();
        }
        if (!document.hidden && timer) {
            clearTimeout(timer);
            timer = 0;
            soon();
        }
    });
    window.addEventListener("pagehide", stop);
    window.addEventListener("pageshow", function (event) {
        if (event.persisted && !over) {
            start();
        }
    });
    start();
}());
