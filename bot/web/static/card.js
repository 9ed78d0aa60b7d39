// Draws a card. Everything in it is put in as text. Nothing here knows where the card stands.
import { boot, make, prose, say } from "/static/page.js";

const SYMBOLS = { bad: "!", warning: "?", good: "✓", neutral: "i" };

/** Returns a card as an element; `press` is called with a button of it. */
export function drawCard(card, press) {
  const element = make("div", { class: `card tone-${card.tone}`, lang: card.language });
  element.append(head(card), ...card.sections.map(section), foot(card, press));
  return element;
}

function head(card) {
  const symbol = make("span", { class: "symbol", "aria-hidden": "true" }, SYMBOLS[card.tone] ?? "i");
  const badges = card.badges.map((badge) => make("span", { class: "badge" }, badge));
  return make("header", {}, symbol, make("h3", {}, prose(card.title)), badges);
}

function section(data, index) {
  const parts = data.parts.map(part);
  const aside = data.aside ? make("p", { class: "aside" }, data.aside) : null;
  if (data.detail) {
    const summary = make("summary", {}, make("span", { class: "summary-text" },
      aside ? make("span", { class: "aside" }, data.aside) : null,
      make("span", { class: "summary-heading" }, prose(data.heading))));
    return make("details", {}, summary, make("div", { class: "folded" }, parts));
  }
  const heading = data.heading ? make("h4", {}, prose(data.heading)) : null;
  return make("section", { class: index === 0 ? "opening" : "" }, aside, heading, parts);
}

function part(data) {
  switch (data.part) {
    case "paragraph": return make("p", {}, prose(data.text));
    case "subheading": return make("h5", {}, prose(data.text));
    case "code": return code(data);
    case "fields": return make("dl", { class: "facts" }, data.fields.map((field) =>
      make("div", {}, make("dt", {}, field.name), make("dd", {}, field.value))));
    case "bullets": return make("ul", {}, data.items.map((item) => make("li", {}, prose(item))));
    case "links": return make("ul", { class: "links" }, data.links.map((link) => make("li", {}, anchor(link))));
    default: return null;
  }
}

function code(data) {
  const isCommand = data.kind === "command";
  const attributes = { class: isCommand ? "command" : "quote", tabindex: "0", role: "group", "aria-label": data.label };
  const block = make("pre", attributes, make("code", {}, data.text));
  const copy = isCommand ? copyButton(data.text, data.label) : null;
  const note = data.note ? make("p", { class: "note" }, prose(data.note)) : null;
  return [make("div", { class: "code" }, block, copy), note];
}

function anchor(link) {
  const isOwn = link.url.startsWith("/") && !link.url.startsWith("//");
  if (isOwn) return make("a", { href: link.url }, link.text);
  if (!/^https?:\/\//.test(link.url)) return link.text;
  return make("a", { href: link.url, target: "_blank", rel: "noreferrer noopener" }, link.text);
}

function copyButton(text, label) {
  const button = make("button", { type: "button", class: "copy", "aria-label": say("copy.named", { label }) }, say("copy"));
  button.addEventListener("click", async () => {
    const done = await copy(text);
    button.textContent = done ? say("copied") : say("copy.failed");
    button.classList.toggle("done", done);
    setTimeout(() => {
      button.textContent = say("copy");
      button.classList.remove("done");
    }, 2000);
  });
  return button;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text) {
  // Pages that come over plain HTTP from another machine have no clipboard.
  const area = make("textarea", { class: "unseen", "aria-hidden": "true", tabindex: "-1" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

function foot(card, press) {
  const files = card.attachments.map((file) => {
    const url = URL.createObjectURL(new Blob([file.text], { type: `${file.media_type};charset=utf-8` }));
    return make("a", { class: "plain-button", href: url, download: file.name }, say("download", { name: file.name }));
  });
  const choices = press ? (card.choices ?? []).map((choice) => cardChoice(choice, press)) : [];
  const buttons = press ? card.buttons.map((button) => cardButton(button, press)) : [];
  const all = [...files, ...choices, ...buttons];
  return all.length ? make("footer", {}, all) : make("span", { hidden: true });
}

/** A list and a button: moving through a list with the keyboard must not choose anything yet. */
function cardChoice(choice, press) {
  const list = make("select", { "aria-label": choice.label },
    choice.options.map((option) => make("option", { value: option.value }, option.label)));
  const button = make("button", { type: "button", class: "plain-button" }, say("choose"));
  button.addEventListener("click", async () => {
    button.disabled = true;
    const label = list.selectedOptions[0]?.textContent ?? "";
    await press({ action: choice.action, value: list.value, label });
    button.disabled = false;
  });
  return make("span", { class: "choice" }, list, button);
}

function cardButton(button, press) {
  const element = make("button", { type: "button", class: `plain-button style-${button.style}` }, button.label);
  element.addEventListener("click", async () => {
    if (button.confirm && !(await confirmed(button.confirm, button.label))) return;
    element.disabled = true;
    const thanks = await press(button);
    if (thanks) element.replaceWith(make("span", { class: "thanks", role: "status" }, thanks));
    else element.disabled = false;
  });
  return element;
}

/** Asks a question and returns whether the answer is yes, which is the button's own word. */
function confirmed(question, yes) {
  return new Promise((resolve) => {
    const id = `question-${boot.csrf.slice(0, 6)}`;
    const dialog = make("dialog", { "aria-labelledby": id },
      make("form", { method: "dialog" },
        make("p", { id }, question),
        make("div", { class: "dialog-end" },
          make("button", { value: "no", class: "plain-button" }, say("confirm.no")),
          make("button", { value: "yes", class: "primary" }, yes))));
    dialog.addEventListener("close", () => {
      resolve(dialog.returnValue === "yes");
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
