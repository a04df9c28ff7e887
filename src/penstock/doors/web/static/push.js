// Web push, for who asks for it on a phone. The browser's vendor passes it on; it can't read it, and
// it says only that something is pending.
"use strict";
{
  const place = document.querySelector("#push");
  const button = place?.firstElementChild;
  const can = place && "serviceWorker" in navigator && "PushManager" in window;
  const csrf = () => document.querySelector("[name=csrf]").value;
  const bytes = (written) => Uint8Array.from(atob(written.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
  const say = (words) => { place.lastElementChild.textContent = words; };

  async function send(address, fields) {
    const answer = await fetch(address, { method: "POST", body: new URLSearchParams({ csrf: csrf(), ...fields }) });
    if (!answer.ok) throw new Error("The server refused it");
  }

  async function current() {
    return (await navigator.serviceWorker.getRegistration("/"))?.pushManager.getSubscription();
  }

  async function settle() {
    button.textContent = await current() ? "Stop notifying this device" : "Notify this device";
    place.hidden = false;
  }

  async function subscribe() {
    if (await Notification.requestPermission() !== "granted") return say("Notifications are blocked in this browser.");
    await navigator.serviceWorker.register("/worker.js");
    const { pushManager } = await navigator.serviceWorker.ready;
    const { key } = await (await fetch("/push/key")).json();
    const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
    try {
      await send("/push/add", { subscription: JSON.stringify(made) });
    } catch (error) {
      await made.unsubscribe(); // the button says what the server knows
      throw error;
    }
    return say("This device is notified about new changes.");
  }

  async function unsubscribe(held) {
    await send("/push/remove", { endpoint: held.endpoint });
    await held.unsubscribe();
    say("");
  }

  async function toggle() {
    button.disabled = true;
    try {
      const held = await current();
      await (held ? unsubscribe(held) : subscribe());
    } catch (error) {
      say(error.name === "TypeError" ? "The Penstock server can't be reached." : error.message);
    }
    button.disabled = false;
    await settle();
  }

  if (can) {
    button.addEventListener("click", toggle);
    settle();
  } else if (place) {
    place.hidden = false;
    button.hidden = true;
    say("This browser has no push notifications. On an iPhone, add this page to the home screen first.");
  }
}
