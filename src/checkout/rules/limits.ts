// The limits of checkouts, which `limits.ts` exports with all others.

/** D 10: the work of a checkout, as it leaves and enters. The edge takes no longer body. */
export const workBundleBytes = 100_000_000;
/** The commits that a reader of the work may name as its own. */
export const workHavesMax = 16;
