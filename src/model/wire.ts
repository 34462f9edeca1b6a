// A model catalog entry on the wire.
import * as z from "zod";
import { type CatalogModel, reasonings, speeds } from "./rules/model.ts";
import { providerIds } from "./rules/provider.ts";

export const modelSchema = z
  .object({
    value: z.string().describe("The model id, for every field `model`."),
    provider: z.enum(providerIds).describe("The provider that runs it."),
    model: z.string().describe("The model's family."),
    reasoning: z.enum(reasonings).describe("The reasoning effort."),
    speed: z.enum(speeds).nullable().describe("The speed; null for the usual one."),
    label: z.string().describe("The name for people."),
    legacy: z.literal(true).optional().describe("Set on a retired model. A session can still start on it."),
  })
  .meta({
    id: "Model",
    description: "A model. `value` names it.",
    examples: [
      {
        value: "anthropic:opus__high",
        provider: "anthropic",
        model: "opus",
        reasoning: "high",
        speed: null,
        label: "Opus, high",
      },
    ],
  });

/** Adds `note` to the label. A setting contains it if the models are not real. */
export function toWireModel(entry: CatalogModel, note?: string): z.infer<typeof modelSchema> {
  const { value, provider, model, reasoning, speed, legacy } = entry;
  const label = note ? `${entry.label} (${note})` : entry.label;
  return { value, provider, model, reasoning, speed, label, ...(legacy && { legacy }) };
}
