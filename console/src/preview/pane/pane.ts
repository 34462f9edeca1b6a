// The script of the page that is between the console and a previewed app. It has the origin of the
// app, so it can look at the app's elements, and so it is no safer than the app. It looks only when
// the console asks. The browser lets nobody but the console frame this page (`frame-ancestors`).

import { wait } from "../../wait.ts";
import type { Asked, Box, Step } from "../pointing.ts";

const app = document.querySelector("iframe");
/** The element that is outlined. */
let current: Element | null = null;
let answered: { id: number } | null = null;

addEventListener("message", async ({ source, data, ports: [port] }) => {
  if (source !== parent || !port) return;
  if (data === "switchyard-path") {
    await untilAppIsThere();
    port.postMessage(readPath());
    return;
  }
  const isAgain = data === "switchyard-pointing-again";
  if (data !== "switchyard-pointing" && !isAgain) return;
  if (!isAgain) current = answered = null;
  port.onmessage = async ({ data: asked }: MessageEvent<Asked>) => {
    await untilAppIsThere();
    // A question that comes again moves nothing again.
    if (asked.id !== answered?.id) answered = { id: asked.id, ...answer(asked) };
    port.postMessage(answered);
  };
});

/** How long an app may load after its first element is there. */
const parsedWithinMs = 2_000;
const lookEveryMs = 50;

/** An app that still loads is asked later: the empty page before it would answer for it. */
async function untilAppIsThere(): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    const page = app?.contentDocument;
    if (!page) return;
    const isThere = page.URL !== "about:blank" && page.body !== null;
    if (isThere && (page.readyState !== "loading" || waitedMs >= parsedWithinMs)) return;
    await wait(lookEveryMs);
  }
}

const pathOf = ({ location }: Document) => location.pathname + location.search + location.hash;

/** The path of the app's page; null for a page that cannot be looked into. */
function readPath(): string | null {
  try {
    return app?.contentDocument ? pathOf(app.contentDocument) : null;
  } catch {
    return null;
  }
}

function answer({ at, step, scroll, isChoice }: Asked) {
  try {
    const page = app?.contentDocument;
    if (!page) return { isReadable: false };
    if (current?.ownerDocument !== page || !current.isConnected) current = null;
    if (at) current = findAt(page, at.x, at.y);
    if (scroll) {
      scrollFrom(current ?? page.documentElement, scroll.x, scroll.y);
      if (at) current = findAt(page, at.x, at.y);
    }
    if (step) {
      current = walk(current ?? page.body, step);
      current.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    }
    const element = isChoice && current ? describe(current, pathOf(page)) : null;
    return { isReadable: true, box: current && boxOf(current), element };
  } catch {
    // A page of another origin, or one that its policy keeps apart.
    return { isReadable: false };
  }
}

function findAt(page: Document, x: number, y: number): Element | null {
  let found = page.elementFromPoint(x, y);
  while (found?.shadowRoot) {
    const inner = found.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === found) break;
    found = inner;
  }
  return found;
}

/** The element around one, also across the root of a component. */
function parentOf(element: Element): Element | null {
  const root = element.getRootNode();
  return element.parentElement ?? ("host" in root ? (root as ShadowRoot).host : null);
}

/** What SVG refers to: it has a size, but is not where that says. */
const referred = "clipPath, defs, filter, linearGradient, marker, mask, pattern, radialGradient, symbol";
const hasNoBox = (element: Element) => getComputedStyle(element).display === "contents";
const isRendered = (element: Element) => !element.matches(referred) && (element.checkVisibility() || hasNoBox(element));
const hasArea = (element: Element) =>
  !hasNoBox(element) && [...element.getClientRects()].some(({ width, height }) => width > 0 || height > 0);

/** The elements in one that can be outlined. Of one that has no area, what is in it counts. */
function listWithin(element: Element): Element[] {
  const slotted = "assignedElements" in element ? (element as HTMLSlotElement).assignedElements() : [];
  const inner = slotted.length > 0 ? slotted : [...(element.shadowRoot ?? element).children];
  return inner.filter(isRendered).flatMap((one) => (hasArea(one) ? [one] : listWithin(one)));
}

