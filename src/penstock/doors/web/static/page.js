// Everything here is a convenience: each page works without it. Nothing is ever put into the
// page as markup but what our own server rendered and escaped.
"use strict";

const page = document.body.dataset.page || "";
const $ = (what, where = document) => where.querySelector(what);
const $$ = (what, where = document) => [...where.querySelectorAll(what)];
const live = $("#live");
const GO = ".card > a, [data-go]"; // what j and k go through

// -- what changed ----------------------------------------------------------------------------

const wanted = new Set();
// One after the other: an answer that was asked for earlier never overwrites a later one.
let turn = Promise.resolve();
const inTurn = (act) => { turn = turn.then(act).catch((error) => reportError(error)); return turn; };
const cardOf = (id) => $$("#queue .card").find((card) => card.dataset.id === id);

async function ask(address) {
  const answer = await fetch(address).catch(() => null); // the stream says when the server is back
  if (answer?.status === 401) live.textContent = "Your session has expired. Run penstock open for a new link.";
  return answer?.ok ? answer : null;
}

async function parsed(answer) { return new DOMParser().parseFromString(await answer.text(), "text/html"); }

function address(ids) {
  const query = new URLSearchParams(location.search);
  query.set("ids", ids.join(","));
  return `/updates?${query}`;
}

// What changed is asked for by its ids: an update is small, however long the queue is.
function update(ids) {
  for (const id of ids) wanted.add(id);
  inTurn(async () => {
    const some = [...wanted].slice(0, 100);
    for (const id of some) wanted.delete(id);
    const answer = some.length ? await ask(address(some)) : null;
    const said = answer && $("#update", await parsed(answer));
    if (said) keepingFocus(() => merge(said));
    if (wanted.size) update([]);
  });
}

function keepingFocus(act) {
  const held = document.activeElement?.closest("[data-id]")?.dataset.id;
  act();
  if (!held || document.activeElement?.closest("#queue")) return;
  const card = cardOf(held);
  (card ? $("a", card) : $("#queue .card > a"))?.focus();
}

function merge(said) {
  document.title = said.dataset.title;
  document.body.dataset.mark = said.dataset.mark;
  $("#queue > .head-line").replaceWith(document.importNode($(".head-line", said), true));
  for (const id of said.dataset.gone.split(" ")) cardOf(id)?.remove();
  let left = Number(said.dataset.left);
  for (const fresh of $$(".card", said)) {
    const card = document.importNode(fresh, true);
    const old = cardOf(card.dataset.id);
    if (!old) announce(card);
    if (old) old.replaceWith(card);
    else if ($$("#queue .card").length < Number(document.body.dataset.full)) place(card);
    else left += 1;
  }
  for (const heading of $$("#queue .section")) if (!heading.nextElementSibling?.matches(".card")) heading.remove();
  if (left) $("#changed").hidden = false;
}

function announce(card) {
  card.classList.add("fresh");
  const detail = { path: $(".path", card)?.textContent || "", danger: Boolean($(".row2 .losing", card)) };
  document.dispatchEvent(new CustomEvent("penstock-fresh", { detail }));
}

// A new card goes where the list's order has it, under the heading of its section.
function place(card) {
  const { order, section } = card.dataset;
  let after = $$("#queue .card").find((each) => each.dataset.order > order) || null;
  const own = $$("#queue .section").some((each) => each.textContent.trim() === section);
  const heading = after?.previousElementSibling;
  if (heading?.matches(".section") && heading.textContent.trim() !== section) after = heading;
  const list = $("#queue .queue");
  if (section && !own) {
    const made = document.createElement("li");
    made.className = "section";
    made.append(document.createElement("h2"));
    made.firstChild.textContent = section;
    list.insertBefore(made, after);
  }
  list.insertBefore(card, after);
}

