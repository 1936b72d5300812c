/* Comfort only: every page works without it. Keeps relative times fresh,
 * shows the copy buttons, and sends a form once when it is pressed twice. */
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
