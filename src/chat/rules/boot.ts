// How far the start of a turn's sandbox is, for people who wait for it.
import { bootLogBytes } from "./limits.ts";

export const bootStepNames = ["slot", "machine", "files", "checkout", "services"] as const;
export type BootStepName = (typeof bootStepNames)[number];

export interface BootStep {
  name: BootStepName;
  status: "running" | "completed" | "failed";
  /** What the step found; null if there is nothing to say. */
  detail: string | null;
  startedAt: number;
  completedAt: number | null;
}

/** The steps of a start in their order, those that have started. */
export interface Boot {
  steps: BootStep[];
  /** The end of the output of the setup command that runs or failed; null without one. */
  logEnd: string | null;
}

/** The start before its first step. */
export const newBoot: Boot = { steps: [], logEnd: null };

/** A step begins. An attempt that begins again starts over from this step. */
export function startStep({ steps, logEnd }: Boot, name: BootStepName, now: number): Boot {
  const place = bootStepNames.indexOf(name);
  const earlier = steps.filter((step) => bootStepNames.indexOf(step.name) < place);
  const isSetupOver = place > bootStepNames.indexOf("checkout");
  return {
    steps: [...earlier, { name, status: "running", detail: null, startedAt: now, completedAt: null }],
    logEnd: isSetupOver ? logEnd : null,
  };
}

/** The step that runs ends. What a setup that failed has printed stays. */
export function endStep(
  { steps, logEnd }: Boot,
  { name, status, detail }: Pick<BootStep, "name" | "detail"> & { status: "completed" | "failed" },
  now: number,
): Boot {
  return {
    steps: steps.map((step) =>
      step.name === name && step.status === "running" ? { ...step, status, detail, completedAt: now } : step,
    ),
    logEnd: status === "failed" ? logEnd : null,
  };
}

/** The last lines of an output, at most `bootLogBytes`. Only a longer line loses its beginning. */
export function getLogEnd(output: string): string {
  const bytes = new TextEncoder().encode(output);
  const cutAt = bytes.length - bootLogBytes;
  if (cutAt <= 0) return output;
  const newline = bytes.indexOf(newlineByte, cutAt - 1);
  const isLongLine = newline === -1 || newline === bytes.length - 1;
  let start = isLongLine ? cutAt : newline + 1;
  while (isWithinCharacter(bytes[start] ?? 0)) start += 1;
  return new TextDecoder().decode(bytes.subarray(start));
}

const newlineByte = 10;
const isWithinCharacter = (byte: number) => (byte & 0xc0) === 0x80;

/** What a sandbox says that its setup printed; null for anything else. */
export function readLogEnd(said: unknown): string | null {
  return typeof said === "string" ? getLogEnd(said) : null;
}

/** How long to wait until the setup's output is read again, after this time of setup. */
export function getSetupReadPause(elapsedMs: number): number {
  return Math.min(Math.max(elapsedMs / 10, setupReadPauseMinMs), setupReadPauseMaxMs);
}

const setupReadPauseMinMs = 500;
/** A setup of eight minutes is read some hundred times: the calls of an object are limited. */
const setupReadPauseMaxMs = 2_000;
