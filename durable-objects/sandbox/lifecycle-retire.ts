// Retires a sandbox whose program is outdated, as soon as nothing is at work in it.
import { retire } from "../../src/sandbox/rules/pause-retire.ts";
import type { SandboxContext } from "./context.ts";

/** Answers whether the sandbox is retired now. One with a turn in it, or with a call under way, goes on for the time being. */
export function retireOutdated({ env, access, shell }: SandboxContext): boolean {
  if (access.inFlight.calls > 0) return false;
  return shell.decide((sandbox, now) => retire(sandbox, env.SANDBOX_PROGRAM, now)) === true;
}
