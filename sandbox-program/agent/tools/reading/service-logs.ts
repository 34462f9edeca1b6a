// The service_logs tool: the newest output of the project's services.

import type { Redaction } from "../../../../src/rules/redaction.ts";
import { toFields } from "../../../http/unknown-fields.ts";
import type { Services } from "../../../services/services.ts";
import type { AgentTool } from "../../agent.ts";
import { toToolAnswer } from "./answer-text.ts";

/** Reads what the services printed. */
export function createServiceLogsTool({
  services,
  redaction,
}: {
  services: Services;
  redaction: Redaction;
}): AgentTool {
  return {
    name: "service_logs",
    label: "Service logs",
    description:
      "Read the newest output of a service of the project. Without a `name`, the services and whether they answer.",
    parameters: { type: "object", properties: { name: { type: "string", description: "The name of the service" } } },
    run: async (input) => {
      const { name } = toFields(input);
      if (typeof name === "string" && name !== "")
        return toToolAnswer(services.log(name).log || "(no output)", redaction);
      const lines = (await services.status()).map((one) => `${one.name}: ${inWords[String(one.answers)]}`);
      return toToolAnswer(lines.join("\n") || "The project has no services.", redaction);
    },
  };
}

const inWords: Record<string, string> = { true: "answers", false: "does not answer", null: "has no endpoint" };
