// Shows a notification for each push, and opens the page when it is tapped. A push says how many
// changes are pending and nothing about them. This worker caches nothing and answers no request.
"use strict";

function read(data) {
  try { return data.json(); } catch { return {}; }
}

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  const pushed = event.data ? read(event.data) : {};
  const many = Number(pushed.pending) || 1;
  const to = /^\/proposals\/[\w-]+$/.test(pushed.to) ? pushed.to : "/";
  const title = many === 1 ? "A change needs your approval" : `${many} changes need your approval`;
  event.waitUntil(self.registration.showNotification(title, { tag: "penstock", renotify: true, icon: "/static/icon.svg", data: { to } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow(event.notification.data.to));
});
