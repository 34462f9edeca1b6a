// Pointing at elements of a preview: what the console asks the page of the preview, and which of
// its answers count. That page is a stranger. It answers what was asked, once, or it is cut off.
import { type PointedElement, readElement } from "../composer/element.ts";
import { readAppPath } from "../composer/page-path.ts";

export interface Place {
  x: number;
  y: number;
}

export interface Box extends Place {
  width: number;
  height: number;
}

export type Step = "parent" | "child" | "next" | "previous";

/** What the console asks. Without a place and a step, it means the element that is outlined. */
export interface Ask {
  /** Which element, by its place in the frame. */
  at?: Place;
  /** Which element, from the one that is outlined. */
  step?: Step;
  /** By how many pixels the page is scrolled first. */
  scroll?: Place;
  /** True after a click of the person: the answer describes the element. */
  isChoice: boolean;
}

export interface Asked extends Ask {
  id: number;
}

export type Verdict =
  | { kind: "outline"; box: Box | null }
  | { kind: "chosen"; box: Box | null; element: PointedElement }
  /** The page shows something that the console must not look into. */
  | { kind: "closed" }
  /** Nobody asked for this, or it is no answer. */
  | { kind: "breach" };

/** Why pointing ended without the person. */
export type EndReason = "closed" | "breach" | "silent";

export const endWords: Record<EndReason, string> = {
  closed:
    "This page cannot be pointed at. It is on another address than the preview, or its security policy (CSP) keeps it apart.",
  breach: "The app's page sent something that was not asked for, so pointing has ended. Nothing was taken over.",
  silent: "The app's page does not answer. Reload the preview, then point at it again.",
};

/** Larger numbers are no place in a frame. */
const maxCoordinate = 1_000_000;
const isCoordinate = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && Math.abs(value) <= maxCoordinate;

function readBox(value: unknown): Box | null {
  if (typeof value !== "object" || value === null) return null;
  const { x, y, width, height } = value as Record<string, unknown>;
  return isCoordinate(x) && isCoordinate(y) && isCoordinate(width) && isCoordinate(height)
    ? { x, y, width: Math.max(0, width), height: Math.max(0, height) }
    : null;
}

/** Judges what came from the page of the preview while `asked` was not answered. */
export function judgeAnswer(data: unknown, asked: Asked | null, frontendName: string): Verdict {
  if (asked === null || typeof data !== "object" || data === null) return { kind: "breach" };
  const { id, isReadable, box, element } = data as Record<string, unknown>;
  if (id !== asked.id || typeof isReadable !== "boolean") return { kind: "breach" };
  if (!isReadable) return { kind: "closed" };
  if (!asked.isChoice || element === null) return { kind: "outline", box: readBox(box) };
  const described = readElement(element, frontendName);
  return described ? { kind: "chosen", box: readBox(box), element: described } : { kind: "breach" };
}

/** More questions than this do not wait. */
const maxWaiting = 10;

const isPlace = ({ at, isChoice }: Ask) => at !== undefined && !isChoice;

/** What waits until the page has answered: of places the newest counts, and distances add up. */
export function addAsk(waiting: readonly Ask[], next: Ask): readonly Ask[] {
  const last = waiting.at(-1);
  if (!last || !isPlace(last) || next.at === undefined) return [...waiting, next].slice(0, maxWaiting);
  const [one, other] = [last.scroll, next.scroll];
  const scroll = one || other ? { x: (one?.x ?? 0) + (other?.x ?? 0), y: (one?.y ?? 0) + (other?.y ?? 0) } : undefined;
  return [...waiting.slice(0, -1), scroll ? { ...next, scroll } : next];
}

/** A page that gives its path later than this does not give it. */
const pathWithinMs = 3_000;

/**
 * Asks the page of the preview for its path, by the port that `post` sends there. Only the first
 * answer counts. It returns null if that is no path, or if none comes.
 */
export function askPath(post: (port: MessagePort) => void): Promise<string | null> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    const settle = (given: unknown) => {
      clearTimeout(timer);
      port1.close();
      resolve(readAppPath(given));
    };
    const timer = setTimeout(() => settle(null), pathWithinMs);
    port1.onmessage = ({ data }) => settle(data);
    post(port2);
  });
}
