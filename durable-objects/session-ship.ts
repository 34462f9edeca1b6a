// Shipping: an agent asks for it in its turn, and what could not be merged then is merged when the code host tells that its checks have passed.
import { type CodeHost, codeHost } from "../src/code-host/code-host.ts";
import { isRefusal, type Refusal, refuse } from "../src/rules/refusal.ts";
import { askToShip, type ShipOutcome, settleShip, shipText } from "../src/rules/ship.ts";
import type { ToolAnswer } from "../src/rules/tool-answer.ts";
import { findProject } from "../src/storage/queries/projects.ts";
import { noSession, type SessionDesk } from "./session-desk.ts";

/** Ships as the agent of a turn asks for it. Asked again, it merges nothing twice. */
export async function shipForTurn(
  desk: SessionDesk,
  wish: { turnId: string; sha: string },
): Promise<ToolAnswer | Refusal> {
  return await desk.inTurn("pull-request", async () => {
    const asked = desk.decide((state, now) => askToShip(state, wish, now));
    if (isRefusal(asked)) return asked;
    const outcome = await attempt(desk, wish.sha, { isAsked: true });
    const settled: ShipOutcome = isRefusal(outcome) ? { is: "refused", why: outcome.message } : outcome;
    desk.decide((state, now) => settleShip(state, { sha: wish.sha, outcome: settled }, now));
    if (isRefusal(outcome)) return outcome;
    return { text: shipText(outcome), questions: null };
  });
}

/** Ships what waits for its checks, where these have passed. Throws when the code host does not answer. */
export async function shipOnceChecked(desk: SessionDesk): Promise<void> {
  await desk.inTurn("pull-request", async () => {
    const sha = desk.store.find()?.session.ship?.sha;
    if (!sha) return;
    const outcome = await attempt(desk, sha, { isAsked: false });
    if (isRefusal(outcome)) throw new Error(outcome.message);
    desk.decide((state, now) => settleShip(state, { sha, outcome }, now));
  });
}

/** Merges the commit where its checks have passed. A refusal is for another try; whatever cannot become better is an outcome. */
async function attempt(
  { env, store }: SessionDesk,
  sha: string,
  { isAsked }: { isAsked: boolean },
): Promise<ShipOutcome | Refusal> {
  const { session } = store.find() ?? {};
  if (!session || session.prNumber === null) return noSession;
  const project = await findProject(env.DB, session.projectId);
  if (!project) return refuse("NOT_FOUND", "The project has been deleted.");
  const host = codeHost(env);
  const { repository } = project;
  const { prNumber: number } = session;
  const found = await host.readPullRequest(repository, number);
  if (isRefusal(found)) return found;
  if (found.state === "merged") return { is: "merged" };
  if (found.state === "closed" || (found.state === "draft" && !isAsked))
    return {
      is: "refused",
      why: `Pull request ${number} is ${found.state === "draft" ? "a draft" : "closed"} by now.`,
    };
  const checks = await host.readChecks(repository, sha);
  if (isRefusal(checks)) return checks;
  // An Active session's pull request was made ready for this alone.
  const wasMadeReady = !isAsked && session.status === "active";
  if (checks.state === "failed" || session.ship?.hasFailedCheck) {
    const kept = wasMadeReady ? await markDraftAgain(host, repository, number) : null;
    if (kept?.refused === "SERVICE_UNAVAILABLE") return kept;
    return { is: "failed", checks: checks.state === "failed" ? checks.failed : [] };
  }
  const unmarked = found.state === "draft" ? await host.markReady(repository, number) : null;
  if (unmarked) return unmarked;
  if (checks.state === "pending") return { is: "waiting", checks: checks.pending };
  const unmerged = await host.mergePullRequest(repository, number, sha);
  if (unmerged === null) return { is: "merged" };
  // What nobody waits for is tried until the code host answers.
  const isTriedAgain = ({ refused }: Refusal) => refused === "SERVICE_UNAVAILABLE" && !isAsked;
  if (isTriedAgain(unmerged)) return unmerged;
  const kept = wasMadeReady || found.state === "draft" ? await markDraftAgain(host, repository, number) : null;
  if (kept && isTriedAgain(kept)) return kept;
  const stays = kept ? ` Nor could it be made a draft again, so it is open for review: ${kept.message}` : "";
  if (unmerged.refused === "SERVICE_UNAVAILABLE") return { ...unmerged, message: `${unmerged.message}${stays}` };
  const compared = session.branch && (await host.compareBranches(repository, found.base, session.branch));
  const isBehind = compared && !isRefusal(compared) && compared.behindBy > 0;
  const advice = isBehind
    ? ` The branch lacks what ${found.base} has: run the skill svc:sync-branch, then ship again.`
    : "";
  return { is: "refused", why: `${unmerged.message}${stays}${advice}` };
}

/** People are not asked to review what is not merged. Answers, and notes, why they still are. */
async function markDraftAgain(host: CodeHost, repository: string, number: number): Promise<Refusal | null> {
  const refusal = await host.markDraft(repository, number);
  if (refusal) console.error("pull request is no draft again", repository, number, refusal.message);
  return refusal;
}