function walk(from: Element, step: Step): Element {
  let around = parentOf(from);
  while (around && !hasArea(around)) around = parentOf(around);
  if (step === "parent") return around ?? from;
  if (step === "child") return listWithin(from)[0] ?? from;
  const beside = around ? listWithin(around) : [];
  const at = beside.indexOf(from);
  return (at < 0 ? beside[0] : beside[at + (step === "next" ? 1 : -1)]) ?? from;
}

/** Scrolls the first element around one that can be scrolled that way. */
function scrollFrom(from: Element, left: number, top: number): void {
  for (let one: Element | null = from; one; one = parentOf(one)) {
    const before = one.scrollLeft + one.scrollTop;
    one.scrollBy({ left, top, behavior: "instant" });
    if (one.scrollLeft + one.scrollTop !== before) return;
  }
}

function boxOf(element: Element): Box {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height };
}

/** No longer text is sent. */
const maxText = 300;

const fields = 'input, select, textarea, [contenteditable]:not([contenteditable="false" i]), [role="textbox" i]';

function isInField(element: Element): boolean {
  for (let one: Element | null = element; one; one = parentOf(one))
    if (one.matches(fields) || (one as HTMLElement).isContentEditable) return true;
  return false;
}

/** The text that an element shows. What a field in it holds is not read: it may be a password. */
function readShown(element: Element): string {
  if (isInField(element)) return "";
  // Unlike `textContent`, it has no scripts and nothing hidden. SVG has none.
  // biome-ignore lint/performance/useDomNodeTextContent: what is shown is asked for.
  if ("innerText" in element && !element.querySelector(fields)) return String(element.innerText);
  const { display, visibility } = getComputedStyle(element);
  let shown = "";
  for (let node = element.firstChild; node && shown.length < maxText; node = node.nextSibling) {
    if (node.nodeType === Node.TEXT_NODE && visibility === "visible") shown += node.nodeValue;
    if (node.nodeType === Node.ELEMENT_NODE && isRendered(node as Element)) shown += readShown(node as Element);
    shown = shown.replace(/\s+/g, " ");
  }
  return display.startsWith("inline") ? shown : ` ${shown} `;
}

function describe(element: Element, page: string) {
  const { width, height } = boxOf(element);
  const shown = readShown(element).replace(/\s+/g, " ").trim();
  const named = ["aria-label", "alt", "placeholder", "title", "name"].map((name) => element.getAttribute(name));
  const text = (shown || named.find((one) => one) || "").slice(0, maxText);
  return { tag: element.localName, text, selector: selectorOf(element), page: page.slice(0, maxText), width, height };
}

const plainName = /^[a-zA-Z][\w-]{0,40}$/;
const maxParts = 6;

function selectorOf(element: Element): string {
  const parts: string[] = [];
  for (let one: Element | null = element; one && parts.length < maxParts; one = parentOf(one)) {
    const { part, isUnique } = partOf(one);
    parts.unshift(part);
    if (isUnique) break;
  }
  return parts.join(" > ");
}

/** One element of a selector: by its id, else by its classes and its place beside others. */
function partOf(element: Element): { part: string; isUnique: boolean } {
  const tag = CSS.escape(element.localName);
  if (plainName.test(element.id)) return { part: `${tag}#${element.id}`, isUnique: true };
  const testId = element.getAttribute("data-testid") ?? "";
  if (plainName.test(testId)) return { part: `${tag}[data-testid="${testId}"]`, isUnique: false };
  const classes = [...element.classList].filter((name) => plainName.test(name)).slice(0, 2);
  const alike = [...(element.parentElement?.children ?? [])].filter((one) => one.localName === element.localName);
  const place = alike.length > 1 ? `:nth-of-type(${alike.indexOf(element) + 1})` : "";
  return { part: [tag, ...classes].join(".") + place, isUnique: tag === "body" };
}
