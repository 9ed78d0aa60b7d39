// Where people paste: text, files, what they know already. Checks limits before anything is sent.
import { boot, freshId, make, problem, say, send, size } from "/static/page.js";

const at = (id) => document.getElementById(id);
const FIELDS = ["release", "gpu", "model"];

/** Starts the form; `channel` returns the room that is shown. */
export function startComposer({ channel }) {
  const form = at("composer");
  const box = at("text");
  let files = [];
  let thread = null;
  let isSending = false;

  const show = (sentence) => { at("problem").textContent = sentence; };
  const bytes = (value) => new TextEncoder().encode(value).length;

  function replyTo(id) {
    thread = id;
    at("composer-thread").hidden = !id;
    if (id) box.focus();
  }

  function addFiles(list) {
    show("");
    for (const file of list) {
      if (files.length >= boot.limits.files) return show(problem("too-many-files", { limit: boot.limits.files }));
      if (file.size > boot.limits.file) {
        show(problem("file-too-large", { name: file.name, limit: boot.limits.file }));
        continue;
      }
      files.push(file);
    }
    drawFiles();
  }

  function drawFiles() {
    at("files").replaceChildren(...files.map((file, index) => {
      const remove = make("button", { type: "button", class: "plain-button", "aria-label": say("compose.remove", { name: file.name }) }, "×");
      remove.addEventListener("click", () => {
        files.splice(index, 1);
        drawFiles();
        box.focus();
      });
      return make("li", {}, make("span", {}, file.name), make("span", { class: "muted" }, size(file.size)), remove);
    }));
  }

  function form_of(text) {
    const data = new FormData();
    data.append("key", freshId());
    data.append("text", text);
    if (thread) data.append("thread", thread);
    // An English page may well be used to paste Chinese; whoever chose another language wants answers in it.
    if (boot.language !== "en") data.append("language", boot.language);
    for (const name of FIELDS) if (at(name).value.trim()) data.append(name, at(name).value.trim());
    for (const file of files) data.append("file", file, file.name);
    return data;
  }

  async function submit(text) {
    if (isSending) return;
    show("");
    if (!text.trim() && !files.length) return show(problem("empty"));
    if (bytes(text) > boot.limits.text) return show(problem("text-too-long", { limit: boot.limits.text }));
    isSending = true;
    at("send").disabled = true;
    at("send").textContent = say("compose.sending");
    try {
      await send(`/api/rooms/${channel()}/messages`, form_of(text));
      if (text === box.value) box.value = "";
      files = [];
      drawFiles();
      for (const name of FIELDS) at(name).value = "";
      openFacts(false);
      replyTo(null);
      fitHeight();
    } catch (error) {
      show(error.message);
    } finally {
      isSending = false;
      at("send").disabled = false;
      at("send").textContent = say("compose.send");
    }
  }

  function openFacts(isOpen) {
    at("facts-form").hidden = !isOpen;
    at("facts-button").setAttribute("aria-expanded", String(isOpen));
    if (isOpen) at(FIELDS[0]).focus();
  }

  function fitHeight() {
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight + 2, 260)}px`;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(box.value);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit(box.value);
    }
    if (event.key === "Escape" && thread) replyTo(null);
  });
  box.addEventListener("input", fitHeight);
  box.addEventListener("paste", (event) => {
    const pasted = event.clipboardData?.files ?? [];
    if (pasted.length) {
      event.preventDefault();
      addFiles(pasted);
      return;
    }
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (bytes(text) <= boot.limits.text) return;
    event.preventDefault();
    addFiles([new File([text], "paste.log", { type: "text/plain" })]);
    show(say("compose.attached", { limit: size(boot.limits.text) }));
  });
  at("facts-button").addEventListener("click", () => openFacts(at("facts-form").hidden));
  at("composer-thread-stop").addEventListener("click", () => replyTo(null));
  at("file").addEventListener("change", (event) => {
    addFiles(event.target.files);
    event.target.value = "";
    box.focus();
  });
  takeDrops(addFiles);
  return { replyTo, show, sendText: submit };
}

function takeDrops(addFiles) {
  const veil = at("drop");
  let depth = 0;
  const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragenter", (event) => {
    if (!carriesFiles(event)) return;
    depth += 1;
    veil.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (!carriesFiles(event)) return;
    depth = Math.max(0, depth - 1);
    veil.hidden = depth === 0;
  });
  addEventListener("dragover", (event) => { if (carriesFiles(event)) event.preventDefault(); });
  addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    veil.hidden = true;
    addFiles(event.dataTransfer.files);
  });
}
