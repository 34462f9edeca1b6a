// The messages that run the service's skills for pull requests.

export interface PullRequestForm {
  isDraft: boolean;
  /** Logins of the code host, with commas or spaces between them. */
  reviewers: string;
  /** Links that show that it works. */
  evidence: string;
  text: string;
}

/** How a skill is named on a model: OpenAI's take `$`. */
export const writeSkill = (name: string, model: string | null): string =>
  `${model?.startsWith("openai:") ? "$" : "/"}svc:${name}`;

const listWords = (written: string) => written.split(/[\s,]+/).filter((word) => word !== "");

/** The reviewer who is being typed: what follows the last comma or space. */
export const getLastWord = (written: string): string => /[^\s,]*$/.exec(written)?.[0].replace(/^@/, "") ?? "";

/** The reviewers with a login in the place of the last word. */
export function withReviewer(written: string, login: string): string {
  const others = listWords(written.slice(0, written.length - (/[^\s,]*$/.exec(written)?.[0].length ?? 0)));
  return [...others.filter((one) => one !== login), login, ""].join(", ");
}

/** The evidence with one more link. */
export const withEvidence = (written: string, link: string): string =>
  [...listWords(written).filter((one) => one !== link), link].join(" ");

/** True for a link that is among the evidence. */
export const hasEvidence = (written: string, link: string): boolean => listWords(written).includes(link);

/** True for a login that is among the reviewers. */
export const hasReviewer = (written: string, login: string): boolean =>
  listWords(written).some((one) => one.replace(/^@/, "").toLowerCase() === login.toLowerCase());

/**
 * The message that opens the pull request, or updates it. A `-d` in the text is not a flag, so `--`
 * ends the flags before it.
 */
export function writeOpenPullRequest(form: PullRequestForm, model: string | null): string {
  const reviewers = listWords(form.reviewers).map((login) => login.replace(/^@/, ""));
  const evidence = listWords(form.evidence);
  return [
    writeSkill("open-pr", model),
    form.isDraft ? "-d" : "",
    reviewers.length > 0 ? `-r ${reviewers.join(",")}` : "",
    evidence.length > 0 ? `-e ${evidence.join(",")}` : "",
    form.text.trim() === "" ? "" : `-- ${form.text.trim()}`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

type PrState = "draft" | "open" | "merged" | "closed" | null;

/** True for a session in which an agent works. */
export const isWorkedOn = (status: string): boolean => status === "active" || status === "under-review";

/** True for the message of a turn that ships the pull request. */
export const isShipMessage = (message: string): boolean => /^[/$]svc:ship(\s|$)/.test(message);

/** What can be asked of a pull request in a state. While it is shipped, that is nothing. */
export function listPullRequestActions(
  prState: PrState,
  status: string,
  isBeingShipped: boolean,
): { open: boolean; sync: boolean; ready: boolean; ship: boolean } {
  const isOpen = isWorkedOn(status) && !isBeingShipped;
  return {
    open: isOpen && prState !== "merged",
    sync: isOpen && prState !== "merged",
    ready: isOpen && status === "active" && prState === "draft",
    ship: isOpen && prState === "open",
  };
}
