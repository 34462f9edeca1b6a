// A review of the session's pull request that asks for something.
import type { CodeHostAccount } from "./state.ts";

/** The reviews that ask for something. An approval does not. */
export const reviewStates = ["changes_requested", "commented"] as const;

/** A person has submitted a review of the pull request. */
export interface ReviewEvent {
  type: "review";
  number: number;
  reviewId: number;
  state: (typeof reviewStates)[number];
  /** Empty for a review that only has comments on lines. */
  body: string;
  /** The page of the review. */
  url: string;
  by: CodeHostAccount;
  /** How the code host relates its author to the repository. It gives no right. */
  association?: string | null;
}
