// Browser notifications of new pending changes, for who asks for them: while the queue is open in a
// tab that nobody looks at. Nothing is sent anywhere; the browser shows them by itself.
"use strict";
{
  const KEY = "penstock-notify";
  const place = document.querySelector("#notify");
  const can = place && "Notification" in window && window.isSecureContext;
  const on = () => localStorage.getItem(KEY) === "1" && Notification.permission === "granted";

  function settle() {
    const blocked = Notification.permission === "denied";
    place.hidden = false;
    place.firstElementChild.disabled = blocked;
    place.firstElementChild.textContent = blocked ? "Notifications are blocked in this browser"
      : on() ? "Stop notifications" : "Notify me about new changes";
  }

  async function toggle() {
    if (on()) localStorage.removeItem(KEY);
    else if (await Notification.requestPermission() === "granted") localStorage.setItem(KEY, "1");
    settle();
  }

  // One at a time: the latest takes the place of the one before.
  function tell(event) {
    if (!on() || (document.hasFocus() && !document.hidden)) return;
    const { path, danger } = event.detail;
    const shown = new Notification(danger ? "Dangerous change needs approval" : "Change needs approval", { body: path, tag: "penstock" });
    shown.onclick = () => { window.focus(); shown.close(); };
  }

  if (can) {
    place.firstElementChild.addEventListener("click", toggle);
    document.addEventListener("penstock-fresh", tell);
    settle();
  }
}
