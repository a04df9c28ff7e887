// Everything here is a convenience: each page works without it. Nothing is ever put into the
// page as markup but what our own server rendered and escaped.
"use strict";

const page = document.body.dataset.page || "";
const $ = (what, where = document) => where.querySelector(what);
const $$ = (what, where = document) => [...where.querySelectorAll(what)];
const live = $("#live");

// -- what changed ----------------------------------------------------------------------------

let loading = false;
let again = false;

async function refresh() {
  if (loading) { again = true; return; }
  loading = true;
  try {
    const answer = await fetch("/", { headers: { Accept: "text/html" } });
    if (answer.status === 401) { live.textContent = "Your session has expired. Run penstock open for a new link."; return; }
    if (answer.ok) show(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch { /* the stream says when the server is back */ } finally {
    loading = false;
    if (again) { again = false; refresh(); }
  }
}

function show(next) {
  const old = $("#queue");
  const fresh = $("#queue", next);
  if (!old || !fresh) return;
  const known = new Set($$("[data-id]", old).map((card) => card.dataset.id));
  const held = document.activeElement?.closest("[data-id]")?.dataset.id;
  for (const card of $$("[data-id]", fresh)) if (!known.has(card.dataset.id)) card.classList.add("fresh");
  old.replaceWith(document.importNode(fresh, true));
  document.title = next.title;
  if (held) {
    const card = $$("#queue [data-id]").find((each) => each.dataset.id === held);
    (card ? $("[data-go]", card) : $("#queue [data-go]"))?.focus();
  }
}

let stream = null;

function listen() {
  if (stream) return;
  stream = new EventSource("/events");
  const own = stream;
  const say = (text) => { if (page === "queue") live.textContent = text; };
  const changed = (event) => {
    if (page === "queue") { refresh(); return; }
    const changed = JSON.parse(event.data || "{}").changed;
    if (!Array.isArray(changed) || changed.includes(document.body.dataset.id) || page === "set") check();
  };
  own.addEventListener("queue", changed);
  own.addEventListener("reload", changed);
  // The page may be older than the stream: what came between is seen by looking once.
  own.addEventListener("open", () => { say("Live"); (page === "queue" ? refresh : check)(); });
  own.addEventListener("error", () => {
    say("Not connected; trying again");
    // A browser gives up on a stream that is refused. We ask what the page says, and try again.
    if (own.readyState !== EventSource.CLOSED || stream !== own) return;
    stream = null;
    if (page === "queue") refresh();
    setTimeout(listen, 5000);
  });
}

function silence() {
  stream?.close();
  stream = null;
}

async function check() {
  const answer = await fetch(location.pathname).catch(() => null);
  if (!answer || !answer.ok) return;
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  const state = (where) => `${$("#approve [name=digest]", where)?.value} ${$(".head-line .chip[class*=s-]", where)?.textContent}`;
  if (state(next) !== state(document)) $("#changed").hidden = false;
}

if (page === "queue" || page === "proposal" || page === "set") {
  listen();
  window.addEventListener("pagehide", silence);
  window.addEventListener("pageshow", (event) => { if (event.persisted) listen(); });
  // A browser has few connections to one server: tabs that nobody looks at give theirs back. The
  // queue keeps its own, so that its title shows how many are pending.
  if (page !== "queue") document.addEventListener("visibilitychange", () => (document.hidden ? silence : listen)());
}

// A run goes on without anybody's answer, so its page looks again while somebody looks at it.
if (page === "runs" && $("#runs[data-live]")) {
  setInterval(async () => {
    if (document.hidden) return;
    const answer = await fetch(location.href).catch(() => null);
    if (!answer?.ok) return;
    const fresh = $("#runs", new DOMParser().parseFromString(await answer.text(), "text/html"));
    if (fresh && fresh.innerHTML !== $("#runs").innerHTML) $("#runs").replaceWith(document.importNode(fresh, true));
  }, 2000);
}

// -- keys ------------------------------------------------------------------------------------

const help = $("#help");
const helpButton = $("[data-help]");
if (helpButton) { helpButton.hidden = false; helpButton.addEventListener("click", () => help.showModal()); }

function among() {
  if (page === "proposal") return $$("tr.head");
  if (page === "set") return $$("[data-file]");
  return $$("[data-go]");
}

let at = -1;

function move(by) {
  const places = among();
  if (!places.length) return;
  const focused = places.indexOf(document.activeElement);
  at = Math.min(Math.max((focused >= 0 ? focused : at) + by, 0), places.length - 1);
  const place = places[at];
  for (const each of places) each.classList.toggle("at", each === place);
  const target = place.matches("a") ? place : $("input[type=checkbox], h3 a", place);
  if (target) target.focus({ preventScroll: true });
  place.scrollIntoView({ block: page === "set" ? "start" : "center" });
}

function focus(what) {
  const field = $(what);
  if (!field) return;
  field.scrollIntoView({ block: "center" });
  field.focus();
}

function go(address) { if (address) location.assign(address); }

// In the queue the keys of a proposal open the chosen one, at the place where the key leads.
function chosen(tail) {
  const card = document.activeElement;
  if (page === "queue" && card?.matches("[data-go]")) go(card.getAttribute("href") + tail);
}

if (location.hash === "#passphrase" || location.hash === "#reason") focus(location.hash);

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  a: () => { (window.approveByKey || (() => focus("#passphrase")))(); chosen("#passphrase"); },
  r: () => { focus("#reason"); chosen("#reason"); },
  e: () => { $("#edit")?.click(); chosen("/edit"); },
  x: () => $("input[type=checkbox]", among()[at] || document.createElement("p"))?.click(),
  v: () => $(".toggle [data-view]:not([aria-current])")?.click(),
  n: () => go(document.body.dataset.after),
  p: () => go(document.body.dataset.before),
  q: () => go("/"),
  "?": () => help.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  if (event.key === "Escape" && document.activeElement?.matches("input, textarea, select")) { document.activeElement.blur(); return; }
  const typing = document.activeElement?.matches("input:not([type=checkbox]):not([type=radio]), textarea, select");
  const act = KEYS[event.key];
  if (typing || !act) return;
  event.preventDefault();
  act();
});

