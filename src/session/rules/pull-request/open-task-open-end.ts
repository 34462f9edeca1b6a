// The end of a `svc:open-pr` turn: whether the session goes Under Review, and whether the turn has failed.
import type { Session } from "../session.ts";

export interface OpenPrEnd {
  session: Session;
  /** True when a pull request was opened ready for review, so that the session goes Under Review. */
  isReady: boolean;
  /** Why the turn did not open its pull request; null if it did, or had none to open. */
  failure: string | null;
}

const notOpened = "The agent ended its turn without the pull request. What it said last tells why.";

/** Ends the pull request task of a turn that ended by itself (Part 1, "Session statuses" and "Skill messages"). */
export function endOpenPr(session: Session, turnId: string, hasAsked: boolean): OpenPrEnd {
  const { openPr } = session;
  const none = { session, isReady: false, failure: null };
  if (openPr === null) return none;
  if (openPr.turnId !== turnId) {
    // This turn began with the answer to the question, whatever it was.
    return openPr.stage === "asking"
      ? { ...none, session: { ...session, openPr: { ...openPr, stage: "opened", pending: null } } }
      : none;
  }
  if (hasAsked) return none;
  if (openPr.stage === "refused") return { ...none, failure: openPr.reason };
  if (openPr.stage === "opening") return { ...none, failure: notOpened };
  const isReady =
    openPr.stage === "opened" && !openPr.isDraft && session.prState === "open" && session.status === "active";
  return { ...none, isReady };
}
