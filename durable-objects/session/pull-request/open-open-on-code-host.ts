// Opens a session's pull request on the code host, or updates the open one. Safe to repeat.

import type { CodeHost, PullRequest } from "../../../src/code-host/code-host.ts";
import { isRefusal, type Refusal, refuse } from "../../../src/rules/refusal.ts";
import type { OpenPrCommand, OpenPrOutcome } from "../../../src/session/rules/pull-request/open.ts";
import { readOpenPrFlags } from "../../../src/session/rules/pull-request/open-flags.ts";
import type { Clarity } from "../../../src/session/rules/pull-request/open-question.ts";
import { isPullRequestOver } from "../../../src/session/rules/pull-request/pull-request.ts";
import {
  chooseReviewers,
  isReviewerName,
  isWholeName,
  namesInWords,
} from "../../../src/session/rules/pull-request/reviewer-match.ts";

export interface Place {
  repository: string;
  branch: string;
  targetBranch: string;
}

interface Reviewers extends Pick<Clarity, "logins" | "unclear"> {
  /** False leaves the reviewers as they are. */
  areAsked: boolean;
}

const bodyCharactersMax = 65_000;

/** Runs a command, unless something about it is unclear. */
export async function openPullRequest(
  host: CodeHost,
  place: Place,
  command: OpenPrCommand,
): Promise<OpenPrOutcome & { warning?: string }> {
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
  const moved = open !== null && open.base !== place.targetBranch ? { from: open.base, to: place.targetBranch } : null;
  const isChosen = moved !== null && (command.base === moved.from || command.base === moved.to);
  if (reviewers.unclear.length > 0 || (moved !== null && !isChosen)) {
    const { logins, unclear } = reviewers;
    return { type: "unclear", clarity: { logins, unclear, moved: isChosen ? null : moved } };
  }
  const base = (isChosen ? command.base : null) ?? place.targetBranch;
  const lacking = await checkCommits(host, repository, base, branch);
  if (lacking) return refused(lacking);
  const text = { title: command.title, body: withEvidence(command.body, command.evidence) };
  const done = await (open === null
    ? openNew(host, repository, { ...text, branch, base, isDraft: command.isDraft })
    : update(host, repository, open, { ...text, ...(open.base === base ? {} : { base }) }, command.isDraft));
  if (isRefusal(done)) return refused(done);
  const { number, url } = done;
  const asked = reviewers.areAsked ? await host.setReviewers(repository, number, reviewers.logins) : null;
  const outcome = { type: "opened" as const, number, url, base };
  // The pull request is open even if its reviewers could not be asked.
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
  const people = names.flatMap((name) => namesInWords(name, candidates));
  return { areAsked: people.length > 0, ...chooseReviewers(people, candidates) };
}

async function checkCommits(host: CodeHost, repository: string, base: string, branch: string): Promise<Refusal | null> {
  const compared = await host.compareBranches(repository, base, branch);
  if (isRefusal(compared)) {
    if (compared.code !== "NOT_FOUND") return compared;
    return refuse(
      "BAD_REQUEST",
      `The code host does not have the branches ${branch} and ${base} both. Push the branch first.`,
    );
  }
  if (compared.aheadBy > 0) return null;
  return refuse("BAD_REQUEST", `There is nothing to merge: ${branch} has no commits that ${base} lacks.`);
}

async function openNew(
  host: CodeHost,
  repository: string,
  draft: Parameters<CodeHost["openPullRequest"]>[1],
): Promise<PullRequest | Refusal> {
  const opened = await host.openPullRequest(repository, draft);
  if (isRefusal(opened) || draft.isDraft || opened.state !== "draft") return opened;
  // It existed already, as a draft.
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

/** The service writes this section itself, so that no link is lost or invented. */
function withEvidence(body: string, links: string[]): string {
  const section = links.length === 0 ? "" : `\n\n## Evidence\n\n${links.map((link) => `- ${link}`).join("\n")}\n`;
  return `${body.trim().slice(0, Math.max(bodyCharactersMax - section.length, 0))}${section}`;
}
