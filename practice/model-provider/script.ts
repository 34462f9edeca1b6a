// A script: the responses of the practice model, one per request. Agents end a turn after a
// response without a tool call, so texts and waits are part of the next response with a tool call.
// Only the last response has none.
import { findPracticeBlock } from "./practice-block.ts";
import { type Fail, parseSteps, type Say, type Sleep, type Step, type ToolStep } from "./step.ts";

export interface Response {
  before: (Say | Sleep)[];
  /** Null ends the turn. */
  last: ToolStep | Fail | null;
  /** True if the script ended without a last text, so that this response comes from no step. */
  isClosing?: boolean;
}

export interface Script {
  responses: Response[];
  /** The number of responses that were given before the text with the script. */
  given: number;
}

const closing: Say = { kind: "say", text: "The practice script has come to its end." };

/** Returns the script in a text; null if it has none. */
export function findScript(text: string): Script | null {
  const block = findPracticeBlock(text);
  return block === null ? null : createScript(parseSteps(block.lines));
}

/** Builds a script from steps. */
export function createScript(steps: Step[]): Script {
  const responses: Response[] = [];
  let given = 0;
  let before: Response["before"] = [];
  for (const step of steps) {
    if (step.kind === "given") given = step.count;
    else if (step.kind === "sleep") before.push(step);
    else if (step.kind === "end") {
      responses.push({ before: withSay(before), last: null });
      before = [];
    } else if (step.kind === "say") before.push(...(step.text === "" ? [] : [step]));
    else {
      responses.push({ before, last: step });
      before = [];
    }
  }
  if (before.length === 0) responses.push({ before: [closing], last: null, isClosing: true });
  else responses.push({ before: withSay(before), last: null });
  return { responses, given };
}

/** A response without a tool call says something. */
function withSay(before: Response["before"]): Response["before"] {
  return before.some((step) => step.kind === "say") ? before : [...before, closing];
}
