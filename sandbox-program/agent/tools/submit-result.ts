// The submit_result tool: hands the service the result that the message asked for, and ends the
// turn. The service checks it with the schema of the message.
import type { Redaction } from "../../../src/rules/redaction.ts";
import { toFields } from "../../http/unknown-fields.ts";
import type { AgentTool } from "../agent.ts";
import { runServiceTask, type ServiceEndpoint } from "./service-task.ts";

export interface ResultAccess {
  endpoint: ServiceEndpoint;
  redaction: Redaction;
  /** The result that the message asks for, with its schema as JSON; null for none. */
  result: { schema: string; onSubmitted(): void } | null;
}

/** The reminder for an agent that ends without a result. */
export const resultReminder =
  "You ended without the result that the message asks for. Call the tool submit_result now. Nobody reads anything else.";

/** Submits the result and ends the turn. */
export function createSubmitResultTool({ endpoint, redaction, result }: ResultAccess): AgentTool {
  return {
    name: "submit_result",
    label: "Submit result",
    description:
      "Submit the result that the message asks for. A program waits for it, and reads nothing else of your answer. This ends your " +
      "turn: call it once the work is done, last and on its own.",
    parameters: result ? JSON.parse(result.schema) : { type: "object" },
    isCheckedByService: true,
    async run(input, signal) {
      const answer = await runServiceTask(
        endpoint,
        "submit-result",
        { result: redaction.value(toFields(input)) },
        signal,
      );
      result?.onSubmitted();
      return answer;
    },
  };
}
