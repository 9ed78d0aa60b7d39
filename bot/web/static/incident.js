// The page of one incident: draws its card.
import { drawCard } from "/static/card.js";
import { boot, say, send } from "/static/page.js";

const show = (sentence) => { document.getElementById("problem").textContent = sentence; };

async function press(button) {
  const body = { message: boot.message, thread: boot.thread, action: button.action, value: button.value };
  try {
    await send(`/api/rooms/${boot.channel}/clicks`, body);
    return button.action === "answer-is-wrong" ? say("thanks") : say("in-the-room");
  } catch (error) {
    show(error.message);
    return "";
  }
}

if (boot.card) document.getElementById("card").append(drawCard(boot.card, boot.message ? press : null));
