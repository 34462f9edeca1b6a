// Opens the pull request of a turn: at the request of the agent's tool, or when the user has
// answered the questions of a pending one.
import { service } from "../../../src/access/rules/actor.ts";
import type { ToolAnswer } from "../../../src/chat/rules/agent-profile.ts";
import { recordTurnStart, type Turn } from "../../../src/chat/rules/turn.ts";
import { type CodeHost, createCodeHost, type PullRequest } from "../../../src/code-host/code-host.ts";
import { findProject } from "../../../src/project/queries.ts";
import { isRefusal, type Refusal, refuse } from "../../../src/rules/refusal.ts";
import {
  findAnsweredPending,
  getChosenAnswer,
  type OpenPrCommand,
  type OpenPrDraft,
  type OpenPrOutcome,
  planBase,
  recordOpenPrOutcome,
  resumeOpenPr,
  startOpenPr,
  toOpenPrAnswer,
  withEvidence,
} from "../../../src/session/rules/pull-request/open.ts";
import { readOpenPrFlags } from "../../../src/session/rules/pull-request/open-flags.ts";
import {
  type Clarity,
  createAbandonedNote,
  createOpenedNote,
  createPendingNote,
  createQuestions,
  type PendingNote,
} from "../../../src/session/rules/pull-request/open-question.ts";
import { recordOpenPrCall } from "../../../src/session/rules/pull-request/open-task.ts";
import { isPullRequestOver } from "../../../src/session/rules/pull-request/pull-request.ts";
import {
  chooseReviewers,
  isReviewerName,
  isWholeName,
  parseNames,
} from "../../../src/session/rules/pull-request/reviewer-match.ts";
import { recordShipCall } from "../../../src/session/rules/pull-request/ship.ts";
import { findCalledBuiltInSkill } from "../../../src/skill/rules/skill-call.ts";
import { noSession, type SessionContext } from "../context.ts";

/** Opens the pull request for the agent of a turn. A repeated call opens nothing twice. */
export async function createPullRequestForTurn(
  context: SessionContext,
  turnId: string,
  draft: OpenPrDraft,
): Promise<ToolAnswer | Refusal> {
  return await context.withLock("pull-request", async () => {
    const message = context.chat.conversation.getFirstMessage(turnId);
    const command = context.decide(service, (state) => startOpenPr(state, { turnId, message, draft }));
    if (isRefusal(command)) return command;
    const outcome = await carryOut(context, command);
    const noted = context.decide(service, (state, now) =>
      recordOpenPrOutcome(state, { turnId, command, outcome }, now),
    );
    return isRefusal(noted) ? noted : toOpenPrAnswer(command, outcome);
  });
}

/**
 * Opens the pending pull request if the turn's message settles it. Otherwise asks again, which ends
 * the turn, or leaves it to the agent. Returns null if none is pending. Safe to repeat.
 */
export async function resumePending(context: SessionContext, turn: Turn): Promise<PendingNote | "asked-again" | null> {
  const message = context.chat.conversation.getFirstMessage(turn.id);
  const call = { turnId: turn.id, message };
  const skill = findCalledBuiltInSkill(message, turn.model)?.name;
  if (skill === "svc:open-pr") context.decide(service, (state) => recordOpenPrCall(state, call));
  if (skill === "svc:ship") context.decide(service, (state, now) => recordShipCall(state, call, now));
  const state = context.store.find();
  const task = state?.session.openPr;
  if (task?.turnId === turn.id && task.stage === "opened") return createOpenedNote(state?.session.prUrl ?? "");
  const pending = state && findAnsweredPending(state, message);
  if (!pending) return null;
  const answer = getChosenAnswer(pending, message);
  if (answer.givesUp) return createAbandonedNote(pending.title);
  // The text of the message may answer the questions that no option settled.
  if (answer.settles === "nothing" || (answer.settles === "some" && message.content.trim() !== ""))
    return createPendingNote(pending, null);
  const command = context.decide(service, (current) => resumeOpenPr(current, { turnId: turn.id, pending, answer }));
  if (isRefusal(command)) return createPendingNote(pending, null);
  const outcome = await carryOut(context, command);
  switch (outcome.type) {
    case "opened":
      context.decide(service, (current, now) =>
        recordOpenPrOutcome(current, { turnId: turn.id, command, outcome }, now),
      );
      return createOpenedNote(outcome.url);
    case "unclear":
      askAgain(context, turn, { command, clarity: outcome.clarity });
      return "asked-again";
    case "refused":
      return createPendingNote(pending, outcome.reason);
  }
}

/** Ends the turn with a question of the service. No agent is started for it. */
function askAgain(
  context: SessionContext,
  turn: Turn,
  { command, clarity }: { command: OpenPrCommand; clarity: Clarity },
): void {
  const { id: turnId, generation } = turn;
  const outcome: OpenPrOutcome = { type: "unclear", clarity };
  const started = context.chat.owner.decide(service, (chat, now) => recordTurnStart(chat, { turnId, generation }, now));
  if (isRefusal(started) || !started.isLive) return;
  const clarificationData = { questions: createQuestions(clarity) };
  context.chat.conversation.saveBlock(turnId, 0, { type: "clarification", clarificationData }, Date.now());
  context.decide(service, (state, now) => recordOpenPrOutcome(state, { turnId, command, outcome }, now));
  context.chat.owner.endTurn(turnId, { status: "awaiting_response" });
}

