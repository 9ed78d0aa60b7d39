// The chat page: follows the rooms, shows one of them, keeps the list of recent incidents.
import { startComposer } from "/static/composer.js";
import { announce, boot, make, read, say, send } from "/static/page.js";
import { Room } from "/static/room.js";

const rooms = new Map(boot.channels.map((name) => [name, new Room(name, { reply, press, ask })]));
const log = document.getElementById("log");
let current = null;
let isLive = false;

const composer = startComposer({ channel: () => current.name });

function reply(thread) {
  composer.replyTo(thread);
}

async function press(room, message, thread, button) {
  const body = { message, thread, action: button.action, value: button.value };
  try {
    await send(`/api/rooms/${room.name}/clicks`, body);
    // an answer is called wrong once; what is asked of a host may be asked again
    return button.action === "answer-is-wrong" ? say("thanks") : "";
  } catch (error) {
    composer.show(error.message);
    return "";
  }
}

async function ask(room, message) {
  try {
    await send(`/api/rooms/${room.name}/messages/${message}/ask`);
  } catch (error) {
    composer.show(error.message);
  }
}

function show(name) {
  const room = rooms.get(name) ?? rooms.get(boot.channels[0]);
  if (room === current) return;
  current = room;
  composer.replyTo(null);
  document.getElementById("room-name").textContent = `#${room.name}`;
  document.title = `#${room.name} · ${say("brand")}`;
  log.setAttribute("aria-label", say("log", { channel: room.name }));
  log.replaceChildren(room.element);
  room.isUnread = false;
  refresh();
  toEnd();
}

function refresh() {
  const links = [...rooms.values()].map((room) => {
    const attributes = { href: `#${room.name}`, class: room.isUnread ? "unread" : "" };
    if (room === current) attributes["aria-current"] = "page";
    return make("li", {}, make("a", attributes, make("span", { class: "hash", "aria-hidden": "true" }, "#"), room.name));
  });
  const list = document.getElementById("channels");
  const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  list.replaceChildren(...links);
  if (focused) list.querySelector(`[href="${focused}"]`)?.focus();
  document.getElementById("empty").hidden = !isLive || !current.isEmpty;
  log.hidden = isLive && current.isEmpty;
  document.getElementById("try").hidden = !boot.sample;
}

function toEnd() {
  log.scrollTop = log.scrollHeight;
}

const isNearEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 160;

function happened(event) {
  const data = JSON.parse(event.data);
  const room = rooms.get(data.channel);
  if (!room) return;
  const stick = isNearEnd();
  const element = room.take(data);
  if (room !== current && isLive && data.kind !== "mark") room.isUnread = true;
  if (isLive) tell(data);
  if (isLive || room === current) refresh();
  if (room !== current || !element) return;
  if (isLive && data.kind === "reply") reveal(element);
  else if (data.kind === "message" && (stick || data.author.id === boot.person.id)) toEnd();
}

/** Brings an answer into view: its beginning, when it is taller than the room. */
function reveal(element) {
  const block = element.offsetHeight > log.clientHeight ? "start" : "nearest";
  element.scrollIntoView({ block, behavior: calm() });
}

const calm = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");

function tell(data) {
  if (data.kind === "reply") announce(say("new-answer", { title: data.card.title }));
  if (data.kind === "edit") announce(say("updated-answer", { title: data.card.title }));
  if (data.kind === "reply" || data.kind === "edit") recent();
}

async function recent() {
  const found = await read("/api/incidents");
  if (found === null) return; // the next answer tries again
  document.getElementById("recent").replaceChildren(...found.map((incident) =>
    make("li", {}, make("a", { href: `/incidents/${incident.id}` }, incident.title),
      make("span", { class: "muted" }, `#${incident.channel}`))));
  document.getElementById("recent-none").hidden = found.length > 0;
}

function connect() {
  const place = document.getElementById("connection");
  const state = (name) => {
    place.dataset.state = name;
    place.textContent = say(`connection.${name}`);
  };
  const open = (after) => {
    const events = new EventSource(after ? `/api/rooms/events?after=${after}` : "/api/rooms/events");
    let last = after;
    events.addEventListener("open", () => state("live"));
    events.addEventListener("room", (event) => { last = event.lastEventId; happened(event); });
    events.addEventListener("live", () => {
      if (!isLive) { isLive = true; refresh(); toEnd(); }
    });
    events.addEventListener("error", () => {
      state("lost");
      if (events.readyState !== EventSource.CLOSED) return; // it tries again by itself
      setTimeout(() => open(last), 3000);
    });
  };
  open("");
}

document.getElementById("sample").addEventListener("click", () => composer.sendText(boot.sample));
addEventListener("hashchange", () => show(location.hash.slice(1)));
show(location.hash.slice(1));
recent();
connect();
