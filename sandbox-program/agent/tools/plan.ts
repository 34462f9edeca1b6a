// The plan tool: the agent keeps a list of its steps up to date, which the transcript shows.
import { type PlanBlock, planItemStatuses } from "../../../src/chat/rules/block.ts";
import { toFields } from "../../http/unknown-fields.ts";
import type { AgentTool } from "../agent.ts";

const itemsMax = 50;

/** Shows a plan. */
export const planTool: AgentTool = {
  name: "plan",
  label: "Plan",
  description:
    "Show the user your plan as a short list of steps, and update it as you go. Call it again with the whole list whenever a step " +
    "starts or is done. Use it for work of three steps or more; skip it for simple tasks.",
  parameters: {
    type: "object",
    properties: {
      items: {
        type: "array",
        minItems: 1,
        maxItems: itemsMax,
        items: {
          type: "object",
          properties: {
            title: { type: "string", description: "A few words" },
            status: { type: "string", enum: [...planItemStatuses] },
          },
          required: ["title", "status"],
        },
      },
    },
    required: ["items"],
  },
  run: async (input) => ({
    text: "The plan is shown to the user.",
    endsTurn: false,
    event: { type: "plan", items: readItems(input) },
  }),
};

function readItems(input: unknown): PlanBlock["items"] {
  const { items } = toFields(input);
  if (!Array.isArray(items) || items.length === 0 || items.length > itemsMax) {
    throw new Error(`A plan has 1 to ${itemsMax} items.`);
  }
  return items.map((item: unknown) => {
    const { title, status } = toFields(item);
    const known = planItemStatuses.find((name) => name === status);
    if (typeof title !== "string" || !known) {
      throw new Error(`Each item has a \`title\` and a \`status\`: ${planItemStatuses.join(", ")}.`);
    }
    return { title, status: known };
  });
}
