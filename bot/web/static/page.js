// What every page shares: what the server told it, words, making elements, sending. Nothing here knows a card.
export const boot = JSON.parse(document.getElementById("boot").textContent);

/** Returns one sentence with its {placeholders} filled. */
export function say(key, values = {}) {
  const text = boot.words[`console.${key}`] ?? key;
  return text.replace(/\{([a-z]+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Makes an element. Children that are strings become text and are never read as markup. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else element.setAttribute(name, String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** Returns a sentence as nodes; what stands between two single backticks is code. */
export function prose(text) {
  const pieces = text.split("`");
  if (pieces.length % 2 === 0) return [text];
  return pieces.map((piece, index) => (index % 2 ? make("code", {}, piece) : piece));
}

/** Tells screen readers something without moving the focus. */
export function announce(text) {
  const place = document.getElementById("announcer");
  place.textContent = "";
  requestAnimationFrame(() => { place.textContent = text; });
}

/** Returns a size in words. */
export function size(bytes) {
  if (bytes >= 1 << 20) return `${Math.round(bytes / (1 << 20))} MiB`;
  if (bytes >= 1 << 10) return `${Math.round(bytes / (1 << 10))} KiB`;
  return `${bytes} B`;
}

/** Returns a time of day, with the date when it is another day. */
export function clock(iso) {
  const at = new Date(iso);
  const today = new Date().toDateString() === at.toDateString();
  const options = today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(boot.language, options).format(at);
}

/** Returns an id that the server has not seen. */
export function freshId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Reads what is there now. Returns its JSON, or null when it cannot be had. */
export async function read(path) {
  try {
    const response = await fetch(path, { credentials: "same-origin" });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/** Sends a change. Returns the answer's JSON, or throws an error whose message can be shown; `data` is the answer. */
export async function send(path, body) {
  let response;
  try {
    const isForm = body instanceof FormData;
    response = await fetch(path, {
      method: "POST",
      credentials: "same-origin",
      headers: { "X-CSRF-Token": boot.csrf, ...(isForm ? {} : { "Content-Type": "application/json" }) },
      body: isForm ? body : JSON.stringify(body ?? {}),
    });
  } catch {
    throw new Error(say("error.offline"));
  }
  const data = await response.json().catch(() => ({}));
  if (!response.ok) {
    const message = problem(data.error ?? String(response.status), data.values ?? {});
    throw Object.assign(new Error(message), { data });
  }
  return data;
}

/** Returns the sentence for a code of the server. */
export function problem(code, values = {}) {
  const shown = { ...values };
  if (typeof shown.limit === "number" && code !== "too-many-files") shown.limit = size(shown.limit);
  return `console.error.${code}` in boot.words ? say(`error.${code}`, shown) : say("error.other", { code });
}
