// Why a terminal ends. The person reads the sentence; the code is that of the socket's close.
import { terminalUntypedMs } from "./limits.ts";

export interface TerminalEnd {
  code: number;
  sentence: string;
}

const hourMs = 3_600_000;
const normal = 1000;
const goingAway = 1001;
const unsupported = 1003;
const notAllowed = 1008;
const tooLarge = 1009;
const tryLater = 1013;

export const terminalEnds = {
  access: { code: notAllowed, sentence: "You have signed out, or are no longer a member of the workspace." },
  session: { code: normal, sentence: "The session has ended, or moved to another sandbox." },
  sandbox: { code: goingAway, sentence: "The sandbox has stopped, and the shell with it." },
  untyped: { code: normal, sentence: `Nobody typed for ${terminalUntypedMs / hourMs} hours.` },
  input: { code: tooLarge, sentence: "The shell does not take that much input at a time. Paste less." },
  output: { code: tooLarge, sentence: "The sandbox sent more than a terminal takes." },
  frame: { code: unsupported, sentence: "The page sent what this version of the service does not know. Reload it." },
} as const satisfies Record<string, TerminalEnd>;

/** The end of a shell that ended by itself, with the sandbox's sentence. */
export const toShellEnd = (sentence: string): TerminalEnd => ({ code: normal, sentence });

/** The end of a terminal that could not be opened. */
export const toRefusedEnd = (sentence: string): TerminalEnd => ({ code: tryLater, sentence });

/** The facts about a terminal's person and session; null if the person has no access to it. */
export interface TerminalFacts {
  /** True while the session can have a sandbox. */
  isOpen: boolean;
  /** True while the session works in the terminal's sandbox. */
  isItsSandbox: boolean;
}

/** Why a terminal must end; null while it may stay open. */
export function findTerminalEnd(facts: TerminalFacts | null): TerminalEnd | null {
  if (facts === null) return terminalEnds.access;
  return facts.isOpen && facts.isItsSandbox ? null : terminalEnds.session;
}
