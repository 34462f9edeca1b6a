// The end of a turn that was to open a pull request: whether the session goes Under Review, and whether the turn has failed.
import type { Session } from "../session/session.ts";

export interface OpeningEnd {
  session: Session;
  /** True when a pull request was opened ready for review, so that the session goes Under Review. */
  isReady: boolean;
  /** Why a turn that was to open a pull request has not; null where it has, or had nothing of the kind to do. */
  failure: string | null;
}

const notOpened = "The agent ended its turn without the pull request. What it said last tells why.";

/** What the end of a turn that came to an end by itself means for what it was to open (Part 1, "Session statuses" and "Skill messages"). */
export function endOpening(session: Session, turnId: string, hasAsked: boolean): OpeningEnd {
  const { openPr } = session;
  const none = { session, isReady: false, failure: null };
  if (openPr === null) return none;
  if (openPr.turnId !== turnId) {
    // Its question has had its answer, whatever that was.
    return openPr.stage === "asking"
      ? { ...none, session: { ...session, openPr: { ...openPr, stage: "opened", wish: null } } }
      : none;
  }
  if (hasAsked) return none;
  if (openPr.stage === "refused") return { ...none, failure: openPr.reason };
  if (openPr.stage === "opening") return { ...none, failure: notOpened };
  const isReady =
    openPr.stage === "opened" && !openPr.isDraft && session.prState === "open" && session.status === "active";
  return { ...none, isReady };
}
