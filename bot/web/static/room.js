// One room: messages with their threads, drawn as they come. Nothing here sends anything by itself.
import { drawCard } from "/static/card.js";
import { boot, clock, make, say, size } from "/static/page.js";

const FOLD_LINES = 14;
const SHOWN_LINES = 8;

export class Room {
  /** `acts` says what happens on reply, press and ask. */
  constructor(name, acts) {
    this.name = name;
    this.acts = acts;
    this.element = make("ol", { class: "messages" });
    this.items = new Map();
    this.isUnread = false;
  }

  get isEmpty() {
    return this.items.size === 0;
  }

  /** Takes in what happened and returns the element that is new or changed. */
  take(data) {
    if (data.kind === "message") return this.#add(data.id, data.thread, this.#message(data));
    if (data.kind === "reply") return this.#add(data.id, data.thread, this.#reply(data));
    if (data.kind === "edit") return this.#edit(data);
    return this.#mark(data);
  }

  #add(id, thread, element) {
    if (this.items.has(id)) return null;
    this.items.set(id, element);
    const head = thread ? this.items.get(thread) : null;
    if (head) head.querySelector(":scope > .thread").append(element);
    else this.element.append(element);
    return element;
  }

  #message(data) {
    const isMine = data.author.id === boot.person.id;
    const head = make("p", { class: "byline" },
      make("span", { class: "avatar", "aria-hidden": "true" }, initial(data.author.name)),
      make("strong", {}, data.author.name),
      isMine ? make("span", { class: "muted" }, `(${say("message.you")})`) : null,
      make("time", { datetime: data.at }, clock(data.at)));
    const files = data.files.map((file) => make("li", {}, file.name,
      file.size_bytes === null ? null : make("span", { class: "muted" }, size(file.size_bytes))));
    const fields = Object.entries(data.fields).map(([name, value]) =>
      make("div", {}, make("dt", {}, say(`facts.${name}`)), make("dd", {}, value)));
    const thread = make("ol", { class: "thread" });
    const item = make("li", { class: "message", id: `m-${data.id}` }, head, text(data.text),
      files.length ? make("ul", { class: "sent-files", "aria-label": say("message.files") }, files) : null,
      fields.length ? make("dl", { class: "facts small" }, fields) : null,
      make("p", { class: "mark", hidden: true }), thread);
    if (!data.thread) {
      item.append(make("button", { type: "button", class: "plain-button reply", onclick: () => this.acts.reply(data.id) },
        say("message.reply")));
    }
    return item;
  }

  #reply(data) {
    const head = make("p", { class: "byline" },
      make("span", { class: "avatar bot", "aria-hidden": "true" }, "v"),
      make("strong", {}, say("brand")),
      data.recipient ? make("span", { class: "muted" }, say("message.private")) : null,
      make("time", { datetime: data.at }, clock(data.at)));
    const item = make("li", { class: "message answer", id: `m-${data.id}` }, head, this.#card(data));
    // What it stands below no longer waits; hiding that only later would move the answer while it is read.
    this.items.get(data.thread)?.querySelectorAll('.mark[data-mark="working"]').forEach((mark) => { mark.hidden = true; });
    return item;
  }

  #card(data) {
    return drawCard(data.card, (button) => this.acts.press(this, data.id, data.thread, button));
  }

  #edit(data) {
    const item = this.items.get(data.id);
    if (!item) return null;
    item.querySelector(":scope > .card").replaceWith(this.#card(data));
    item.querySelector(".edited")?.remove();
    const note = make("span", { class: "muted edited" }, say("message.edited", { time: clock(data.at) }));
    item.querySelector(".byline").append(note);
    return item;
  }

  #mark(data) {
    const place = this.items.get(data.id)?.querySelector(":scope > .mark");
    if (!place) return null;
    place.dataset.mark = data.mark;
    place.hidden = data.mark === "answered";
    place.replaceChildren();
    if (place.hidden) return null;
    place.append(say(`message.${data.mark}`));
    if (data.mark === "quiet") {
      place.append(" ", make("button", { type: "button", class: "plain-button ask", onclick: () => this.acts.ask(this, data.id) },
        say("message.ask")));
    }
    return place;
  }
}

const initial = (name) => (Array.from(name.trim())[0] ?? "?").toUpperCase();

function text(value) {
  if (!value) return null;
  const lines = value.replace(/\n+$/, "").split("\n");
  const isLog = lines.length > 2 || lines.some((line) => line.length > 200);
  const whole = lines.join("\n");
  if (!isLog) return make("p", { class: "said" }, whole);
  const block = make("pre", { class: "pasted", tabindex: "0" }, whole);
  if (lines.length <= FOLD_LINES) return block;
  const few = `${lines.slice(0, SHOWN_LINES).join("\n")}\n…`;
  block.textContent = few;
  const more = make("button", { type: "button", class: "plain-button more", "aria-expanded": "false" },
    say("message.more", { count: lines.length }));
  more.addEventListener("click", () => {
    const isOpen = more.getAttribute("aria-expanded") === "true";
    more.setAttribute("aria-expanded", String(!isOpen));
    more.textContent = isOpen ? say("message.more", { count: lines.length }) : say("message.less");
    block.textContent = isOpen ? few : whole;
  });
  return make("div", { class: "pasted-whole" }, block, more);
}
