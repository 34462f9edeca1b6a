// Keeps the page of a public link true. Opening the page, and a press on its button, wake the preview; everything in between only looks,
// so that a page left open keeps nothing running and starts nothing that has ended.
(() => {
  const byId = (id) => document.getElementById(id);
  const { slug, view: firstView, renewalPath, authTokenLifetimeMs } = JSON.parse(byId("view").textContent);
  const address = `/api/shared-previews/${encodeURIComponent(slug)}`;
  const stage = byId("stage");
  const banner = byId("banner");

  const lookEveryMs = 15_000;
  const lookAfterMoveMs = 10_000;
  const startingWaitsMs = [1_000, 1_500, 2_000, 3_000, 4_000, 5_000];
  const failureWaitsMs = [2_000, 4_000, 8_000, 15_000, 30_000];
  const slowAfterMs = 40_000;
  const renewEveryMs = authTokenLifetimeMs / 3;
  const wakesAtMost = 3;

  /** Name of a frontend → its frame and its address, with a token that is valid now. */
  const shown = new Map();
  let chosen = null;
  let state = firstView.status === "ready" ? "ready" : (firstView.reason ?? "starting");
  let isOver = false;
  let timer;
  let asked = 0;
  let failures = 0;
  let looksWhileStarting = 0;
  let startingSince = Date.now();
  let wakesLeft = wakesAtMost - 1;
  let openUntil = 0;
  let lookedAt = Date.now();
  let renewedAt = 0;

  /** Asks how things stand. Of several questions under way, the last one's answer counts. */
  async function ask({ wakes = false } = {}) {
    clearTimeout(timer);
    asked += 1;
    lookedAt = Date.now();
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

  /** A page that nobody sees asks nothing. */
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
      // It was being paused when it should start, or its start broke off.
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
    askIn(lookEveryMs);
  }

  function starting() {
    if (state !== "starting" && state !== "slow") {
      startingSince = Date.now();
      looksWhileStarting = 0;
    }
    show(Date.now() - startingSince > slowAfterMs ? "slow" : "starting");
    askIn(startingWaitsMs[Math.min(looksWhileStarting, startingWaitsMs.length - 1)]);
    looksWhileStarting += 1;
  }

  /** Revoked, or gone with its session. What is in a frame stays open until its token ends, which the link no longer renews. */
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
    const isNews = next !== state;
    state = next;
    let heading = null;
    for (const panel of stage.querySelectorAll("[data-panel]")) {
      panel.hidden = panel.dataset.panel !== next;
      if (!panel.hidden) heading = panel.querySelector("h2");
    }
    byId("actions").hidden = next !== "ready";
    byId("frontends").hidden = next !== "ready" || shown.size < 2;
    for (const { frame } of shown.values()) if (frame) frame.inert = next !== "ready";
    if (isNews) byId("status").textContent = heading ? heading.textContent : "The preview is ready.";
  }

  /** Says something above the preview, which stays. */
  function say(text) {
    const isNews = text !== null && banner.textContent !== text;
    banner.hidden = text === null;
    banner.textContent = text ?? "";
    if (isNews) byId("status").textContent = text;
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
    // What is previewed can do what pages do, but neither leads this page elsewhere nor learns its address.
    frame.sandbox = "allow-scripts allow-same-origin allow-forms allow-modals allow-popups allow-downloads";
    frame.allow = "fullscreen; clipboard-write";
    frame.referrerPolicy = "no-referrer";
    frame.src = url;
    frame.onload = () => {
      // A visitor who goes on in a preview that was paused meanwhile should not wait for the next look.
      if (state === "ready" && !isOver && Date.now() - lookedAt > lookAfterMoveMs) ask();
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

  /** Gives each frame's host a new token before the old one ends, without a reload. */
  function renew() {
    if (Date.now() - renewedAt < renewEveryMs) return;
    renewedAt = Date.now();
    openUntil = renewedAt + authTokenLifetimeMs;
    for (const { frame, url } of shown.values()) {
      if (!frame) continue;
      const renewal = new URL(url);
      renewal.pathname = renewalPath;
      fetch(renewal, { mode: "no-cors", credentials: "include", cache: "no-store" }).catch(() => {
        // The next look tries again.
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
      looksWhileStarting = 0;
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
