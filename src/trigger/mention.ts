// Runs the triggers for a mention of the service's app in a comment. What a member writes is the
// request; the text of anybody else is quoted. An account that may not ask gets no answer, and no
// run says that there are triggers.

import type { PullRequestHead } from "../code-host/code-host.ts";
import { readOwnAccount } from "../code-host/own-account.ts";
import type { HostComment, WebhookRepository } from "../code-host/rules/webhook.ts";
import { findOrThrow, throwIfTemporary } from "../code-host/temporary-failure.ts";
import type { Env } from "../env.ts";
import { createSharedRead } from "../lib/shared-read.ts";
import { triggerReviewComments, triggerWriterPerDay } from "../rules/limits.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { findSessionOfPullRequest } from "../session/queries/of-branch.ts";
import type { ReviewEvent } from "../session/rules/pull-request/review-event.ts";
import { type AskerReader, createAskerReader } from "./asker.ts";
import { runAtHost } from "./host-event.ts";
import { type Matching, runEach, runInProjects } from "./projects.ts";
import type { Asker } from "./rules/asker.ts";
import { isForMention } from "./rules/match.ts";
import { type Quote, toVisibleMarkdown, toVisibleText } from "./rules/material.ts";
import { createPrompt, type Mention, noWords, parseMention } from "./rules/mention.ts";
import { createMentionPlan, listOpenedQuotes } from "./rules/plan.ts";
import type { Trigger } from "./rules/trigger.ts";
import type { CommentRequest, TriggerEvent } from "./run.ts";

/** The most files of a fork's change that are quoted. */
const forkFiles = 100;

interface Commented {
  repository: WebhookRepository;
  comment: HostComment;
}

/** Runs the triggers of all projects of the repository. Throws if some have to be repeated. */
export async function runMentionTriggers(env: Env, commented: Commented): Promise<void> {
  const readMentioned = createSharedRead(() => findMention(env, commented));
  const isMatching = (trigger: Trigger) => isForMention(trigger, commented.comment);
  await runInProjects(env, commented.repository, isMatching, async (matching) => {
    const mentioned = await readMentioned();
    if (mentioned) await runOfProject(env, matching, mentioned);
  });
}

/**
 * True for a review that a trigger for mentions sends, with its comments. Throws if the code host
 * has to be asked again.
 */
export async function isSentAsMention(
  env: Env,
  triggers: readonly Trigger[],
  review: Pick<ReviewEvent, "body" | "association">,
): Promise<boolean> {
  const { body } = review;
  const isMatching = (trigger: Trigger) => isForMention(trigger, review) && trigger.who.members;
  return body.includes("@") && triggers.some(isMatching) && (await readMention(env, body)) !== null;
}

/**
 * The comment with its mention; null without one. Throws if the code host has to be asked again.
 */
export async function findMention(env: Env, commented: Commented): Promise<Mentioned | null> {
  const read = await readMention(env, commented.comment.body);
  return read && { ...commented, ...read };
}

async function readMention(env: Env, body: string): Promise<{ mention: Mention; ownLogin: string } | null> {
  const own = await readOwnAccount(env, Date.now());
  if (isRefusal(own)) throw new Error(own.message);
  const mention = own && parseMention(body, own.name);
  return own && mention && { mention, ownLogin: own.login };
}

type Mentioned = Commented & { mention: Mention; ownLogin: string };

async function runOfProject(env: Env, matching: Matching, mentioned: Mentioned): Promise<void> {
  const { triggers, host, repository } = matching;
  const { nodeId } = mentioned.comment;
  const reads = createMentionReads(env, matching, mentioned);
  /** The answer to the reaction, which all triggers share; undefined before it. */
  let seen: Refusal | null | undefined;
  await runEach(triggers, async (trigger) => {
    const happened = await findTriggerEvent(matching, mentioned, reads, trigger);
    if (happened === null) return;
    // It is repeated with the delivery, but does not keep the run waiting.
    if (trigger.answer !== "none" && seen === undefined) seen = await host.addReaction(repository, nodeId);
    await runAtHost(env, happened);
  });
  if (seen) throwIfTemporary(seen);
}

/** What is read once for all triggers of a project. Each read throws if it has to be repeated. */
interface MentionReads {
  readAsker: AskerReader;
  findOwner(): Promise<string | null>;
  listReviewComments(): Promise<Quote[]>;
  readHead(): Promise<PullRequestHead | null>;
  listForkChanges(): Promise<Quote[]>;
}

