/* The service worker: shows that a request waits. It keeps no page and answers
 * no request, so nothing private is stored; and a push has no content. */
"use strict";

self.addEventListener("push", function (event) {
    event.waitUntil(self.clients.matchAll({ type: "window",
        includeUncontrolled: true }).then(function (pages) {
        var seen = pages.some(function (page) {
            return page.visibilityState === "visible" && page.focused;
        });
        return seen ? null : self.registration.showNotification("Sayso", {
            body: "A request waits",
            icon: "/static/icon-192.png",
            tag: "waits"
        });
    }));
});

/* A click opens the inbox, or the page of Sayso that is there. */
self.addEventListener("notificationclick", function (event) {
    event.notification.close();
    event.waitUntil(self.clients.matchAll({ type: "window",
        includeUncontrolled: true }).then(function (pages) {
        return pages.length ? pages[0].focus() :
            self.clients.openWindow("/inbox");
    }));
});