// Where it is not known what changed, the whole list is loaded again.
async function refresh() {
  const answer = await ask(location.href);
  const fresh = answer && await parsed(answer);
  if (!fresh || !$("#queue", fresh)) return;
  const known = new Set($$("#queue [data-id]").map((card) => card.dataset.id));
  for (const card of $$("#queue [data-id]", fresh)) if (!known.has(card.dataset.id)) announce(card);
  keepingFocus(() => $("#queue").replaceWith(document.importNode($("#queue", fresh), true)));
  document.title = fresh.title;
  document.body.dataset.mark = fresh.body.dataset.mark;
}

// Has anything changed since this page was made?
async function check() {
  if (FORMS.includes(page)) return;
  if (page === "queue") {
    inTurn(async () => {
      const answer = await ask(address([]));
      if (answer && $("#update", await parsed(answer)).dataset.mark !== document.body.dataset.mark) await refresh();
    });
    return;
  }
  const answer = await ask(`/proposals/${encodeURIComponent(document.body.dataset.id)}/state`);
  if (answer && (await answer.json()).mark !== document.body.dataset.mark) $("#changed").hidden = false;
}

const FORMS = ["selection", "undo", "edit", "preview", "passkeys"]; // they only want to know that the server is there
const MOST_NAMED = 50; // ids in one event, as in live_events.py
let stream = null;

function listen() {
  if (stream) return;
  stream = new EventSource("/events");
  const own = stream;
  const say = (text) => { if (page === "queue") live.textContent = text; };
  own.addEventListener("queue", (event) => {
    const { changed } = JSON.parse(event.data);
    if (FORMS.includes(page)) return;
    if (page === "queue") { update(changed); if (changed.length >= MOST_NAMED) $("#changed").hidden = false; return; }
    if (changed.includes(document.body.dataset.id) || changed.length >= MOST_NAMED || page === "set") check();
  });
  own.addEventListener("reload", check);
  // The page may be older than the stream: what came between is seen by looking once.
  own.addEventListener("open", () => { say("Live"); document.dispatchEvent(new Event("penstock-stream")); check(); });
  own.addEventListener("error", () => {
    say("Not connected; trying again");
    document.dispatchEvent(new Event("penstock-stream"));
    // A browser gives up on a stream that is refused. We ask what the page says, and try again.
    if (own.readyState !== EventSource.CLOSED || stream !== own) return;
    stream = null;
    if (page === "queue") check();
    setTimeout(listen, 5000);
  });
}

function silence() {
  stream?.close();
  stream = null;
}

if (["queue", "proposal", "set", ...FORMS].includes(page)) {
  // Not before every script of the page runs, for they hear what becomes of the stream.
  document.addEventListener("DOMContentLoaded", listen);
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
  if (page === "selection") return $$("[data-row]");
  return $$(GO);
}

let at = -1;
let spot = null; // the change, file or hunk that keys are about

function move(by) {
  const places = among();
  if (!places.length) return;
  const focused = places.indexOf(document.activeElement);
  at = Math.min(Math.max((focused >= 0 ? focused : at) + by, 0), places.length - 1);
  stand(places[at], places);
}

function stand(place, places) {
  spot = place;
  for (const each of places) each.classList.toggle("at", each === place);
  const target = place.matches("a") ? place : $("input[type=checkbox], h3 a", place);
  if (target) target.focus({ preventScroll: true });
  place.scrollIntoView({ block: page === "set" ? "start" : "center" });
}

// Hunks, of whichever file; from a file, its own first.
function toHunk(by) {
  const hunks = $$("tr.head");
  if (!hunks.length) return;
  const own = spot?.matches("[data-file]") ? $("tr.head", spot) : null;
  const now = own ? hunks.indexOf(own) - by : hunks.indexOf(spot);
  stand(hunks[Math.min(Math.max(now + by, 0), hunks.length - 1)], hunks);
}

// In the file that one is at: the buttons for more context, white space, editing, collapsing.
const around = () => spot?.closest("[data-file]") || $("[data-file]") || $("main");

