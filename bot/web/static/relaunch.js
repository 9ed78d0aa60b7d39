// The page of one relaunch: draws where it stands, and asks again every two seconds until it has ended.
import { drawCard } from "/static/card.js";
import { announce, boot, make, read, say, send } from "/static/page.js";

const AGAIN_MS = 2000;
const at = (id) => document.getElementById(id);
const path = `/api/relaunches/${boot.relaunch}`;
let live = boot.live;
let drawn = "";

/** Returns a length of time in words. */
function span(seconds) {
  if (seconds < 60) return say("runs.seconds", { seconds: seconds.toFixed(1) });
  return say("runs.span", { minutes: Math.floor(seconds / 60), seconds: Math.floor(seconds % 60) });
}

function draw() {
  at("title").textContent = live.title;
  drawProgress();
  const now = JSON.stringify([live.card, live.timeline, live.clock]);
  if (now === drawn) return;
  // a button that somebody has come to by keyboard stays theirs; when it is gone, they stay near it
  const held = at("card").contains(document.activeElement) ? document.activeElement.textContent : null;
  drawn = now;
  at("card").replaceChildren(drawCard(live.card, press));
  const buttons = [...at("card").querySelectorAll("button")];
  if (held !== null) (buttons.find((one) => one.textContent === held) ?? at("main")).focus({ preventScroll: true });
  at("timeline").replaceChildren(...live.timeline.map((moment) => make("tr", {},
    make("td", {}, make("time", { datetime: moment.at }, time(moment.at))),
    make("td", {}, span(moment.seconds)), make("td", {}, moment.word), make("td", {}, moment.detail))));
  at("clock").replaceChildren(...live.clock.map((one) => make("div", {},
    make("dt", {}, one.part), make("dd", {}, one.seconds === null ? say("runs.not-yet") : span(one.seconds)))));
}

function drawProgress() {
  const place = at("progress");
  place.hidden = live.progress === null;
  if (live.progress === null) return;
  place.querySelector("progress").value = live.progress.percent;
  place.querySelector("span").textContent = `${live.progress.percent} % ${live.progress.phase}`;
}

function time(iso) {
  return new Intl.DateTimeFormat(boot.language, { timeStyle: "medium" }).format(new Date(iso));
}

function tell(data) {
  at("said").replaceChildren(drawCard(data.card, null));
}

async function press(button) {
  at("problem").textContent = "";
  at("said").replaceChildren();
  try {
    tell(await send(path, { action: button.action, plan: live.plan }));
  } catch (error) {
    if (error.data?.card) tell(error.data);
    else at("problem").textContent = error.message;
  }
  await look();
  return "";
}

async function look() {
  const found = await read(path);
  const state = found === null ? "lost" : "live";
  at("connection").dataset.state = state;
  at("connection").textContent = say(`connection.${state}`);
  if (found === null) return;
  if (found.state !== live.state) announce(say("runs.now", { title: found.title }));
  live = found;
  draw();
}

async function showLog() {
  const found = await read(`${path}/log`);
  if (found === null) return;
  const place = at("log");
  const isAtEnd = place.scrollHeight - place.scrollTop - place.clientHeight < 24;
  const text = found.trouble || found.lines.join("\n") || say("runs.log.empty");
  if (text === place.textContent) return;
  place.textContent = text;
  if (isAtEnd) place.scrollTop = place.scrollHeight;
}

/** Does something over and over until the run has ended, and once more then. */
async function follow(work) {
  for (let hasEnded = false; !hasEnded;) {
    hasEnded = live.has_ended;
    await work();
    if (!hasEnded) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

draw();
follow(look);
follow(showLog);
