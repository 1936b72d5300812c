/* Whether this browser shows notifications, and of what: kept in the browser.
 * It is asked for by a button, never when a page opens. */
(function () {
    "use strict";

    var box = document.getElementById("browser");
    var least = document.getElementById("browser-least");
    var whose = document.getElementById("browser-whose");
    var button = document.getElementById("browser-on");
    var said = document.getElementById("browser-said");

    function kept() {
        try {
            return JSON.parse(localStorage.getItem("notify"));
        } catch (error) {
            return null;
        }
    }

    function keep(how) {
        try {
            if (how) {
                localStorage.setItem("notify", JSON.stringify(how));
            } else {
                localStorage.removeItem("notify");
            }
        } catch (error) {
            return;
        }
    }

    function on() {
        return !!kept() && Notification.permission === "granted";
    }

    /* ---- Web Push, where there is a channel for it ---- */

    function post(what, address, how) {
        var form = new URLSearchParams({ csrf: box.dataset.csrf, do: what,
            address: address });
        if (how) {
            form.set("least", ["", "low", "medium", "high",
                "critical"][how.least]);
            if (how.mine) {
                form.set("mine", "yes");
            }
        }
        return fetch(location.pathname, { method: "POST", body: form })
            .then(function (answer) {
                if (!answer.ok) {
                    throw new Error("refused");
                }
            });
    }

    function subscribe(how) {
        return navigator.serviceWorker.register("/worker.js")
            .then(function () {
                return navigator.serviceWorker.ready;
            }).then(function (worker) {
                return worker.pushManager.subscribe({ userVisibleOnly: true,
                    applicationServerKey: box.dataset.push });
            }).then(function (one) {
                return post("push", one.endpoint, how);
            });
    }

    function unsubscribe() {
        return navigator.serviceWorker.getRegistration("/worker.js")
            .then(function (worker) {
                return worker && worker.pushManager.getSubscription();
            }).then(function (one) {
                return one && post("unpush", one.endpoint).then(function () {
                    return one.unsubscribe();
                });
            });
    }

    function push(how) {
        if (!box.dataset.push || !navigator.serviceWorker ||
            !window.PushManager) {
            return;
        }
        (how ? subscribe(how) : unsubscribe()).catch(function () {
            said.textContent += " It works only while a page of Sayso is " +
                "open: the browser's push service cannot be reached.";
        });
    }

    function show() {
        button.textContent = on() ? "Turn off" : "Turn on";
        said.textContent = Notification.permission === "denied" ?
            "This browser blocks notifications of this site. Allow them in " +
            "the browser's settings first." : "Notifications are " +
            (on() ? "on" : "off") + " in this browser.";
        button.hidden = Notification.permission === "denied";
    }

    function save() {
        keep({ least: Number(least.value), mine: whose.value === "mine" });
        show();
        push(kept());
    }

    if (!box) {
        return;
    }
    if (!window.Notification || !navigator.locks) {
        said.textContent = "This browser cannot show notifications.";
        return;
    }
    if (kept()) {
        least.value = String(kept().least);
        whose.value = kept().mine ? "mine" : "all";
    }
    box.hidden = false;
    button.addEventListener("click", function () {
        if (on()) {
            keep(null);
            show();
            push(null);
            return;
        }
        Notification.requestPermission().then(function (answer) {
            if (answer === "granted") {
                save();
            } else {
                show();
            }
        });
    });
    [least, whose].forEach(function (select) {
        select.addEventListener("change", function () {
            if (on()) {
                save();
            }
        });
    });
    show();
}());

/* The time zone of a person who has chosen none is the browser's, and the field
 * offers those that the browser knows. */
(function () {
    "use strict";

    var label = Array.from(document.querySelectorAll("main label")).find(
        function (one) {
            return /^\s*Time zone\b/.test(one.textContent);
        });
    var field = label && label.control;
    var list = document.createElement("datalist");

    if (!field || !window.Intl) {
        return;
    }
    if (!field.value) {
        field.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
    }
    if (Intl.supportedValuesOf) {
        list.id = "zones";
        Intl.supportedValuesOf("timeZone").forEach(function (name) {
            var option = document.createElement("option");
            option.value = name;
            list.append(option);
        });
        field.after(list);
        field.setAttribute("list", "zones");
    }
}());

/* On a phone the pages of the settings are a line that scrolls. */
(function () {
    "use strict";

    var here = document.querySelector(".groups [aria-current]");

    if (here) {
        here.scrollIntoView({ block: "nearest", inline: "center" });
    }
}());
