// The page of hosts: asks how each server is, once.
import { read, say } from "/static/page.js";

const told = (await read("/api/hosts")) ?? {};
for (const place of document.querySelectorAll("[data-server]")) {
  const found = told[place.dataset.server];
  place.textContent = found?.word ?? say("hosts.state.silent");
  place.dataset.state = found?.state ?? "silent";
  if (found?.trouble) {
    const why = document.createElement("p");
    why.className = "muted";
    why.textContent = found.trouble;
    place.append(why);
  }
}
