// Writes the chosen appearance to the page before its first paint. The page waits for this script,
// which is why it is no module.
const showScheme = () => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("scheme");
  } catch {
    // Without storage, the page looks as the system does.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.scheme = chosen;
  else delete document.documentElement.dataset.scheme;
};
showScheme();
// Another tab has changed it.
addEventListener("storage", showScheme);
// This tab has.
addEventListener("scheme", showScheme);
