// The console in a browser on a slow machine: how soon its pages are there, and how a session of
// 3,000 blocks behaves while an answer streams into it.
import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { startBrowser } from "../../scripts/chromium.ts";
import { createWorkSql } from "../lib/long-history.ts";
import { createScript } from "../lib/practice-turn.ts";
import { getJobId } from "../lib/product.ts";
import { type Finding, toCountedFinding, toTimedFinding } from "../lib/result.ts";
import { percentile95 } from "../lib/samples.ts";
import type { Bench } from "../lib/saved-work.ts";

export interface ConsoleSize {
  /** How often each page is loaded. */
  loads: number;
  /** Turns of the long session, of 50 tool calls each. */
  turns: number;
  keys: number;
  idleMs: number;
}

const callsOfTurn = 50;
const wordMs = 20;
/** After this long, what a page loads by itself is there. */
const restMs = 1_500;
const mebibyte = 1_024 * 1_024;
/** The connection of a phone: 9 Mbit/s, and 165 ms there and back. */
const slowLine = { offline: false, latency: 165, downloadThroughput: 1_125_000, uploadThroughput: 1_125_000 };
const slowProcessor = { rate: 4 };
const fastProcessor = { rate: 1 };
const fastLine = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };

/**
 * Counts, in the page, what a person feels. The words of the streamed answer are numbered: `w17`.
 */
const watch = `(() => {
  const seen = (globalThis.seen = { paint: 0, shift: 0, inputs: [], arrived: new Map(), shown: 0, delays: [] });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) seen.paint = entry.startTime; })
    .observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) seen.shift += entry.value; })
    .observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (entry.interactionId) seen.inputs.push(entry.duration); })
    .observe({ type: "event", durationThreshold: 16, buffered: true });
  const words = /\\bw(\\d+)\\b/g;
  // The message that has the answer written names the words, too.
  const deltas = /"delta":"[^"]*"/g;
  const fetchPage = globalThis.fetch;
  globalThis.fetch = async (...given) => {
    const response = await fetchPage(...given);
    if (!response.headers.get("content-type")?.includes("event-stream") || !response.body) return response;
    const decoder = new TextDecoder();
    const watched = response.body.pipeThrough(new TransformStream({ transform(chunk, controller) {
      for (const [delta] of decoder.decode(chunk, { stream: true }).matchAll(deltas))
        for (const [, number] of delta.matchAll(words))
          if (!seen.arrived.has(Number(number))) seen.arrived.set(Number(number), performance.now());
      controller.enqueue(chunk);
    } }));
    return new Response(watched, { status: response.status, headers: response.headers });
  };
  let isDue = false;
  new MutationObserver(() => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      const text = document.querySelector("[role=feed]")?.lastElementChild?.textContent ?? "";
      const last = Number([...text.slice(-200).matchAll(words)].at(-1)?.[1] ?? 0);
      for (let word = seen.shown + 1; word <= last; word += 1)
        if (seen.arrived.has(word)) seen.delays.push(performance.now() - seen.arrived.get(word));
      seen.shown = Math.max(seen.shown, last);
    });
  }).observe(document, { childList: true, characterData: true, subtree: true });
})();`;

