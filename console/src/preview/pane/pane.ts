// The script of the page that is between the console and a previewed app. It has the origin of the
// app, so it can look at the app's elements, and so it is no safer than the app. It looks only when
// the console asks. The browser lets nobody but the console frame this page (`frame-ancestors`).
import type { Asked, Box, Step } from "../pointing.ts";

const app = document.querySelector("iframe");
/** The element that is outlined. */
let current: Element | null = null;

addEventListener("message", ({ source, data, ports: [port] }) => {
  if (source !== parent || data !== "switchyard-pointing" || !port) return;
  current = null;
  port.onmessage = ({ data: asked }: MessageEvent<Asked>) => port.postMessage({ id: asked.id, ...answer(asked) });
});

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
    const { location } = page;
    const path = location.pathname + location.search + location.hash;
    const element = isChoice && current ? describe(current, path) : null;
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

function walk(from: Element, step: Step): Element {
  if (step === "next") return from.nextElementSibling ?? from;
  if (step === "previous") return from.previousElementSibling ?? from;
  if (step === "child") return from.shadowRoot?.firstElementChild ?? from.firstElementChild ?? from;
  return parentOf(from) ?? from;
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

/** What a field holds is not read: it may be a password. */
function describe(element: Element, page: string) {
  const { width, height } = boxOf(element);
  // Unlike `textContent`, it has no scripts and nothing hidden.
  // biome-ignore lint/performance/useDomNodeTextContent: what is shown is asked for.
  const shown = element.matches("input, select, textarea") ? "" : ((element as HTMLElement).innerText ?? "").trim();
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
  const tag = element.localName;
  if (plainName.test(element.id)) return { part: `${tag}#${element.id}`, isUnique: true };
  const testId = element.getAttribute("data-testid") ?? "";
  if (plainName.test(testId)) return { part: `${tag}[data-testid="${testId}"]`, isUnique: false };
  const classes = [...element.classList].filter((name) => plainName.test(name)).slice(0, 2);
  const alike = [...(element.parentElement?.children ?? [])].filter((one) => one.localName === tag);
  const place = alike.length > 1 ? `:nth-of-type(${alike.indexOf(element) + 1})` : "";
  return { part: [tag, ...classes].join(".") + place, isUnique: tag === "body" };
}
