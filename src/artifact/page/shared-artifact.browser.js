// The artifacts next to a shared preview: their list and the viewer. The page's script sends the
// current list as an event. A newer version of the open artifact replaces it.
(() => {
  const byId = (id) => document.getElementById(id);
  const { artifactsUrl } = JSON.parse(byId("view").textContent);
  const kinds = { markdown: "Document", html: "Mockup", image: "Image", video: "Video" };
  const icons = {
    markdown: "M5 3h7l4 4v10H5zM12 3v4h4M8 11h5M8 14h5",
    html: "M3 4h14v12H3zM3 8h14M6 6h.01M8.5 6h.01",
    image: "M3 4h14v12H3zM3 14l4-4 3 3 3-3 4 4M12.5 8h.01",
    video: "M3 4h14v12H3zM8.5 7.5v5l4-2.5z",
  };
  const viewer = byId("viewer");
  const list = byId("artifacts").querySelector("ul");

  let artifacts = [];
  let open = null;
  /**
   * The slug in the address. This artifact is opened as soon as it exists, unless another one is
   * opened first.
   */
  let wanted = readSlug();

  function readSlug() {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      // An error would also end the script of the preview, which is in the same element.
      return "";
    }
  }

  function take(next) {
    if (JSON.stringify(next) !== JSON.stringify(artifacts)) {
      artifacts = next;
      draw();
    }
    const asked = artifacts.find(({ slug }) => slug === wanted);
    if (asked) show(asked);
    if (open === null) return;
    const now = artifacts.find(({ id }) => id === open.id);
    if (!now) close();
    else if (now.updatedAt !== open.updatedAt) show(now);
  }

  function draw() {
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.artifact : null;
    byId("artifacts").hidden = artifacts.length === 0;
    list.replaceChildren(
      ...artifacts.map((artifact) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        button.type = "button";
        button.dataset.artifact = artifact.id;
        button.append(
          iconOf(artifact.kind),
          textOf("artifact-title", artifact.title),
          textOf("artifact-kind", about(artifact)),
        );
        button.onclick = () => {
          show(artifact);
          byId("viewer-title").focus();
        };
        item.append(button);
        return item;
      }),
    );
    mark();
    if (focused !== null) buttonOf(focused)?.focus();
  }

  function show(artifact) {
    const isAnother = open?.id !== artifact.id;
    wanted = "";
    open = artifact;
    const address = artifactsUrl + encodeURIComponent(artifact.id);
    byId("viewer-title").textContent = artifact.title;
    byId("viewer-kind").textContent = about(artifact);
    byId("viewer-open").href = address;
    const frame = document.createElement("iframe");
    frame.title = `${kinds[artifact.kind]}: ${artifact.title}`;
    // The artifact's own policy has the same restrictions. The content is untrusted.
    frame.sandbox = artifact.kind === "html" ? "allow-scripts" : "allow-popups allow-popups-to-escape-sandbox";
    frame.allow = "fullscreen";
    frame.referrerPolicy = "no-referrer";
    frame.src = address;
    byId("viewer-frame").replaceChildren(frame);
    viewer.hidden = false;
    byId("stage").inert = true;
    mark();
    if (isAnother) history.replaceState(null, "", `#${encodeURIComponent(artifact.slug)}`);
  }

  function close() {
    if (open === null) return;
    const button = buttonOf(open.id);
    const hadFocus = viewer.contains(document.activeElement);
    open = null;
    viewer.hidden = true;
    byId("viewer-frame").replaceChildren();
    byId("stage").inert = false;
    mark();
    history.replaceState(null, "", location.pathname);
    if (hadFocus) (button ?? byId("stage")).focus();
  }

  /** Marks the open artifact in the list. */
  function mark() {
    for (const button of list.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.dataset.artifact === open?.id));
  }

  const buttonOf = (id) => list.querySelector(`[data-artifact="${CSS.escape(id)}"]`);
  const about = ({ kind, version }) => `${kinds[kind]}${version > 1 ? ` · version ${version}` : ""}`;

  function textOf(className, text) {
    const span = document.createElement("span");
    span.className = className;
    span.textContent = text;
    return span;
  }

  function iconOf(kind) {
    const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    icon.setAttribute("viewBox", "0 0 20 20");
    icon.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", icons[kind]);
    icon.append(path);
    return icon;
  }

  byId("viewer-close").onclick = close;
  document.addEventListener("keydown", ({ key }) => key === "Escape" && close());
  document.addEventListener("shared-artifacts", ({ detail }) => take(detail));
})();