/** Measures the console with the bars of its design: for a person, on a slow machine. */
export async function measureConsole({ world, product }: Bench, size: ConsoleSize): Promise<Finding[]> {
  const { session } = await product.create();
  for (const statement of createWorkSql(size.turns, callsOfTurn))
    await world.objectSql("SessionObject", session.id, statement);
  const opened = await startBrowser();
  try {
    const open = async () =>
      await signIn(await opened.browser.newContext({ viewport: { width: 1_280, height: 800 } }), world);
    await waitForConsole(await open(), world.baseUrl);
    const loads = await measureLoads(open, world.baseUrl, size.loads);
    const context = await open();
    const page = await context.newPage();
    const line = await context.newCDPSession(page);
    await page.goto(world.baseUrl);
    await waitForPage(page);
    const openings = await measureOpenings(page, line, session.id, size.loads);
    await openSession(page, session.id);
    await line.send("Emulation.setCPUThrottlingRate", slowProcessor);
    await page.evaluate("seen.shift = 0");
    const [words, watched] = await startStream(session, size.keys);
    while (Number(await page.evaluate("seen.shown")) < words) await page.waitForTimeout(200);
    const { delays, shift } = (await page.evaluate("({ delays: seen.delays, shift: seen.shift })")) as {
      delays: number[];
      shift: number;
    };
    await line.send("Emulation.setCPUThrottlingRate", fastProcessor);
    await session.completed(watched);
    await leaveSession(page);
    // By now, all scripts of a session are loaded.
    const startHeap = await readHeap(line);
    await openSession(page, session.id);
    // Everything before is read, as somebody would who scrolls up to the beginning.
    await page.evaluate(readAll);
    const nodes = Number(await page.evaluate("document.querySelectorAll('*').length"));
    await line.send("Emulation.setCPUThrottlingRate", slowProcessor);
    const [, used] = await startStream(session, size.keys);
    await useSession(page, size.keys);
    await line.send("Emulation.setCPUThrottlingRate", fastProcessor);
    await session.completed(used);
    const inputs = (await page.evaluate("seen.inputs")) as number[];
    const heap = await readHeap(line);
    const requests = countRequests(page);
    await page.waitForTimeout(size.idleMs);
    const idle = (requests.take() * 60_000) / size.idleMs;
    await leaveSession(page);
    const leftHeap = await readHeap(line);
    await context.close();
    const blocks = `with ${(size.turns * callsOfTurn).toLocaleString("en-US")} blocks`;
    const slow = "slow processor and line";
    return [
      toTimedFinding("console: largest paint of the inbox, cold", loads.cold, 1_800, slow),
      toTimedFinding("console: largest paint of the inbox, warm", loads.warm, 800, slow),
      toTimedFinding(`console: click to the head of a session ${blocks}`, openings.head, 150, slow),
      toTimedFinding(`console: click to the conversation ${blocks}`, openings.conversation, null, slow),
      toCountedFinding("console: requests that open a session", openings.requests, "requests", 10),
      toCountedFinding(`console: DOM nodes ${blocks}`, nodes, "nodes", 4_000),
      toCountedFinding(
        `console: input to paint ${blocks}, p98`,
        findShare(inputs, 0.98),
        "ms",
        150,
        `${inputs.length} inputs`,
      ),
      toCountedFinding("console: event to paint, p95", percentile95(delays), "ms", 120, `${delays.length} words`),
      toCountedFinding("console: layout shift while streaming", shift, "times", 0.02),
      toCountedFinding(`console: heap ${blocks}`, heap / mebibyte, "MB", 120),
      toCountedFinding("console: heap after leaving, over that before", leftHeap / startHeap, "times", 1.1),
      toCountedFinding("console: requests of an idle minute", idle, "requests", 6),
    ];
  } finally {
    await opened.close();
  }
}

async function signIn(context: BrowserContext, { baseUrl, users }: Bench["world"]): Promise<BrowserContext> {
  const body = JSON.stringify({ userId: users.owner.id });
  const answer = await fetch(`${baseUrl}/dev/sign-in`, { method: "POST", body });
  const [name = "", value = ""] = (answer.headers.get("set-cookie") ?? "").split(";")[0]?.split("=") ?? [];
  await context.addCookies([{ name, value, url: baseUrl, secure: true }]);
  await context.addInitScript(watch);
  return context;
}

/** Waits until the service has the console, which it builds after its start. */
async function waitForConsole(context: BrowserContext, address: string): Promise<void> {
  const page = await context.newPage();
  while (!(await page.goto(address))?.ok()) await page.waitForTimeout(200);
  await context.close();
}

const waitForPage = async (page: Page): Promise<void> => {
  await page.getByRole("main").getByRole("heading").first().waitFor();
};

/** Loads the inbox in new browsers, and then again with what the browser has. */
async function measureLoads(open: () => Promise<BrowserContext>, address: string, count: number) {
  const found = { cold: [] as number[], warm: [] as number[] };
  for (let round = 0; round < count; round++) {
    const context = await open();
    for (const kind of ["cold", "warm"] as const) {
      const page = await context.newPage();
      const line = await context.newCDPSession(page);
      await line.send("Network.enable");
      await line.send("Network.emulateNetworkConditions", slowLine);
      await line.send("Emulation.setCPUThrottlingRate", slowProcessor);
      await page.goto(address);
      await waitForPage(page);
      await page.waitForTimeout(restMs);
      found[kind].push(Number(await page.evaluate("seen.paint")));
      await page.close();
    }
    await context.close();
  }
  return found;
}

