// Comments on lines and hunks. Every box is a field of the form that rejects, so what is typed is
// sent with it; here boxes are put below their lines, and kept while one goes on reading.
"use strict";

(() => {
  const form = $("#reject");
  const tables = $$("[data-talk]");
  if (!form || !tables.length) return;
  const MOST = 1000; // characters, as in line_comment.py
  const boxes = () => [...form.elements].filter((field) => field.matches("textarea"));

  // -- which line a row is -----------------------------------------------------------------

  const numberIn = (cell) => (cell && /^[0-9]+$/.test(cell.textContent) ? cell.textContent : "");

  // The lines are those of the new side, unless the line is removed: then `-7`.
  function linesOf(row, clicked = null) {
    const cells = $$("td.n", row);
    if (cells.length === 0) return "";
    if (row.matches(".gone")) return `-${numberIn(cells[0])}`;
    const left = cells.find((cell) => cell.matches(".gone"));
    const right = cells.find((cell) => cell.matches(".right"));
    if (left && (!right || clicked === left)) return `-${numberIn(left)}`;
    return numberIn(right || cells[cells.length - 1]);
  }

  const rows = (table) => $$("tr", table).filter((row) => linesOf(row));

  function rowOf(table, lines) {
    const last = lines.replace(/^(-?)[0-9]+-([0-9]+)$/, "$1$2");
    return rows(table).find((row) => $$("td.n", row).some((cell) => linesOf(row, cell) === last));
  }

  function said(lines) {
    const [, gone, first, last] = /^(-?)([0-9]+)(?:-([0-9]+))?$/.exec(lines);
    return `Comment on ${gone ? "removed " : ""}${last ? `lines ${first} to ${last}` : `line ${first}`}`;
  }

  // -- boxes -------------------------------------------------------------------------------

  function put(row, box) {
    let after = row;
    while (after.nextElementSibling?.matches(".talk-row")) after = after.nextElementSibling;
    const made = document.createElement("tr");
    made.className = "talk-row";
    const cell = made.insertCell();
    cell.colSpan = row.closest("table").matches(".split") ? 6 : 4;
    cell.append(box);
    after.after(made);
  }

  function newBox(of, lines) {
    const box = document.createElement("div");
    box.className = "talk-box";
    const label = document.createElement("label");
    label.textContent = said(lines);
    const field = document.createElement("textarea");
    Object.assign(field, { name: `say:${of}:${lines}`, rows: 2, maxLength: MOST, id: `say-${of}-at${lines}` });
    field.setAttribute("form", "reject");
    label.htmlFor = field.id;
    box.append(label, field);
    return withRemoval(box);
  }

  function withRemoval(box) {
    const remove = document.createElement("button");
    Object.assign(remove, { type: "button", className: "link", textContent: "Remove" });
    remove.addEventListener("click", () => {
      (box.closest("tr.talk-row") || box).remove();
      keep();
    });
    box.append(remove);
    return box;
  }

  let last = null; // the box that was opened last, which a click with Shift makes longer

  function comment(row, clicked = null, longer = false) {
    const table = row.closest("[data-talk]");
    const of = table.dataset.talk;
    let lines = linesOf(row, clicked);
    if (longer && last?.of === of && !last.field.value && last.field.isConnected) {
      const both = [last.lines, lines].map(Number);
      if (Math.sign(both[0]) === Math.sign(both[1])) {
        const [first, end] = both.map(Math.abs).sort((a, b) => a - b);
        lines = `${both[0] < 0 ? "-" : ""}${first}${end > first ? `-${end}` : ""}`;
        last.field.closest(".talk-row")?.remove();
        row = rowOf(table, lines) || row;
      }
    }
    const known = boxes().find((field) => field.name === `say:${of}:${lines}`);
    if (!known) put(row, newBox(of, lines));
    const field = known || boxes().find((each) => each.name === `say:${of}:${lines}`);
    last = { of, lines, field };
    field.focus();
  }

  function onHunk(place) {
    const box = place?.matches("tr.talk") ? place : place?.nextElementSibling?.matches("tr.talk") ? place.nextElementSibling : $("tr.talk", place || tables[0]);
    const whole = box || tables[0].parentElement.querySelector(".talk-new");
    const details = whole.matches("details") ? whole : $("details", whole);
    details.open = true;
    $("textarea", details).focus();
  }

  // -- keeping -----------------------------------------------------------------------------

  let changed = boxes().some((field) => field.value !== field.defaultValue); // before this script was there

  function count() {
    const many = boxes().filter((field) => field.value.trim()).length;
    $("#comment-count").textContent = many ? `With ${many} comment${many === 1 ? "" : "s"}.` : "";
  }

  function keep() {
    changed = false;
    const fields = new URLSearchParams(new FormData(form));
    fields.delete("reason");
    keepOnServer(form.getAttribute("action").replace(/reject$/, "comment"), fields);
    count();
  }

  document.addEventListener("input", (event) => {
    if (event.target.form !== form || !event.target.matches("textarea")) return;
    changed = true;
    count();
  });
  document.addEventListener("change", (event) => {
    if (event.target.form === form && event.target.matches("textarea, [name^='line:']")) keep();
  });
  // Nothing else is sent until what was typed is kept, and no passkey is asked for.
  window.keepTyped = () => { if (changed) keep(); return keeping; };
  document.addEventListener("submit", async (event) => {
    if (event.target === form || event.defaultPrevented || !(changed || sending)) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // it is not sent yet
    await window.keepTyped();
    if (!event.submitter?.disabled) event.target.requestSubmit(event.submitter);
  }, true);
  window.addEventListener("pagehide", () => { if (changed) keep(); });

  // -- clicks and keys ---------------------------------------------------------------------

  for (const table of tables) {
    table.classList.add("talks");
    table.addEventListener("click", (event) => {
      const cell = event.target.closest("td.n");
      const row = cell?.closest("tr");
      if (row && linesOf(row, cell)) comment(row, cell, event.shiftKey);
    });
  }

  let cursor = null;

  function step(by) {
    const all = tables.flatMap(rows);
    const from = all.indexOf(cursor?.isConnected ? cursor : nearest(all));
    cursor?.classList.remove("at");
    cursor = all[Math.min(Math.max(from + by, 0), all.length - 1)];
    if (!cursor) return;
    cursor.classList.add("at");
    cursor.tabIndex = -1;
    cursor.focus({ preventScroll: true });
    cursor.scrollIntoView({ block: "center" });
  }

  // Where no line was chosen yet, the lines of the chosen hunk or file come first.
  function nearest(all) {
    const place = among()[at];
    const first = place && all.findIndex((row) => place.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING);
    return first > 0 ? all[first - 1] : null;
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (document.activeElement?.matches("input:not([type=checkbox]):not([type=radio]), textarea, select")) return;
    if (event.key === "J" || event.key === "K") step(event.key === "J" ? 1 : -1);
    else if (event.key === "j" || event.key === "k") { cursor?.classList.remove("at"); cursor = null; return; }
    else if (event.key !== "c") return;
    else if (cursor?.isConnected) comment(cursor);
    else onHunk(among()[at]);
    event.preventDefault();
  });

  for (const box of $$(".talk-box[data-lines]")) {
    const table = $(`[data-talk="${CSS.escape(box.closest("[data-of]").dataset.of)}"]`);
    const row = table && /^-?[0-9]/.test(box.dataset.lines) && rowOf(table, box.dataset.lines);
    withRemoval(box);
    if (row) put(row, box);
  }
  count();
})();
