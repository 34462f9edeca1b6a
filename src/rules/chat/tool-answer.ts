// What a tool that the service ran for an agent came to.
import type { ClarificationQuestion } from "./block.ts";

export interface ToolAnswer {
  /** For the agent to read. */
  text: string;
  /** What only the user can answer; they end the turn. Null for nothing. */
  questions: ClarificationQuestion[] | null;
}
