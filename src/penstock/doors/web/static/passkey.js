// Passkeys and unlocking. Without this script, or where a browser has no passkeys, every form
// works with the passphrase. Nothing here decides anything: the server checks each answer.
"use strict";
{
  const find = (what, where = document) => where.querySelector(what);
  const every = (what, where = document) => [...where.querySelectorAll(what)];

  // -- bytes as WebAuthn writes them -----------------------------------------------------------

  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const bytes = (written) => Uint8Array.from(atob(written.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
  const descriptors = (ids) => ids.map((id) => ({ type: "public-key", id: bytes(id) }));

  // A passkey belongs to the name of the page; under a number there are none.
  const named = !/^[\d.]+$|^\[/.test(location.hostname);
  const able = named && window.isSecureContext && "PublicKeyCredential" in window;

  async function post(address, fields) {
    const answer = await fetch(address, { method: "POST", body: fields });
    if (answer.ok) return answer.json();
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const error = new Error(find(".note.bad h2", page)?.textContent || "The server refused it");
    error.code = find(".note.bad code", page)?.textContent || "";
    throw error;
  }

  function reason(error) {
    if (error.name === "NotAllowedError") return "Cancelled, or this device has no registered passkey." + (find("#passphrase") ? " You can type the passphrase." : "");
    if (error.name === "InvalidStateError") return "This device already has a passkey for this page.";
    if (error.name === "TypeError") return "The Penstock server can't be reached. Try again when it is back.";
    return error.message;
  }

  // -- approving ---------------------------------------------------------------------------------

  const SECRET = "penstock-unlock";
  // What is wrong with an approval itself is shown by the form's own answer, with what differs.
  const OF_PASSKEYS = ["no-passkey", "code-needed", "bad-secret"];
  const proof = find("[data-proof]");
  const form = proof?.closest("form");

  function typed(needed) {
    const part = find("[data-typed]", proof);
    if (!part) return; // no passphrase is taken at this address
    part.hidden = !needed;
    for (const field of every("input:not([type=hidden])", part)) field.required = needed;
  }

  // The secret is this page's own: other servers of this machine are sent our cookies, but no
  // page of theirs can read what is stored here.
  function wanted() {
    if (!find("[name=keep-unlocked]", proof)?.checked) return "";
    const secret = text(crypto.getRandomValues(new Uint8Array(32)));
    form.elements.unlock.value = secret;
    localStorage.setItem(SECRET, secret);
    return secret;
  }

  let touching = false; // whether the button is enabled is connection.js's to say

  async function touch(button) {
    if (touching) return;
    const say = (words) => { find("[data-said]", proof).textContent = words; };
    for (const field of every("[data-typed] input", proof)) field.required = false;
    if (!form.reportValidity()) { typed(!form.elements.unlocked.value); return; }
    touching = true;
    button.setAttribute("aria-busy", "true");
    say("Waiting for your passkey …");
    await window.keepTyped?.();
    wanted();
    const fields = new URLSearchParams(new FormData(form));
    for (const secret of ["passphrase", "code", "unlocked"]) fields.delete(secret);
    try {
      const asked = await post(form.getAttribute("action").replace(/(approve|undo|new)$/, "challenge"), fields);
      form.elements.touch.value = await signed(asked);
      form.elements.unlocked.value = "";
    } catch (error) {
      if (!error.code || OF_PASSKEYS.includes(error.code)) {
        say(reason(error));
        touching = false;
        button.removeAttribute("aria-busy");
        typed(true);
        return;
      }
    }
    form.submit();
  }

  if (form) {
    const button = find("[data-touch]", proof);
    const unlocked = () => (Number(proof.dataset.unlocked || 0) * 1000 > Date.now() && localStorage.getItem(SECRET)) || "";
    const settle = () => {
      form.elements.unlocked.value = unlocked();
      typed(!unlocked());
      if (button) button.hidden = !able || Boolean(unlocked());
      find("[data-unlock]", proof).hidden = Boolean(unlocked());
    };
    settle();
    window.addEventListener("storage", settle);
    window.addEventListener("pageshow", settle);
    document.addEventListener("penstock-locked", settle);
    button?.addEventListener("click", () => touch(button));
    window.addEventListener("pageshow", () => { touching = false; button?.removeAttribute("aria-busy"); });
    form.addEventListener("submit", (event) => { if (!event.submitter?.hasAttribute("formaction")) wanted(); });
    // What the key `a` does: the touch itself is the question; an unlocked page asks once more.
    window.approveByKey = () => {
      const to = unlocked() ? find("button.go, button.stop", form) : able && button ? button : find("#passphrase");
      if (!to) return;
      to.scrollIntoView({ block: "center" });
      to.focus();
      if (to === button) to.click();
    };
    if (location.hash === "#passphrase") (unlocked() || (able && button) ? find("button.go:not([hidden])", form) : null)?.focus();
  }

  // -- the countdown -----------------------------------------------------------------------------

  const bar = find("#lock");
  if (bar) {
    const tick = () => {
      const left = Math.max(0, Math.ceil(Number(bar.dataset.until) - Date.now() / 1000));
      find("time", bar).textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
      if (left) return;
      clearInterval(every_second);
      bar.hidden = true;
      localStorage.removeItem(SECRET);
      document.dispatchEvent(new Event("penstock-locked"));
    };
    const every_second = setInterval(tick, 1000);
    tick();
    bar.addEventListener("submit", () => localStorage.removeItem(SECRET));
  }

  // -- signing in --------------------------------------------------------------------------------

  async function signed(asked) {
    const made = await navigator.credentials.get({ publicKey: {
      challenge: bytes(asked.challenge),
      rpId: location.hostname,
      allowCredentials: descriptors(asked.credentials),
      userVerification: "required",
    } });
    const { clientDataJSON, authenticatorData, signature } = made.response;
    return JSON.stringify({
      id: text(made.rawId), client: text(clientDataJSON), authenticator: text(authenticatorData), signature: text(signature),
    });
  }

  const enter = find("#sign-in");
  if (enter && able) {
    find("button", enter).hidden = false;
    enter.addEventListener("submit", async (event) => {
      if (enter.elements.touch.value) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      find("[data-said]", enter).textContent = "Waiting for your passkey …";
      try {
        enter.elements.touch.value = await signed(await post("/sign-in/options", new URLSearchParams()));
        enter.submit();
      } catch (error) {
        find("[data-said]", enter).textContent = reason(error);
      }
    });
  }

  // -- registering -------------------------------------------------------------------------------

  const add = find("#add-passkey");
  if (add) {
    const say = (words) => { find("[data-said]", add).textContent = words; };
    find("button", add).hidden = !able;
    find("[data-plain]", add).hidden = true;
    if (!able) say("Open this page as http://localhost, in a browser that has passkeys.");
    add.addEventListener("submit", async (event) => {
      if (add.elements.credential.value) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      find("button", add).disabled = true;
      say("Waiting for your passkey …");
      try {
        const asked = await post("/passkeys/options", new URLSearchParams({ csrf: add.elements.csrf.value }));
        const made = await navigator.credentials.create({ publicKey: {
          ...asked,
          challenge: bytes(asked.challenge),
          user: { ...asked.user, id: bytes(asked.user.id) },
          excludeCredentials: descriptors(asked.excludeCredentials.map((one) => one.id)),
        } });
        add.elements.credential.value = JSON.stringify({
          id: made.id,
          rawId: text(made.rawId),
          type: made.type,
          response: { clientDataJSON: text(made.response.clientDataJSON), attestationObject: text(made.response.attestationObject) },
        });
        add.submit();
      } catch (error) {
        say(reason(error));
        find("button", add).disabled = false;
      }
    });
  }
}
