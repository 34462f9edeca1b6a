// The sandboxes of a workspace in words, and the calls that stop them.
import type { Schemas } from "@switchyard/client";

/** How many sessions one call stops at most. */
const stopsMax = 50;

/** How many run and may run: here, and in all free workspaces of the owner where it counts. */
export function describeSandboxes(limit: Schemas["SandboxLimit"]): string[] {
  const { runningSessions, maxConcurrentSandboxes, maxSandboxesOfOwner, sandboxesOfOwner } = limit;
  const count = runningSessions.length;
  const here =
    maxConcurrentSandboxes === null
      ? `${count === 0 ? "None" : count} ${count > 1 ? "run" : "runs"} now. There is no limit.`
      : `${count} of ${maxConcurrentSandboxes} run now.`;
  if (maxSandboxesOfOwner === null || sandboxesOfOwner === null) return [here];
  return [here, `${sandboxesOfOwner} of ${maxSandboxesOfOwner} run in all free workspaces of the owner.`];
}

/** What frees a place for a sandbox where no more may run. */
export function describeFreeing(limit: Schemas["SandboxLimit"]): string {
  const { runningSessions, maxSandboxesOfOwner, sandboxesOfOwner } = limit;
  if (runningSessions.length > 0) return "Stop one of these, and the preview starts. Its work is kept.";
  return maxSandboxesOfOwner !== null && sandboxesOfOwner !== null && sandboxesOfOwner >= maxSandboxesOfOwner
    ? "All of them run in other workspaces of the owner, who can stop one there. Then try again."
    : "A place is free again.";
}

/** The result of a stop. */
export function describeStopped(outcomes: readonly boolean[]): string {
  const done = outcomes.filter((stopped) => stopped).length;
  const kept = outcomes.length - done;
  if (kept === 0) return done === 1 ? "The sandbox is stopped." : `${done} sandboxes are stopped.`;
  const why = "It may have been stopped already, or a command still runs in it.";
  if (outcomes.length === 1) return `The sandbox was not stopped. ${why}`;
  return `${done} of ${outcomes.length} sandboxes are stopped. Look at the others, and try again.`;
}

/** Session ids in groups that one call takes. */
export function splitStops(sessionIds: readonly string[]): string[][] {
  const count = Math.ceil(sessionIds.length / stopsMax);
  return Array.from({ length: count }, (_, index) => sessionIds.slice(index * stopsMax, (index + 1) * stopsMax));
}
