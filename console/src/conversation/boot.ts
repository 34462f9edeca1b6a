// What the start of a sandbox does now, in words.
import type { Schemas } from "@switchyard/client";
import { takeLastLines } from "./tool-text.ts";

const words: Record<string, string> = {
  slot: "Waiting for a place in the workspace",
  machine: "Starting the sandbox",
  files: "Bringing the files of the session",
  checkout: "Checking out the branch, and setting it up",
  services: "Starting the services of the project",
};

const shownLines = 8;

/** The last lines of a setup, as a terminal shows them; null if there is nothing to show. */
export function takeSetupLines(boot: Schemas["Job"]["boot"]): string | null {
  const lines = takeLastLines(boot?.logEnd?.trimEnd() ?? "", shownLines);
  return lines === "" ? null : lines;
}

/** The step that runs, of how many; a step that this console does not know is the start itself. */
export function describeBoot(boot: Schemas["Job"]["boot"]): string {
  const step = boot?.steps.findLast(({ status }) => status !== "completed");
  if (!boot || !step) return "Starting the sandbox";
  const word = words[step.name] ?? "Starting the sandbox";
  return step.status === "failed" ? `${word}: failed, and tried again` : word;
}
