// The limits of checkouts, which `limits.ts` exports with all others.

const mebibyte = 1_048_576;

/** Part 1, "Limits". */
export const filePathCharacters = 2_048;
/** Part 1, "Limits". */
export const fileContentCharacters = 1_048_576;
/** Part 1, "Limits". */
export const commitMessageCharactersMin = 1;
/** Part 1, "Limits". */
export const commitMessageCharactersMax = 2_000;
/** Decisions 10: of the file write route. The longest file fits in any script. */
export const fileWriteBodyBytes = 8 * mebibyte;
/** Decisions 10: the work of a checkout, as it leaves and enters. The edge takes no longer body. */
export const workBundleBytes = 100_000_000;
/** The commits that a reader of the work may name as its own. */
export const workHavesMax = 16;
/** Part 1, "Limits": the review comments of one send. */
export const diffCommentsPerSend = 50;
/** The text of one review comment. */
export const reviewCommentCharacters = 20_000;
/** The review comments of one session. */
export const reviewCommentsMax = 500;
/** The text of the lines that a review comment stores. */
export const lineSnapshotCharacters = 20_000;
/** Decisions 10: the checks and the reviewers of a pull request in one answer. */
export const pullRequestChecksMax = 300;
export const pullRequestReviewersMax = 100;
/** Of the name of a check, which the app that reports it chooses. */
export const checkNameCharacters = 200;
