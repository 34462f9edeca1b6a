// How long a running turn has been silent, in the words of the page.
import type { ShownMessage } from "@switchyard/client";
import { formatDuration } from "../ui/time.tsx";
import type { Job } from "./turns.ts";

/** After this long without a sign of life, the service fails a turn (decisions, "Numbers"). */
export const failsAfterMs = 120_000;
/** A silence of this length is worth a line. */
const longMs = 30_000;
/** From here on, the service is asked for signs of life, which are no events. */
export const askAfterMs = longMs / 2;

/** Finds when the newest part of a turn came, as far as the turn says; in milliseconds. */
export function findNewestTime(
  job: Pick<Job, "createdAt" | "startedAt">,
  messages: readonly Pick<ShownMessage, "createdAt" | "blocks">[],
): number {
  const times = messages.flatMap(({ createdAt, blocks }) => [
    createdAt,
    ...blocks.flatMap((block) => (block.type === "tool" ? [block.startedAt, block.completedAt] : [])),
  ]);
  return Math.max(...[job.startedAt ?? job.createdAt, ...times].map((at) => (at ? Date.parse(at) : 0)));
}

/** Counts what a turn has: it is the same in two reads between which nothing came. */
export function countContent(messages: readonly Pick<ShownMessage, "blocks">[]): string {
  const block = messages.at(-1)?.blocks.at(-1);
  const blocks = messages.reduce((sum, one) => sum + one.blocks.length, 0);
  const text = block?.type === "text" ? block.content : block?.type === "tool" ? block.status + block.output : "";
  return `${messages.length} ${blocks} ${text.length}`;
}

interface Signs {
  /** The present time, in milliseconds as all others. */
  now: number;
  lastEventAt: number;
  /** Null while it is not known. Events are signs too. */
  lastSignAt: number | null;
  /** A tool may work in silence, and its row counts the time. */
  isToolRunning: boolean;
}

/** Describes a long silence; null for a short one. */
export function describeSilence({ now, lastEventAt, lastSignAt, isToolRunning }: Signs): string | null {
  const signMs = now - Math.max(lastEventAt, lastSignAt ?? 0);
  if (lastSignAt !== null && signMs >= longMs)
    return `No sign of life for ${formatSeconds(signMs)}. It fails at ${formatSeconds(failsAfterMs)}.`;
  if (isToolRunning || now - lastEventAt < longMs) return null;
  const silence = `Nothing new from the model for ${formatDuration(now - lastEventAt)}.`;
  return lastSignAt === null ? silence : `${silence} Its sandbox is alive.`;
}

const formatSeconds = (ms: number) => `${Math.round(ms / 1_000)} s`;
