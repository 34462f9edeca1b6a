// The rules of a preview: what its health means, and when it is asked for again.
import type { Schemas } from "@switchyard/client";

export type PreviewState =
  | "unknown"
  | "starting"
  | "crashed"
  | "healthy"
  | "asleep"
  | "credit-limit"
  | "sandbox-limit"
  | "none";

const startingWaitsMs = [1_000, 1_500, 2_000, 3_000, 5_000];
/** How often the health of a running app is read. */
export const healthyWaitMs = 15_000;

/** How long until health is asked for again; null for not at all. `asked` counts since the wake. */
export function nextHealthWaitMs(state: PreviewState, asked: number): number | null {
  if (state === "healthy" || state === "asleep") return healthyWaitMs;
  if (state === "starting" || state === "crashed" || state === "unknown")
    return startingWaitsMs[Math.min(Math.max(asked, 0), startingWaitsMs.length - 1)] ?? null;
  return null;
}

type Preview = Pick<Schemas["Preview"], "frontendUrls" | "provisioning" | "creditLimitReached" | "sandboxLimitReached">;
type Health = Pick<
  Schemas["Health"],
  | "state"
  | "services"
  | "frontendUrls"
  | "paused"
  | "needsStart"
  | "indeterminate"
  | "creditLimitReached"
  | "sandboxLimitReached"
>;

/**
 * The health that counts after a read. One that knows nothing at the moment leaves a healthy app as
 * it is shown (Part 1, "Preview rules", 3): its page would lose what a person typed in it.
 */
export function keepHealth<Read extends Health>(before: Read | undefined, read: Read): Read {
  const isShown = before !== undefined && judgePreview(null, before, 0) === "healthy";
  return read.indeterminate && isShown ? before : read;
}

/** For so many answers after the wake, a sandbox that wakes may still say that it is paused. */
const answersUntilAwake = 8;

/**
 * What the read of a preview and its newest health say together: flags before addresses. `asked`
 * counts the answers since the read, which woke the sandbox.
 */
export function judgePreview(preview: Preview | null, health: Health | null, asked: number): PreviewState {
  const known = health?.indeterminate ? null : health;
  if (known ? known.creditLimitReached : preview?.creditLimitReached) return "credit-limit";
  if (known ? known.sandboxLimitReached : preview?.sandboxLimitReached) return "sandbox-limit";
  if (known) {
    if (known.paused || known.needsStart)
      return preview?.provisioning && asked < answersUntilAwake ? "starting" : "asleep";
    if (known.state !== "healthy") return known.services.some(({ crash }) => crash) ? "crashed" : "starting";
    return Object.keys(known.frontendUrls).length > 0 ? "healthy" : "none";
  }
  if (preview === null) return "unknown";
  return preview.provisioning ? "starting" : "unknown";
}

/**
 * Why there is no preview, of what its reads say; null for no reason. Others may wake the sandbox
 * after a wake failed, and their app is shown then.
 */
export const findPreviewError = <Failure>(state: PreviewState, error: Failure): Failure | null =>
  state === "healthy" || state === "crashed" ? null : error;

/**
 * The page in the frame: there is none, it is of the running app, or it is from before the app
 * started again or crashed.
 */
export type FramePage = "none" | "current" | "starting" | "crashed" | "restarted";

/**
 * What the frame shows next. An app that starts again or crashes leaves its page, and what was
 * typed in it.
 */
export function judgeFrame(before: FramePage, state: PreviewState, hasAddress: boolean): FramePage {
  if (!hasAddress) return "none";
  if (state === "healthy") return before === "none" || before === "current" ? "current" : "restarted";
  return (state === "starting" || state === "crashed") && before !== "none" ? state : "none";
}

const newestLines = 200;

/** As much as the service keeps of a log. */
const keptCharacters = 256 * 1_024;

/** A log as it is shown, and where it continues. */
export interface ShownLog {
  text: string;
  offset: string | null;
}

/** The log with what was written since. What does not continue it takes its place. */
export function joinLog(
  before: ShownLog | null,
  part: { log: string; offset: string | null; isCut: boolean },
): ShownLog {
  const isNext = before !== null && before.offset !== null && !part.isCut;
  return { text: (isNext ? before.text + part.log : part.log).slice(-keptCharacters), offset: part.offset };
}

/** The last lines of a log. */
export const endOfLog = (log: string): string => log.trimEnd().split("\n").slice(-newestLines).join("\n");

/** A message about a crash. Its lines are indented, because a log may end a fence. */
export const describeCrash = (service: string, { how, logEnd }: { how: string; logEnd: string }): string =>
  [`The service ${service} crashes (${how}).`, logEnd && `Its last lines:\n\n${logEnd.replace(/^/gm, "    ")}`]
    .filter(Boolean)
    .join(" ");
