// The service worker of the console: it shows notifications, and opens their pages. It keeps no
// copy of anything, so each page comes from the service.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  let notice = {};
  try {
    notice = event.data.json();
  } catch {
    // A browser that gets a push has to show something.
  }
  const { title = "Switchyard", body = "Something needs you.", tag = "switchyard", path = "/" } = notice;
  const shown = { body, tag, renotify: true, icon: "/icon-192.png", data: { path } };
  event.waitUntil(self.registration.showNotification(title, shown));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data?.path));
});

/** Shows the page in a window that has it already, or else in a new one. */
async function openPage(path) {
  const url = new URL(typeof path === "string" ? path : "/", self.location.origin);
  if (url.origin !== self.location.origin) return;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = windows.find((one) => new URL(one.url).pathname === url.pathname);
  await (open ? open.focus() : self.clients.openWindow(url.href));
}
