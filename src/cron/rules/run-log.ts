// The log of a run as people read it. It has at most a number of bytes, so the oldest lines are
// dropped.
import { diagnosticsLogBytes } from "../../rules/limits.ts";
import type { CronRun } from "./run.ts";

type LoggedRun = Pick<
  CronRun,
  | "projectName"
  | "model"
  | "mainSandboxKey"
  | "status"
  | "error"
  | "startError"
  | "mainWokenAt"
  | "credentialsReadyAt"
  | "agentRequestedAt"
  | "createdAt"
  | "completedAt"
>;

/** The phases of the start, the lines of the program, and the end. */
export function formatRunLog(run: LoggedRun, firstEventAt: number | null, lines: string[]): string {
  const end =
    run.completedAt === null ? [] : [line(run.completedAt, `${run.status}${run.error ? `: ${run.error}` : ""}`)];
  const all = [...startLines(run, firstEventAt), ...lines, ...end].map((one) => one.replaceAll("\n", " ⏎ "));
  return getNewestLines(all.join("\n"), diagnosticsLogBytes);
}

function startLines(run: LoggedRun, firstEventAt: number | null): string[] {
  const phases: [number | null, string][] = [
    [run.createdAt, `queued for ${run.projectName}, on ${run.model}`],
    [run.mainWokenAt, `main sandbox ${run.mainSandboxKey} runs`],
    [run.credentialsReadyAt, "credentials ready"],
    [run.agentRequestedAt, "agent requested"],
    [firstEventAt, "first event"],
  ];
  const waited = run.startError === null ? [] : [`the last start failed: ${run.startError}`];
  return [...phases.flatMap(([at, text]) => (at === null ? [] : [line(at, text)])), ...waited];
}

function line(at: number, text: string): string {
  return `${new Date(at).toISOString()} ${text}`;
}

/** The length of a text in UTF-8. */
export const countBytes = (text: string) => new TextEncoder().encode(text).length;

/**
 * The newest whole lines that fit. A single line that does not fit is dropped, because a part of it
 * could be a part of a secret.
 */
export function getNewestLines(text: string, limitBytes: number): string {
  let bytes = 0;
  const kept: string[] = [];
  for (const line of text
    .split("\n")
    .filter((one) => one !== "")
    .toReversed()) {
    bytes += countBytes(line) + 1;
    if (bytes > limitBytes) break;
    kept.push(line);
  }
  return kept
    .reverse()
    .map((line) => `${line}\n`)
    .join("");
}