// -- what is ticked -------------------------------------------------------------------------

// What is not ticked is kept at once, so that it is not ticked again on another page. One after
// the other: the last one that was pressed is the last one that is kept.
let keeping = Promise.resolve();

function keepTicks() {
  const form = $("#approve");
  const fields = new URLSearchParams(new FormData(form));
  for (const secret of ["passphrase", "code", "unseen", "touch", "unlock", "unlocked"]) fields.delete(secret);
  const address = form.getAttribute("action").replace(/approve$/, "choose");
  keeping = keeping.then(() => fetch(address, { method: "POST", body: fields, redirect: "manual", keepalive: true })).catch(() => null);
}

document.addEventListener("change", (event) => {
  if (event.target.matches("input[name=hunk], input[name=keep]")) keepTicks();
});

// -- small comforts --------------------------------------------------------------------------

// A form is sent once, however often its button is pressed.
document.addEventListener("submit", (event) => {
  if (event.target.method !== "post") return;
  if (event.target.dataset.sent) { event.preventDefault(); return; }
  event.target.dataset.sent = "1";
});
window.addEventListener("pageshow", () => { for (const form of $$("form[data-sent]")) delete form.dataset.sent; });

// The same as `duration` in core/text/quantities.py.
const LENGTHS = [[86400, "days"], [3600, "h"], [60, "min"], [1, "s"]];
function words(seconds) {
  const [size, name] = LENGTHS.find(([length]) => seconds >= 2 * length) || LENGTHS[3];
  return `${Math.floor(Math.max(seconds, 0) / size)} ${name}`;
}
setInterval(() => {
  for (const time of $$("time[data-since]")) time.textContent = words(Date.now() / 1000 - Number(time.dataset.since));
}, 5000);
