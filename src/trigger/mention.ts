// Runs the triggers for a mention of the service's app in a comment. What a member writes is the
// request; the text of anybody else is quoted. An account that may not ask gets no answer, and no
// run says that there are triggers.
import { getSessionObject } from "../../durable-objects/address.ts";
import type { CodeHost } from "../code-host/code-host.ts";
import { noAccess } from "../code-host/github/call.ts";
import { type OwnAccount, readOwnAccount } from "../code-host/own-account.ts";
import type { HostComment, WebhookRepository } from "../code-host/rules/webhook.ts";
import type { Env } from "../env.ts";
import { triggerReviewComments, triggerWriterPerDay } from "../rules/limits.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { findSessionOfPullRequest } from "../session/queries/of-branch.ts";
import { readAsker } from "./asker.ts";
import { type Matching, runInProjects } from "./projects.ts";
import { type Place, saveAnswer, type TriggerRun } from "./queries.ts";
import type { Asker } from "./rules/asker.ts";
import { isForMention } from "./rules/match.ts";
import { type Quote, toVisibleText } from "./rules/material.ts";
import { type Mention, parseMention } from "./rules/mention.ts";
import { createPlaceTitle } from "./rules/request.ts";
import { getPrompt, type Trigger } from "./rules/trigger.ts";
import { type Asked, runTrigger, type Start } from "./run.ts";

interface Commented {
  repository: WebhookRepository;
  comment: HostComment;
}

/** Runs the triggers of all projects of the repository. Throws if some have to be repeated. */
export async function runMentionTriggers(env: Env, commented: Commented): Promise<void> {
  await runInProjects(env, commented.repository, isForMention, async (matching) => {
    const own = await readOwn(env);
    const mention = own && parseMention(commented.comment.body, own.name);
    if (own && mention) await runOfProject(env, matching, { ...commented, mention, ownLogin: own.login });
  });
}

/** True if a text mentions the service. Throws if the code host has to be asked again. */
export async function isMentioned(env: Env, body: string): Promise<boolean> {
  const own = body.includes("@") ? await readOwn(env) : null;
  return own !== null && parseMention(body, own.name) !== null;
}

async function readOwn(env: Env): Promise<OwnAccount | null> {
  const own = await readOwnAccount(env, Date.now());
  if (isRefusal(own)) throw new Error(own.message);
  return own;
}

type Mentioned = Commented & { mention: Mention; ownLogin: string };

async function runOfProject(env: Env, matching: Matching, mentioned: Mentioned): Promise<void> {
  const { triggers, found, host, repository } = matching;
  const { comment, ownLogin } = mentioned;
  const { kind, id, url, by, on } = comment;
  const place = { workspaceId: found.workspace.id, host, repository, ownLogin };
  let unseen: Refusal | null = null;
  for (const trigger of triggers) {
    const asker = await readAsker(env, place, by, trigger.who);
    if (asker === null) continue;
    // It is repeated with the delivery, but does not keep the run waiting.
    if (trigger.answer !== "none") unseen ??= await host.addReaction(repository, comment.nodeId);
    const causeEnd = asker.kind === "member" ? "" : ` by ${by.hostUserId}`;
    const happened = {
      ...{ trigger, found, source: "github" as const, url },
      ...(asker.kind === "member" ? { login: by.login, askedBy: asker.userId } : { login: null, askedBy: null }),
      cause: `comment ${kind} ${on.number} ${id}${causeEnd}`,
      place: { kind: on.kind, externalId: `${mentioned.repository.repositoryId}#${on.number}` },
      title: createPlaceTitle(trigger.name, `#${on.number}`),
      quotes: await listQuotes(matching, mentioned, asker),
      asked: await createAsked(env, matching, { ...mentioned, trigger, asker, causeEnd }),
    };
    const run = await runTrigger(env, happened, { now: Date.now(), graceMs: 0 });
    if (isRefusal(run)) throw new Error(run.message);
    if (trigger.answer !== "none" && run.sessionId !== "") await answer(env, { ...happened, run, number: on.number });
  }
  if (unseen?.code === "SERVICE_UNAVAILABLE" && !isSame(unseen, noAccess)) throw new Error(unseen.message);
}

/** Has a comment at the place show the state of the session. */
async function answer(
  env: Env,
  {
    trigger,
    place: { kind, externalId },
    run: { projectId, sessionId },
    number,
  }: { trigger: Trigger; place: Place; run: TriggerRun; number: number },
): Promise<void> {
  await saveAnswer(env.DB, { projectId, kind, externalId, number, sessionId, answer: trigger.answer });
  await getSessionObject(env, sessionId).handleEvent({ type: "answer" });
}

