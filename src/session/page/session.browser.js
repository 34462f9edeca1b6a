// Updates the page of a session live. Text that an event adds is shown immediately, as plain text.
// For any other change, the page fetches itself again and applies the differences, because only the
// service renders Markdown.
(() => {
  const byId = (id) => document.getElementById(id);
  const { eventsUrl } = JSON.parse(byId("view").textContent);
  const conversation = byId("conversation");
  const status = byId("live");
  const refreshPauseMs = 1_000;
  /** Events within this time cause only one fetch of the page. */
  const gatherMs = 250;
  const textPauseMs = 100;

  /** The texts of the running turn by their places, and the places of texts not shown yet. */
  const texts = new Map();
  const unshown = new Set();
  let isTurnLive = false;
  let textTimer = null;
  let refreshTimer = null;
  let isStale = false;
  /**
   * The earliest start of the next refresh: a second after the start of the last one, or later if
   * its response took longer.
   */
  let nextRefreshAt = 0;

  // An article that did not change stays, so that the reader keeps their place in it.
  for (const article of conversation.children) article.dataset.source = article.outerHTML;

  const events = new EventSource(eventsUrl);
  const on = (name, take) => events.addEventListener(name, (event) => take(JSON.parse(event.data)));

  on("job", ({ job }) => {
    isTurnLive = job.status === "running";
    refresh();
  });
  on("block", ({ jobId, role, index, block }) => {
    if (role === "assistant" && block.type === "text") noteText(`${jobId}:${index}`, block.content);
    refresh();
  });
  on("delta", ({ jobId, index, delta }) => {
    const place = `${jobId}:${index}`;
    noteText(place, (texts.get(place) ?? "") + delta);
  });
  on("session", refresh);
  on("queue", refresh);
  on("end", ({ deleted }) => {
    isTurnLive = false;
    texts.clear();
    unshown.clear();
    if (deleted) end("The session was deleted.");
    else refresh();
  });
  events.onopen = () => tell("Live");
  events.onerror = () =>
    events.readyState === EventSource.CLOSED ? end("Not live any more. Reload the page.") : tell("Connecting again …");

  function tell(text) {
    if (status.textContent !== text) status.textContent = text;
  }

  function end(text) {
    events.close();
    tell(text);
  }

  function noteText(place, text) {
    texts.set(place, text);
    unshown.add(place);
    if (textTimer === null) textTimer = setTimeout(showTexts, textPauseMs);
  }

  function showTexts() {
    textTimer = null;
    // At the start, the events of an ended turn arrive again. Its texts are already rendered.
    if (!isTurnLive) return;
    const follows = isAtEnd();
    for (const place of unshown) {
      const part = conversation.querySelector(`[data-place="${CSS.escape(place)}"][data-type="text"]`);
      if (!part) continue;
      part.textContent = texts.get(place);
      part.classList.add("growing");
      unshown.delete(place);
    }
    if (follows) toEnd();
  }

  /**
   * Fetches the page again: one fetch at a time, at most one per second, and fewer from a slow
   * service.
   */
  function refresh() {
    if (refreshTimer !== null) {
      isStale = true;
      return;
    }
    isStale = false;
    refreshTimer = setTimeout(
      async () => {
        const began = performance.now();
        await takeOver().catch(() => undefined);
        const ended = performance.now();
        nextRefreshAt = Math.max(began + refreshPauseMs, ended + (ended - began));
        refreshTimer = null;
        if (isStale) refresh();
      },
      Math.max(gatherMs, nextRefreshAt - performance.now()),
    );
  }

  async function takeOver() {
    const answer = await fetch(location.href, { headers: { accept: "text/html", "x-switchyard-page": "part" } });
    if (!answer.ok) return;
    // The styles have another response's nonce, so the browser would report each as a violation.
    const text = (await answer.text()).replace(/<style[\s\S]*?<\/style>/, "");
    const page = new DOMParser().parseFromString(text, "text/html");
    const next = page.getElementById("conversation");
    if (!next) return;
    const follows = isAtEnd();
    for (const id of ["facts", "state"]) {
      const [now, then] = [byId(id), page.getElementById(id)];
      if (now && then && now.innerHTML !== then.innerHTML) now.replaceChildren(...then.childNodes);
    }
    const known = new Map([...conversation.children].map((article) => [article.id, article]));
    const articles = [...next.children].map((article) => merged(known.get(article.id), article));
    if (
      articles.some((article, at) => article !== conversation.children[at]) ||
      articles.length !== conversation.children.length
    )
      conversation.replaceChildren(...articles);
    for (const [place] of texts) unshown.add(place);
    showTexts();
    if (follows) toEnd();
  }

  /** Returns the earlier article if nothing differs, else the new one with the same parts open. */
  function merged(before, article) {
    const source = article.outerHTML;
    if (before?.dataset.source === source) return before;
    for (const part of before?.querySelectorAll("details[open]") ?? []) {
      const same = article.querySelector(`details[data-place="${CSS.escape(part.dataset.place)}"]`);
      if (same) same.open = true;
    }
    const adopted = document.adoptNode(article);
    adopted.dataset.source = source;
    return adopted;
  }

  function isAtEnd() {
    const { scrollHeight, scrollTop, clientHeight } = document.documentElement;
    return scrollHeight - scrollTop - clientHeight < 80;
  }

  function toEnd() {
    document.documentElement.scrollTop = document.documentElement.scrollHeight;
  }
})();
