// A pass: what a sandbox shows where a credential would stand. It names one turn, or one errand between turns, of one sandbox
// generation, and opens nothing but what the service has for sandboxes, under `/internal`.
import { sign, verify } from "../signing.ts";

export interface Pass {
  workspaceId: string;
  projectId: string;
  sessionId: string;
  sandboxKey: string;
  generation: number;
  branch: string;
  /** Null for an errand such as a clone or a push by a member, which no model call belongs to. */
  turnId: string | null;
  /** On the pass that the agent's commands carry, which anything in the checkout can read: it opens the git gateway alone. */
  isForGit?: true;
}

/** True for the pass of a turn itself, which opens every endpoint for sandboxes; any other opens the git gateway alone. */
export function isTurnPass(pass: Pass | null): pass is Pass & { turnId: string } {
  return pass !== null && pass.turnId !== null && pass.isForGit !== true;
}

/** How long an errand may take. */
export const errandPassLifetimeMs = 15 * 60_000;

export function issuePass(signingKey: string, pass: Pass, expiresAt: number): Promise<string> {
  return sign(signingKey, "pass", pass, expiresAt);
}

/** Finds the pass in a bearer credential, an `x-api-key`, or the password of basic credentials. Null when there is no valid one. */
export async function readPass(signingKey: string, headers: Headers, now: number): Promise<Pass | null> {
  const shown = shownCredential(headers);
  return shown === null ? null : verify<Pass>(signingKey, "pass", shown, now);
}

function shownCredential(headers: Headers): string | null {
  const [scheme = "", credential = ""] = (headers.get("authorization") ?? "").split(" ");
  switch (scheme.toLowerCase()) {
    case "bearer":
      return credential;
    case "basic":
      return passwordOf(credential);
    default:
      return headers.get("x-api-key");
  }
}

function passwordOf(basic: string): string | null {
  try {
    return atob(basic).split(":")[1] ?? null;
  } catch {
    return null;
  }
}