/** Counts requests to the API. */
function countRequests(page: Page): { take(): number } {
  let count = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname.startsWith("/api/")) count++;
  });
  return {
    take() {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}

/** Reads and draws a conversation from its end to its beginning. It runs in the page. */
const readAll = `(async () => {
  const feed = document.querySelector("[role=feed]");
  const isEarlier = ({ textContent }) => /earlier messages/i.test(textContent);
  while (feed.querySelector("[aria-posinset]").getAttribute("aria-setsize") === "-1") {
    feed.parentElement.scrollTop = 0;
    const more = feed.querySelector("[data-hidden-rows]") ?? [...feed.querySelectorAll("button")].find(isEarlier);
    more?.click();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  feed.parentElement.scrollTop = feed.scrollHeight;
})()`;

/** Opens the session by a click, and resolves with the milliseconds to its head and its turns. */
async function openSession(page: Page, sessionId: string): Promise<[head: number, conversation: number]> {
  await page.locator(`a[href^="/s/${sessionId}"]`).first().waitFor();
  return await page.evaluate(`(async () => {
    const begin = performance.now();
    document.querySelector('a[href^="/s/${sessionId}"]').click();
    const shown = async (selector) => {
      while (document.querySelector(selector) === null) await new Promise(requestAnimationFrame);
      return performance.now() - begin;
    };
    return [await shown("main header h1"), await shown("[role=feed] [aria-posinset]")];
  })()`);
}

async function leaveSession(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Inbox" }).first().click();
  await waitForPage(page);
}

/** Opens the session from the inbox, on a slow machine. The first time is not counted. */
async function measureOpenings(page: Page, line: CDPSession, sessionId: string, count: number) {
  const found = { head: [] as number[], conversation: [] as number[], requests: 0 };
  const requests = countRequests(page);
  await line.send("Network.enable");
  await line.send("Network.emulateNetworkConditions", slowLine);
  await line.send("Emulation.setCPUThrottlingRate", slowProcessor);
  for (let round = 0; round <= count; round++) {
    // What the inbox reads is no part of it.
    await page.waitForTimeout(restMs);
    requests.take();
    const [head, conversation] = await openSession(page, sessionId);
    await page.waitForTimeout(restMs);
    if (round > 0) {
      found.head.push(head);
      found.conversation.push(conversation);
      found.requests = Math.max(found.requests, requests.take());
    }
    await leaveSession(page);
  }
  await line.send("Network.emulateNetworkConditions", fastLine);
  await line.send("Emulation.setCPUThrottlingRate", fastProcessor);
  return found;
}

/** Starts a turn that says numbered words, 50 a second. Returns how many, and the turn's id. */
async function startStream(session: Awaited<ReturnType<Bench["product"]["create"]>>["session"], keys: number) {
  const words = Math.max(200, keys * 5);
  // The foot of the turn follows the text without a space.
  const text = `${Array.from({ length: words }, (_, at) => `w${at + 1}`).join(" ")} .`;
  const reply = await session.send(createScript({ stream: { text, ms: words * wordMs } }));
  return [words, getJobId(reply)] as const;
}

/** Types, folds turns and scrolls while the answer streams. */
async function useSession(page: Page, keys: number): Promise<void> {
  const field = page.getByRole("textbox", { name: "Message to the agent" });
  await field.click();
  for (let key = 0; key < keys; key++) await page.keyboard.press("abcdefgh "[key % 9] ?? " ");
  // Older turns near the end: they are lines, which open and close. Lines that are far are no
  // buttons, so each is brought into view first.
  const feed = page.getByRole("feed");
  const newest = Number(await feed.locator("article").last().getAttribute("aria-posinset"));
  for (let fold = 0; fold < keys / 5; fold++) {
    const older = newest - 1 - (Math.floor(fold / 2) % 5);
    const turn = feed.locator(`article[aria-posinset="${older}"]`);
    await turn.scrollIntoViewIfNeeded();
    await turn.locator("> button[aria-expanded]").click();
  }
  for (let turn = 0; turn < keys / 5; turn++) {
    await page.mouse.wheel(0, turn % 2 === 0 ? -600 : 600);
    await page.waitForTimeout(20);
  }
}

/** The bytes that live after a collection. */
async function readHeap(line: CDPSession): Promise<number> {
  await line.send("HeapProfiler.collectGarbage");
  return (await line.send("Runtime.getHeapUsage")).usedSize;
}

function findShare(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
}