/** Creates the reads of a mention in a project. */
export function createMentionReads(
  env: Env,
  { found, host, repository }: Omit<Matching, "triggers">,
  { comment, ownLogin }: Mentioned,
): MentionReads {
  const { id, by, on } = comment;
  const place = { workspaceId: found.workspace.id, host, repository, ownLogin };
  return {
    readAsker: createAskerReader(env, place, by),
    findOwner: createSharedRead(async () =>
      on.kind === "issue" ? null : await findSessionOfPullRequest(env.DB, found.project.id, on),
    ),
    listReviewComments: createSharedRead(async () => {
      const listed = (await findOrThrow(host.listReviewComments(repository, on.number, id))) ?? [];
      return listed.slice(0, triggerReviewComments).map(({ path, endLine, body }) => ({
        title: "A comment of the review on a line:",
        text: `${toVisibleText(path)}:${endLine}\n${toVisibleMarkdown(body)}`,
      }));
    }),
    readHead: createSharedRead(() => findOrThrow(host.readPullRequestHead(repository, on.number))),
    listForkChanges: createSharedRead(async () => {
      const files = (await findOrThrow(host.listChangedFiles(repository, on.number))) ?? [];
      return files.slice(0, forkFiles).map(({ path, patch }) => ({
        title: "A file that the pull request changes, in a fork:",
        text: `${toVisibleText(path)}\n${toVisibleText(patch ?? "It is not a text.")}`,
      }));
    }),
  };
}

/**
 * What a mention asks a trigger for; null for an account that may not ask. Throws if the code host
 * has to be asked again.
 */
export async function findTriggerEvent(
  { found }: Omit<Matching, "triggers">,
  mentioned: Mentioned,
  reads: MentionReads,
  trigger: Trigger,
): Promise<TriggerEvent | null> {
  const { comment } = mentioned;
  const { url, by } = comment;
  const asker = await reads.readAsker(trigger.who);
  if (asker === null) return null;
  const causeEnd = asker.kind === "member" ? "" : ` by ${by.hostUserId}`;
  const quotes = await listQuotes(mentioned, reads, asker);
  const { repositoryId } = mentioned.repository;
  return {
    ...{ trigger, found, source: "github", url },
    ...(asker.kind === "member" ? { login: by.login, askedBy: asker.userId } : { login: null, askedBy: null }),
    ...createMentionPlan(trigger, { comment, repositoryId, causeEnd, quotes }),
    ownerId: await reads.findOwner(),
    asked: createCommentRequest(found.project.targetBranch, reads, { ...mentioned, trigger, asker, causeEnd }),
  };
}

/** What the comment says besides the request of a member. */
async function listQuotes({ comment, mention }: Mentioned, reads: MentionReads, asker: Asker): Promise<Quote[]> {
  const { kind, by, lines, on } = comment;
  const quotes: Quote[] = [];
  if (asker.kind !== "member") quotes.push({ title: `${by.login} wrote:`, text: mention.text });
  else if (mention.request === "") quotes.push(...listOpenedQuotes(on.kind, on));
  if (mention.quoted !== "") quotes.push({ title: "The comment quotes:", text: mention.quoted });
  if (lines !== null) quotes.push({ title: "The comment is on these lines of the change:", text: lines });
  return kind === "review" ? [...quotes, ...(await reads.listReviewComments())] : quotes;
}

function createCommentRequest(
  targetBranch: string,
  { readHead, listForkChanges }: MentionReads,
  {
    comment: { on },
    mention,
    trigger,
    asker,
    causeEnd,
  }: Mentioned & { trigger: Trigger; asker: Asker; causeEnd: string },
): CommentRequest {
  const isMember = asker.kind === "member";
  return {
    prompt: createPrompt(trigger, mention, isMember),
    words: isMember ? mention.words : noWords,
    perAccount: isMember ? null : { causeEnd, perDay: triggerWriterPerDay },
    async findStart() {
      const quotes = isMember && mention.request === "" ? [] : listOpenedQuotes(on.kind, on);
      if (on.kind === "issue") return { targetBranch, quotes };
      const head = await readHead();
      if (head === null || !head.isOpen) return "ended";
      if (!head.isFork) return { targetBranch: head.branch, quotes };
      // The code of a fork would run beside the values of the project. Its change is quoted.
      return isMember ? { targetBranch, quotes: [...quotes, ...(await listForkChanges())] } : "fork";
    },
  };
}
