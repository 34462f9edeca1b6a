// Opening a session's pull request at the code host, or bringing the open one up to date. What it does twice comes to the same as once.

import type { CodeHost, PullRequest } from "../../../src/code-host/code-host.ts";
import type { OpenPrOrder, OpenPrOutcome } from "../../../src/rules/pull-request/open.ts";
import { readOpenPrFlags } from "../../../src/rules/pull-request/open-flags.ts";
import type { Clarity } from "../../../src/rules/pull-request/open-question.ts";
import { isPullRequestOver } from "../../../src/rules/pull-request/pull-request.ts";
import {
  chooseReviewers,
  isReviewerName,
  isWholeName,
  namesInWords,
} from "../../../src/rules/pull-request/reviewer-match.ts";
import { isRefusal, type Refusal, refuse } from "../../../src/rules/refusal.ts";

export interface Place {
  repository: string;
  branch: string;
  targetBranch: string;
}

interface Reviewers extends Pick<Clarity, "logins" | "unclear"> {
  /** False leaves them as they are. */
  areAsked: boolean;
}

const bodyCharactersMax = 65_000;

/** Carries an order out, as far as nothing about it is unclear. */
export async function openPullRequest(
  host: CodeHost,
  place: Place,
  order: OpenPrOrder,
): Promise<OpenPrOutcome & { warning?: string }> {
  const { repository, branch } = place;
  const [reviewers, open] = await Promise.all([
    findReviewers(host, repository, order.reviewers),
    order.number === null ? null : host.readPullRequest(repository, order.number),
  ]);
  if (isRefusal(reviewers)) return refused(reviewers);
  if (isRefusal(open)) return refused(open);
  if (open !== null && isPullRequestOver(open.state)) {
    return refused(refuse("BAD_REQUEST", `Pull request ${open.number} is ${open.state}.`));
  }
  const moved = open !== null && open.base !== place.targetBranch ? { from: open.base, to: place.targetBranch } : null;
  const isChosen = moved !== null && (order.base === moved.from || order.base === moved.to);
  if (reviewers.unclear.length > 0 || (moved !== null && !isChosen)) {
    const { logins, unclear } = reviewers;
    return { is: "unclear", clarity: { logins, unclear, moved: isChosen ? null : moved } };
  }
  const base = (isChosen ? order.base : null) ?? place.targetBranch;
  const lacking = await checkCommits(host, repository, base, branch);
  if (lacking) return refused(lacking);
  const text = { title: order.title, body: withEvidence(order.body, order.evidence) };
  const done = await (open === null
    ? openNew(host, repository, { ...text, branch, base, isDraft: order.isDraft })
    : update(host, repository, open, { ...text, ...(open.base === base ? {} : { base }) }, order.isDraft));
  if (isRefusal(done)) return refused(done);
  const { number, url } = done;
  const asked = reviewers.areAsked ? await host.setReviewers(repository, number, reviewers.logins) : null;
  const outcome = { is: "opened" as const, number, url, base };
  // It is open, whoever reviews it.
  return asked === null ? outcome : { ...outcome, warning: `The reviewers could not be asked: ${asked.message}` };
}

const refused = ({ message }: Refusal): OpenPrOutcome => ({ is: "refused", reason: message });

async function findReviewers(
  host: CodeHost,
  repository: string,
  wanted: OpenPrOrder["reviewers"],
): Promise<Reviewers | Refusal> {
  if (wanted === null) return { areAsked: false, logins: [], unclear: [] };
  const candidates = await host.listReviewerCandidates(repository);
  if (isRefusal(candidates)) return candidates;
  const isName = (word: string) => isReviewerName(word, candidates);
  const names =
    "names" in wanted
      ? wanted.names
      : (readOpenPrFlags(wanted.flags, isName, (words) => isWholeName(words, candidates)).reviewers ?? []);
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
  wish: Parameters<CodeHost["openPullRequest"]>[1],
): Promise<PullRequest | Refusal> {
  const opened = await host.openPullRequest(repository, wish);
  if (isRefusal(opened) || wish.isDraft || opened.state !== "draft") return opened;
  // Somebody had opened it as a draft.
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

/** The section is the service's, so that no link is lost or made up. */
function withEvidence(body: string, links: string[]): string {
  const section = links.length === 0 ? "" : `\n\n## Evidence\n\n${links.map((link) => `- ${link}`).join("\n")}\n`;
  return `${body.trim().slice(0, Math.max(bodyCharactersMax - section.length, 0))}${section}`;
}
