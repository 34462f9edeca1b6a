// The limits of terminals, which `limits.ts` exports with all others.

const kibibyte = 1_024;
const hourMs = 3_600_000;

/** Decisions, "Terminals": of the columns and of the rows of a terminal. */
export const terminalSizeMax = 500;
/** Decisions, "Terminals": output that the browser has not yet reported as read. */
export const terminalUnreadBytes = 512 * kibibyte;
/** Decisions, "Terminals": input that the shell has not yet taken. */
export const terminalUntakenBytes = 1_024 * kibibyte;
/** Decisions, "Terminals": open at a time in one sandbox. */
export const terminalsMax = 8;
/** Decisions, "Terminals": after the last key. Until then an open terminal counts as looking. */
export const terminalUntypedMs = 4 * hourMs;
