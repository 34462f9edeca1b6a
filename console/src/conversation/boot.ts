// What the start of a sandbox does now, in words.
import type { Schemas } from "@switchyard/client";

const words: Record<string, string> = {
  slot: "Waiting for a place in the workspace",
  machine: "Starting the sandbox",
  files: "Bringing the files of the session",
  checkout: "Checking out the branch, and setting it up",
  services: "Starting the services of the project",
};

/** The step that runs, of how many; a step that this console does not know is the start itself. */
export function describeBoot(boot: Schemas["Job"]["boot"]): string {
  const step = boot?.steps.findLast(({ status }) => status !== "completed");
  if (!boot || !step) return "Starting the sandbox";
  const word = words[step.name] ?? "Starting the sandbox";
  return step.status === "failed" ? `${word}: failed, and tried again` : word;
}
