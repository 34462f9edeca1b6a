// Keeps the page of a public link up to date. Opening the page or pressing its button wakes the
// preview. Polling does not, so an open page neither keeps a sandbox running nor starts one.
(() => {
  const byId = (id) => document.getElementById(id);
  const { slug, view: firstView, renewalPath, authTokenLifetimeMs } = JSON.parse(byId("view").textContent);
  const address = `/api/shared-previews/${encodeURIComponent(slug)}`;
  const stage = byId("stage");
  const banner = byId("banner");

  const pollEveryMs = 15_000;
  const pollAfterMoveMs = 10_000;
  const startingWaitsMs = [1_000, 1_500, 2_000, 3_000, 4_000, 5_000];
  const failureWaitsMs = [2_000, 4_000, 8_000, 15_000, 30_000];
  const slowAfterMs = 40_000;
  const renewEveryMs = authTokenLifetimeMs / 3;
  const wakesAtMost = 3;

  /** Name of a frontend → its frame and its URL, with a currently valid token. */
  const shown = new Map();
  let chosen = null;
  let state = firstView.status === "ready" ? "ready" : (firstView.reason ?? "starting");
  let isOver = false;
  let timer;
  let asked = 0;
  let failures = 0;
  let pollsWhileStarting = 0;
  let startingSince = Date.now();
  let wakesLeft = wakesAtMost - 1;
  let openUntil = 0;
  let polledAt = Date.now();
  let renewedAt = 0;

  /** Fetches the state. Of several requests in flight, only the last one counts. */
  async function ask({ wakes = false } = {}) {
    clearTimeout(timer);
    asked += 1;
    polledAt = Date.now();
    const mine = asked;
    let answer;
    let body;
    try {
      answer = await fetch(wakes ? address : `${address}?wake=false`, { cache: "no-store", credentials: "omit" });
      body = await answer.json();
    } catch {
      answer = null;
    }
    if (mine !== asked || isOver) return;
    if (answer?.status === 404) return linkGone();
    if (!answer?.ok) {
      if (failures >= 2) say("No word from the service. Trying again…");
      const wait = failureWaitsMs[Math.min(failures, failureWaitsMs.length - 1)];
      failures += 1;
      return askIn(Math.max(wait, Number(answer?.headers.get("retry-after") ?? 0) * 1_000), { wakes });
    }
    failures = 0;
    say(null);
    take(body.data);
  }

  /** Schedules the next request, unless the page is hidden. */
  function askIn(waitMs, how) {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(() => ask(how), waitMs);
  }

  function take(view) {
    document.dispatchEvent(new CustomEvent("shared-artifacts", { detail: view.artifacts }));
    if (view.status === "ready") return ready(view);
    if (view.status === "starting") return starting();
    if (view.reason === "session_ended") return over("session_ended");
    if (view.reason === "no_frontends") return show("no_frontends");
    if (state === "starting" || state === "slow") {
      // It was still being paused when it was woken, or its start failed.
      if (wakesLeft <= 0) return show("not_running");
      wakesLeft -= 1;
      return askIn(startingWaitsMs[2], { wakes: true });
    }
    dropFrames();
    show(state === "ready" || state === "paused" ? "paused" : "not_running");
  }

  function ready({ frontends }) {
    wakesLeft = wakesAtMost;
    for (const { name, url } of frontends) {
      const entry = shown.get(name) ?? { frame: null };
      shown.set(name, { ...entry, url });
    }
    if (!shown.has(chosen)) chosen = (frontends.find(({ isServing }) => isServing) ?? frontends[0]).name;
    drawSwitch();
    choose(chosen);
    renew();
    show("ready");
    askIn(pollEveryMs);
  }

  function starting() {
    if (state !== "starting" && state !== "slow") {
      startingSince = Date.now();
      pollsWhileStarting = 0;
    }
    show(Date.now() - startingSince > slowAfterMs ? "slow" : "starting");
    askIn(startingWaitsMs[Math.min(pollsWhileStarting, startingWaitsMs.length - 1)]);
    pollsWhileStarting += 1;
  }

  /**
   * The link was revoked or its session deleted. An open frame works until its token expires, which
   * is no longer renewed.
   */
  function linkGone() {
    document.dispatchEvent(new CustomEvent("shared-artifacts", { detail: [] }));
    if (state !== "ready") return over("link_gone");
    isOver = true;
    say("This link is no longer available. The preview closes in a few minutes.");
    byId("actions").hidden = true;
    setTimeout(() => over("link_gone"), Math.max(0, openUntil - Date.now()));
  }

  function over(last) {
    isOver = true;
    clearTimeout(timer);
    dropFrames();
    say(null);
    show(last);
  }

  function show(next) {
    const isNew = next !== state;
    state = next;
    let heading = null;
    for (const panel of stage.querySelectorAll("[data-panel]")) {
      panel.hidden = panel.dataset.panel !== next;
      if (!panel.hidden) heading = panel.querySelector("h2");
    }
    byId("actions").hidden = next !== "ready";
    byId("frontends").hidden = next !== "ready" || shown.size < 2;
    for (const { frame } of shown.values()) if (frame) frame.inert = next !== "ready";
    if (isNew) byId("status").textContent = heading ? heading.textContent : "The preview is ready.";
  }

  /** Shows a banner above the preview. */
  function say(text) {
    const isNew = text !== null && banner.textContent !== text;
    banner.hidden = text === null;
    banner.textContent = text ?? "";
    if (isNew) byId("status").textContent = text;
  }

  function choose(name) {
    chosen = name;
    const entry = shown.get(name);
    if (!entry.frame) shown.set(name, { ...entry, frame: frameOf(name, entry.url) });
    for (const [other, { frame }] of shown) if (frame) frame.hidden = other !== name;
    for (const button of byId("frontends").children)
      button.setAttribute("aria-pressed", String(button.textContent === name));
    byId("open").href = entry.url;
  }

  function frameOf(name, url) {
    const frame = document.createElement("iframe");
    frame.title = `Preview: ${name}`;
    // The preview may do what pages do, but cannot navigate this page or read its URL.
    frame.sandbox = "allow-scripts allow-same-origin allow-forms allow-modals allow-popups allow-downloads";
    frame.allow = "fullscreen; clipboard-write";
    frame.referrerPolicy = "no-referrer";
    frame.src = url;
    frame.onload = () => {
      // Navigating in a preview that was paused meanwhile updates the page immediately.
      if (state === "ready" && !isOver && Date.now() - polledAt > pollAfterMoveMs) ask();
    };
    stage.append(frame);
    if (renewedAt === 0) renewedAt = Date.now();
    openUntil = Date.now() + authTokenLifetimeMs;
    return frame;
  }

  function dropFrames() {
    for (const { frame } of shown.values()) frame?.remove();
    shown.clear();
    chosen = null;
    renewedAt = 0;
  }

  function drawSwitch() {
    const group = byId("frontends");
    if ([...group.children].map(({ textContent }) => textContent).join() === [...shown.keys()].join()) return;
    group.replaceChildren(
      ...[...shown.keys()].map((name) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = name;
        button.onclick = () => choose(name);
        return button;
      }),
    );
  }

  /** Gives each frame's host a new token before the old one expires. Does not reload the frame. */
  function renew() {
    if (Date.now() - renewedAt < renewEveryMs) return;
    renewedAt = Date.now();
    openUntil = renewedAt + authTokenLifetimeMs;
    for (const { frame, url } of shown.values()) {
      if (!frame) continue;
      const renewal = new URL(url);
      renewal.pathname = renewalPath;
      fetch(renewal, { mode: "no-cors", credentials: "include", cache: "no-store" }).catch(() => {
        // The next poll retries.
        renewedAt = 1;
      });
    }
  }

  byId("reload").onclick = () => {
    const { frame, url } = shown.get(chosen);
    frame.src = url;
    openUntil = Date.now() + authTokenLifetimeMs;
  };

  for (const button of stage.querySelectorAll("[data-panel] button")) {
    button.onclick = () => {
      dropFrames();
      wakesLeft = wakesAtMost - 1;
      startingSince = Date.now();
      pollsWhileStarting = 0;
      show("starting");
      stage.querySelector('[data-panel="starting"] h2').focus();
      ask({ wakes: true });
    };
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) clearTimeout(timer);
    else if (!isOver && ["ready", "starting", "slow"].includes(state)) ask();
  });

  take(firstView);
  byId("status").textContent = state === "ready" ? "The preview is ready." : "";
})();
