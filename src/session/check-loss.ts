// Refuses to end a session whose sandbox holds work that nothing else has: files that are not
// committed, and commits that are not pushed.
import { getSandboxObject, getSessionObject } from "../../durable-objects/address.ts";
import type { SessionFound } from "../access/queries.ts";
import type { Env } from "../env.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { getComparisonBase } from "./rules/pull-request/pull-request.ts";

/** Reads the work without waking the sandbox; of a paused one, as it was saved last. */
export async function checkLoss(
  env: Env,
  session: Pick<SessionFound, "id" | "sandboxKey" | "prState" | "prBase" | "targetBranch">,
): Promise<Refusal | null> {
  const base = getComparisonBase(session);
  const sandbox = getSandboxObject(env, session.sandboxKey);
  const [changes, log, heads] = await Promise.all([
    sandbox.readCheckout({ type: "changes", base, kept: true }),
    sandbox.readCheckout({ type: "log", base, kept: true }),
    getSessionObject(env, session.id).branchHeads(null),
  ]);
  if (isRefusal(changes)) return changes;
  if (isRefusal(log)) return log;
  const files = changes.changes?.files.filter(({ committed }) => !committed).map(({ path }) => path) ?? [];
  const commits = log.log?.commits ?? [];
  const pushed = commits.findIndex(({ sha }) => heads.own.includes(sha));
  const unpushed = (pushed === -1 ? commits : commits.slice(0, pushed)).map(({ sha, message }) => ({ sha, message }));
  if (files.length + unpushed.length === 0) return null;
  const work = `${count(files.length, "file")} not committed and ${count(unpushed.length, "commit")} not pushed`;
  return refuse("CONFLICT", `The session has ${work}. Push them, or end it without ifClean.`, {
    files,
    commits: unpushed,
  });
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
