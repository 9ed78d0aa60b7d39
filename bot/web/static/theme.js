// Sets light or dark before anything is drawn, and lets the reader change it.
(() => {
  const KEY = "vllm-diagnose-theme";
  const root = document.documentElement;
  const kept = () => {
    try { return localStorage.getItem(KEY); } catch { return null; }
  };
  const isDark = () => (root.dataset.theme || "") === "dark"
    || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  const chosen = kept();
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    const show = () => button.setAttribute("aria-pressed", String(isDark()));
    show();
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try { localStorage.setItem(KEY, root.dataset.theme); } catch { /* a private window forgets it */ }
      show();
    });
  });
})();
