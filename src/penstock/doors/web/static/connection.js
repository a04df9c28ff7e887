// A page whose server cannot be reached, or whose change has expired, says so at once and disables
// its forms; it enables them again when that is over. The server refuses such forms anyway.
"use strict";
{
  const one = (what, where = document) => where.querySelector(what);
  const notice = one("#offline");
  const SOON = 2000; // milliseconds until the next try
  const reasons = new Set();

  // -- what is disabled --------------------------------------------------------------------------

  const held = (form) => reasons.has("gone") || (reasons.has("expired") && form.matches("#approve, #reject, .expiry"));

  function settle() {
    for (const form of document.forms) {
      if (form.method !== "post") continue;
      for (const button of form.elements) {
        if (!button.matches("button")) continue;
        if (held(form) && !button.disabled) { button.disabled = true; button.dataset.held = "1"; }
        if (!held(form) && button.dataset.held) { button.disabled = false; delete button.dataset.held; }
      }
    }
  }

  function hold(reason, on) {
    if (reasons.has(reason) === on) return;
    if (on) reasons.add(reason); else reasons.delete(reason);
    settle();
  }

  // -- the server --------------------------------------------------------------------------------

  let trying = 0;

  function say(words) {
    notice.textContent = words;
    notice.hidden = !words;
    hold("gone", Boolean(words));
  }

  // Whoever notices something asks here: the stream of events, or a form that could not be sent.
  async function look() {
    clearTimeout(trying);
    const answer = await fetch("/here", { cache: "no-store" }).catch(() => null);
    if (answer?.ok) { say(""); return; }
    say(answer?.status === 401
      ? "Your session has ended. Run penstock open in your terminal for a new link."
      : "The Penstock server can't be reached. Nothing can be approved or rejected until it is back; this page keeps trying.");
    if (answer?.status !== 401) trying = setTimeout(look, SOON);
  }

  if (document.body.dataset.page) {
    document.addEventListener("penstock-stream", look);
    window.addEventListener("offline", look);
    window.addEventListener("online", look);
    window.addEventListener("pageshow", (event) => { if (event.persisted) look(); });
  }

  // -- the time that is left ---------------------------------------------------------------------

  const form = one("[data-expires]");
  if (form) {
    const end = performance.now() + Number(form.dataset.expires) * 1000;
    const tick = () => {
      const left = Math.max(0, (end - performance.now()) / 1000);
      one("time", form).textContent = words(left);
      form.classList.toggle("soon", left < 300);
      one("#expired").hidden = left > 0;
      hold("expired", left <= 0);
    };
    setInterval(tick, 1000);
    tick();
  }
}
