// The limits of the git gateway and of the code host, which `limits.ts` exports with all others.

const secondMs = 1_000;
const mebibyte = 1_048_576;

/**
 * The maximum that the git gateway holds of a push, to see whose commits it would drop: of the
 * pack, and of the commits in it.
 */
export const pushInspectionBytes = 4 * mebibyte;
/** A push whose commits have not arrived after this time is refused. */
export const pushInspectionMs = 30 * secondMs;
/**
 * Of a fetch request, decompressed. It names the commits that the client has; this is room for
 * 160,000.
 */
export const fetchRequestBytes = 8 * mebibyte;
/** Of a response of the code host. A page of 100 pull requests with the longest texts fits. */
export const codeHostResponseBytes = 16 * mebibyte;
