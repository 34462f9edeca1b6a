// A script: the responses that the practice model gives, one per request. Agents end a turn on a response without a tool call,
// so what is said, and every wait, goes out with the next step that calls a tool; only the last response stands alone.
import { practiceBlockOf } from "./practice-block.ts";
import { type Fail, type Say, type Sleep, type Step, stepsOf, type ToolStep } from "./step.ts";

export interface Response {
  before: (Say | Sleep)[];
  /** Null ends the turn. */
  last: ToolStep | Fail | null;
  /** True when no step is behind it: the script was at its end without a last word. */
  isClosing?: boolean;
}

export interface Script {
  responses: Response[];
  /** How many of them were given before the text that holds the script. */
  given: number;
}

const closing: Say = { kind: "say", text: "The practice script has come to its end." };

/** The script in a text, if it holds one. */
export function scriptOf(text: string): Script | null {
  const block = practiceBlockOf(text);
  return block === null ? null : scriptOfSteps(stepsOf(block.lines));
}

/** The script of these steps. */
export function scriptOfSteps(steps: Step[]): Script {
  const responses: Response[] = [];
  let given = 0;
  let before: Response["before"] = [];
  for (const step of steps) {
    if (step.kind === "given") given = step.count;
    else if (step.kind === "sleep") before.push(step);
    else if (step.kind === "say") before.push(...(step.text === "" ? [] : [step]));
    else {
      responses.push({ before, last: step });
      before = [];
    }
  }
  if (before.length === 0) responses.push({ before: [closing], last: null, isClosing: true });
  else
    responses.push({ before: before.some((step) => step.kind === "say") ? before : [...before, closing], last: null });
  return { responses, given };
}
