// Runs triggers for what happened at the code host, and has a comment there show their session.
import { getSessionObject } from "../../durable-objects/address.ts";
import type { LabeledIssue } from "../code-host/rules/webhook.ts";
import type { Env } from "../env.ts";
import { isRefusal } from "../rules/refusal.ts";
import { readAsker } from "./asker.ts";
import { type Matching, runEach } from "./projects.ts";
import { saveStatusComment } from "./queries/status-comments.ts";
import { createSenderKey } from "./rules/answer.ts";
import type { Plan } from "./rules/plan.ts";
import type { Trigger } from "./rules/trigger.ts";
import { runTrigger, type TriggerEvent } from "./run.ts";

/** What a trigger does for a member's event: a plan, and what else the event says. */
type MemberPlan = Plan & Pick<TriggerEvent, "ownerId" | "skip" | "targetBranch">;

/**
 * Runs the triggers for what a member did. Anybody else gets no answer, and no run says that there
 * are triggers. Without a plan, a trigger does not run. Throws if some have to be repeated.
 */
export async function runForMember(
  env: Env,
  { triggers, found, host, repository }: Matching,
  { url, by }: Pick<LabeledIssue, "url" | "by">,
  findPlan: (trigger: Trigger) => Promise<MemberPlan | null>,
): Promise<void> {
  const place = { workspaceId: found.workspace.id, host, repository };
  const asker = await readAsker(env, place, { ...by, isBot: false });
  if (asker?.kind !== "member") return;
  const asked = { found, source: "github", url, login: by.login, askedBy: asker.userId } as const;
  await runEach(triggers, async (trigger) => {
    const plan = await findPlan(trigger);
    if (plan) await runAtHost(env, { ...asked, trigger, ...plan });
  });
}

/**
 * Runs a trigger, and has a comment at the place show the state of its session. Throws if it has to
 * be repeated.
 */
export async function runAtHost(env: Env, happened: TriggerEvent): Promise<void> {
  const { trigger, place, url, asked } = happened;
  const run = await runTrigger(env, happened, { now: Date.now(), graceMs: 0 });
  if (isRefusal(run)) throw new Error(run.message);
  const { projectId, sessionId, reason } = run;
  if (trigger.answer === "none" || place?.number === undefined || sessionId === "") return;
  const { kind, externalId, number } = place;
  const isRepeat = reason === "duplicate";
  const isSent = (reason === null || isRepeat) && asked?.prompt !== null;
  const sender = isSent ? createSenderKey({ triggerId: trigger.id, url }) : null;
  const { answer: content, share: isShared } = trigger;
  const comment = { projectId, kind, externalId, number, sessionId, content, sender, isShared };
  await saveStatusComment(env.DB, comment, isRepeat);
  await getSessionObject(env, sessionId).handleEvent({ type: "answer" });
}