async function carryOut({ env, store }: SessionContext, command: OpenPrCommand): Promise<OpenPrOutcome> {
  const { session } = store.find() ?? {};
  const project = session && (await findProject(env.DB, session.projectId));
  if (!session || !project || session.branch === null) return { type: "refused", reason: noSession.message };
  const { branch, targetBranch } = session;
  return await performCommand(
    createCodeHost(env, project),
    { repository: project.repository, branch, targetBranch },
    command,
  );
}

export interface Place {
  repository: string;
  branch: string;
  targetBranch: string;
}

interface Reviewers extends Pick<Clarity, "logins" | "unclear"> {
  /** If false, the reviewers stay as they are. */
  areAsked: boolean;
}

/**
 * Opens a session's pull request on the code host, or updates the open one, unless something about
 * it is unclear. Safe to repeat.
 */
async function performCommand(host: CodeHost, place: Place, command: OpenPrCommand): Promise<OpenPrOutcome> {
  const { repository, branch } = place;
  const [reviewers, open] = await Promise.all([
    findReviewers(host, repository, command.reviewers),
    command.number === null ? null : host.readPullRequest(repository, command.number),
  ]);
  if (isRefusal(reviewers)) return refused(reviewers);
  if (isRefusal(open)) return refused(open);
  if (open !== null && isPullRequestOver(open.state)) {
    return refused(refuse("BAD_REQUEST", `Pull request ${open.number} is ${open.state}.`));
  }
  const planned = planBase(command, { ...reviewers, openBase: open?.base ?? null, targetBranch: place.targetBranch });
  if ("clarity" in planned) return { type: "unclear", clarity: planned.clarity };
  const { base } = planned;
  const lacking = await checkCommits(host, repository, base, branch);
  if (lacking) return refused(lacking);
  const text = { title: command.title, body: withEvidence(command.body, command.evidence) };
  const done = await (open === null
    ? createPullRequest(host, repository, { ...text, branch, base, isDraft: command.isDraft })
    : update(host, repository, open, { ...text, ...(open.base === base ? {} : { base }) }, command.isDraft));
  if (isRefusal(done)) return refused(done);
  const { number, url } = done;
  const asked = reviewers.areAsked ? await host.setReviewers(repository, number, reviewers.logins) : null;
  const outcome = { type: "opened" as const, number, url, base };
  // The pull request is open even if requesting its reviewers failed.
  return asked === null ? outcome : { ...outcome, warning: `The reviewers could not be asked: ${asked.message}` };
}

const refused = ({ message }: Refusal): OpenPrOutcome => ({ type: "refused", reason: message });

async function findReviewers(
  host: CodeHost,
  repository: string,
  wanted: OpenPrCommand["reviewers"],
): Promise<Reviewers | Refusal> {
  if (wanted === null) return { areAsked: false, logins: [], unclear: [] };
  const candidates = await host.listReviewerCandidates(repository);
  if (isRefusal(candidates)) return candidates;
  const isName = (word: string) => isReviewerName(word, candidates);
  const names =
    "names" in wanted
      ? wanted.names
      : (readOpenPrFlags(wanted.flags, isName, (name) => isWholeName(name, candidates)).reviewers ?? []);
  const people = names.flatMap((name) => parseNames(name, candidates));
  return { areAsked: people.length > 0, ...chooseReviewers(people, candidates) };
}

async function checkCommits(host: CodeHost, repository: string, base: string, branch: string): Promise<Refusal | null> {
  const compared = await host.compareBranches(repository, base, branch);
  if (isRefusal(compared)) {
    if (compared.code !== "NOT_FOUND") return compared;
    return refuse(
      "BAD_REQUEST",
      `The code host does not have both branches, ${branch} and ${base}. Push the branch first.`,
    );
  }
  if (compared.aheadBy > 0) return null;
  return refuse("BAD_REQUEST", `There is nothing to merge: ${branch} has no commits that ${base} lacks.`);
}

async function createPullRequest(
  host: CodeHost,
  repository: string,
  draft: Parameters<CodeHost["openPullRequest"]>[1],
): Promise<PullRequest | Refusal> {
  const opened = await host.openPullRequest(repository, draft);
  if (isRefusal(opened) || draft.isDraft || opened.state !== "draft") return opened;
  // The pull request already existed, as a draft.
  return (await host.markReady(repository, opened.number)) ?? opened;
}

async function update(
  host: CodeHost,
  repository: string,
  open: PullRequest,
  text: Parameters<CodeHost["updatePullRequest"]>[2],
  isDraft: boolean,
): Promise<PullRequest | Refusal> {
  const rewritten = await host.updatePullRequest(repository, open.number, text);
  if (rewritten) return rewritten;
  const marked = isDraft || open.state !== "draft" ? null : await host.markReady(repository, open.number);
  return marked ?? open;
}
