// Selecting changes in the queue, and ticking them on the page of a selection. Without this
// script both are plain forms.
"use strict";
{
  const one = (what, where = document) => where.querySelector(what);
  const all = (what, where = document) => [...where.querySelectorAll(what)];
  const boxes = () => all("#queue input[name=id]");
  const bar = one("[data-bulk]");

  // -- in the queue ------------------------------------------------------------------------------

  // What is selected is kept by its id: a card may be replaced by a fresh one.
  const chosen = new Set();
  let last = null;

  function count() {
    const form = one("[data-bulk]");
    if (!form) return;
    const some = boxes().filter((box) => box.checked).length;
    const words = some ? `${some} selected` : "Select changes to review them together";
    const said = one("[data-count]", form);
    if (said.textContent !== words) said.textContent = words; // this is seen by the observer below
    one("button", form).disabled = !some;
    form.classList.toggle("some", some > 0);
  }

  function choose(box, on) {
    box.checked = on;
    if (on) chosen.add(box.value); else chosen.delete(box.value);
  }

  function upTo(box) {
    const some = boxes();
    const from = some.findIndex((each) => each.value === last);
    const to = some.indexOf(box);
    if (from < 0) { choose(box, true); return; }
    for (const each of some.slice(Math.min(from, to), Math.max(from, to) + 1)) choose(each, true);
  }

  function pick(box, range) {
    if (range) upTo(box); else choose(box, !chosen.has(box.value));
    last = box.value;
    count();
  }

  function restore() {
    const here = new Set();
    for (const box of boxes()) { box.checked = chosen.has(box.value); here.add(box.value); }
    for (const id of chosen) if (!here.has(id)) chosen.delete(id); // answered meanwhile
    count();
  }

  if (bar) {
    // A click has ticked the box already, so what it was before is in `chosen`.
    document.addEventListener("click", (event) => {
      if (event.target.matches?.("#queue input[name=id]")) pick(event.target, event.shiftKey);
    });
    new MutationObserver(restore).observe(one("#main"), { childList: true, subtree: true });
    window.addEventListener("pageshow", restore);
    for (const box of boxes()) if (box.checked) chosen.add(box.value); // ticked before this script was there
    restore();
  }

  const current = () => one("input[name=id]", document.activeElement?.closest(".card") || one("#queue .card") || document);

  // What the keys of the queue do; each says whether it did anything.
  window.selectByKey = {
    x: (event) => { const box = current(); if (box) pick(box, event.shiftKey); return Boolean(box); },
    s: () => {
      const on = boxes().some((box) => !box.checked);
      for (const box of boxes()) choose(box, on);
      count();
      return boxes().length > 0;
    },
    a: () => leave(""),
    r: () => leave("#reason"),
  };

  function leave(tail) {
    if (!boxes().some((box) => box.checked)) return false;
    const form = one("[data-bulk]");
    location.assign(`/selection?${new URLSearchParams(new FormData(form))}${tail}`);
    return true;
  }

  // -- on the page of a selection ----------------------------------------------------------------

  const taken = one("[data-taken]");
  const ticks = () => all("input[name=take][type=checkbox]");
  const tell = () => { taken.textContent = `${ticks().filter((box) => box.checked).length} of ${taken.dataset.of} selected.`; };
  if (taken) {
    document.addEventListener("change", (event) => { if (event.target.matches("input[name=take]")) tell(); });
    window.addEventListener("pageshow", tell);
  }
}