/** Without the permission, another try would fail the same way. A copy is another object. */
const isSame = (one: Refusal, other: Refusal) => one.message === other.message;

/** What the comment says besides the request of a member. */
async function listQuotes(
  { host, repository }: Matching,
  { comment, mention }: Mentioned,
  asker: Asker,
): Promise<Quote[]> {
  const { kind, id, by, lines, on } = comment;
  const quotes: Quote[] = [];
  if (asker.kind !== "member") quotes.push({ title: `${by.login} wrote:`, text: mention.request });
  else if (mention.request === "") quotes.push(...listPlaceQuotes(on));
  if (mention.quoted !== "") quotes.push({ title: "The comment quotes:", text: mention.quoted });
  if (lines !== null) quotes.push({ title: "The comment is on these lines of the change:", text: lines });
  if (kind !== "review") return quotes;
  const found = (await findAnswer(host.listReviewComments(repository, on.number, id))) ?? [];
  const ofReview = found.slice(0, triggerReviewComments).map(({ path, endLine, body }) => ({
    title: "A comment of the review on a line:",
    text: `${toVisibleText(path)}:${endLine}\n${toVisibleText(body)}`,
  }));
  return [...quotes, ...ofReview];
}

async function createAsked(
  env: Env,
  { found, host, repository }: Matching,
  {
    comment: { on },
    mention,
    trigger,
    asker,
    causeEnd,
  }: Mentioned & { trigger: Trigger; asker: Asker; causeEnd: string },
): Promise<Asked> {
  const { id: projectId, targetBranch } = found.project;
  const isMember = asker.kind === "member";
  return {
    prompt: createPrompt(trigger, mention, isMember),
    words: isMember ? mention.words : { stop: false, autofix: null, file: false, model: null },
    ownerId: on.kind === "issue" ? null : await findSessionOfPullRequest(env.DB, projectId, on.number),
    perAccount: isMember ? null : { causeEnd, perDay: triggerWriterPerDay },
    async findStart() {
      const quotes = isMember && mention.request === "" ? [] : listPlaceQuotes(on);
      if (on.kind === "issue") return { targetBranch, quotes };
      const head = await findAnswer(host.readPullRequestHead(repository, on.number));
      if (head === null || !head.isOpen) return "ended";
      if (!head.isFork) return { targetBranch: head.branch, quotes };
      // The code of a fork would run beside the values of the project.
      return isMember ? await quoteFork(host, repository, { targetBranch, quotes, number: on.number }) : "fork";
    },
  };
}

/**
 * The text before the quotes; null for a comment that only has words of the service. A member's
 * request follows the trigger's prompt.
 */
function createPrompt(trigger: Trigger, { request, words }: Mention, isMember: boolean): string | null {
  if (!isMember) return getPrompt(trigger);
  if (words.stop || (request === "" && words.autofix !== null)) return null;
  if (request === "") return getPrompt(trigger);
  return trigger.do.prompt === null ? request : `${trigger.do.prompt}\n\n${request}`;
}

/** Title and text of an issue or a pull request. Each is cleaned by itself. */
function listPlaceQuotes({ kind, number, title, body, author }: HostComment["on"]): Quote[] {
  const noun = kind === "issue" ? "Issue" : "Pull request";
  const opened = { title: `${noun} #${number}, opened by ${author ?? "a deleted account"}:`, text: title };
  return body.trim() === "" ? [opened] : [opened, { title: "Its text:", text: body }];
}

const forkFiles = 100;

/** Starts from the Target Branch, with the change of the fork as quotes. */
async function quoteFork(
  host: CodeHost,
  repository: string,
  { targetBranch, quotes, number }: Start & { number: number },
): Promise<Start> {
  const files = (await findAnswer(host.listChangedFiles(repository, number))) ?? [];
  const changes = files.slice(0, forkFiles).map(({ path, patch }) => ({
    title: "A file that the pull request changes, in a fork:",
    text: `${toVisibleText(path)}\n${toVisibleText(patch ?? "It is not a text.")}`,
  }));
  return { targetBranch, quotes: [...quotes, ...changes] };
}

/** The code host's answer; null for what it does not have. Throws if it has to be asked again. */
async function findAnswer<Answer>(call: Promise<Answer | Refusal>): Promise<Answer | null> {
  const answer = await call;
  if (!isRefusal(answer)) return answer;
  if (answer.code === "SERVICE_UNAVAILABLE") throw new Error(answer.message);
  return null;
}