function context() {
  const gaps = $$("tr.gap", around());
  const above = gaps.filter((gap) => !spot || !spot.matches("tr.head") || gap.compareDocumentPosition(spot) & Node.DOCUMENT_POSITION_FOLLOWING);
  $(".opens button, .opens a", above.at(-1) || gaps[0] || document.createElement("p"))?.click();
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
  if (page === "queue" && card?.matches(GO)) go(card.getAttribute("href") + tail);
}

if (location.hash === "#passphrase" || location.hash === "#reason") focus(location.hash);

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  a: () => { (window.approveByKey || (() => focus("#passphrase")))(); chosen("#passphrase"); },
  r: () => { focus("#reason"); chosen("#reason"); },
  e: () => { ($("#edit") || $("[data-edit]", around()))?.click(); chosen("/edit"); },
  x: () => $("input[type=checkbox]", spot || document.createElement("p"))?.click(),
  "]": () => toHunk(1),
  "[": () => toHunk(-1),
  m: context,
  W: () => $("[id$=white-space] button, [id$=white-space] a", around())?.click(),
  o: () => { const fold = $("details.fold", around()); if (fold) fold.open = !fold.open; },
  v: () => $(".toggle [data-view]:not([aria-current])")?.click(),
  d: () => { const only = $("[data-view=removed]"); (only?.matches("[aria-current]") ? $("[data-view]") : only)?.click(); },
  n: () => go(document.body.dataset.after),
  p: () => go(document.body.dataset.before),
  q: () => go("/"),
  u: () => go($("[data-undo]")?.dataset.undo),
  "?": () => help.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  if (event.key === "Escape" && document.activeElement?.matches("input, textarea, select")) { document.activeElement.blur(); return; }
  const typing = document.activeElement?.matches("input:not([type=checkbox]):not([type=radio]), textarea, select");
  const select = page === "queue" ? window.selectByKey?.[event.key.toLowerCase()] : null;
  const act = KEYS[event.key] || select;
  if (typing || !act) return;
  event.preventDefault();
  if (!select?.(event)) KEYS[event.key]?.();
});

// -- what is ticked -------------------------------------------------------------------------

// What is ticked and typed is kept by the server at once, so that it is there on another page. One
// after the other: the last one that was pressed is the last one that is kept.
let keeping = Promise.resolve();
let sending = 0; // how much of it is on its way

function keepOnServer(address, fields) {
  sending += 1;
  const send = () => fetch(address, { method: "POST", body: fields, redirect: "manual", keepalive: true });
  keeping = keeping.then(send).catch(() => null).finally(() => { sending -= 1; });
}

function keepTicks() {
  const form = $("#approve");
  const fields = new URLSearchParams(new FormData(form));
  for (const secret of ["passphrase", "code", "unseen", "touch", "unlock", "unlocked"]) fields.delete(secret);
  keepOnServer(form.getAttribute("action").replace(/approve$/, "choose"), fields);
}

// What this page knows to be deselected; it can select that again, and nothing that another
// window deselected since.
function know(box) {
  const field = $("#approve").elements[box.name === "keep" ? "left" : box.name.replace(/^hunk/, "drop")];
  if (field && !box.checked) field.value += `${box.name === "keep" ? " " : ","}${box.value}`;
}

document.addEventListener("change", (event) => {
  if (!event.target.matches("input[name^=hunk], input[name=keep]")) return;
  know(event.target);
  keepTicks();
});

// A box that was unticked before this script was there is kept now.
const early = $$("input[name^=hunk], input[name=keep]").filter((box) => box.form?.id === "approve" && box.checked !== box.defaultChecked && box.type === "checkbox");
if (early.length) { early.forEach(know); keepTicks(); }

// -- small comforts --------------------------------------------------------------------------

for (const button of $$("[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  });
}

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
