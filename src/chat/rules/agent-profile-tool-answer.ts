// The answer of a tool that the service runs for an agent.
import type { ClarificationQuestion } from "./block.ts";

export interface ToolAnswer {
  /** For the agent to read. */
  text: string;
  /** Questions to the user, which end the turn; null for none. */
  questions: ClarificationQuestion[] | null;
}
