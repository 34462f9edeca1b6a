// A model catalog entry on the wire.
import * as z from "zod";
import { type CatalogModel, reasonings, speeds } from "../rules/model/model.ts";
import { providerIds } from "../rules/model/provider.ts";

export const modelSchema = z
  .object({
    value: z.string(),
    provider: z.enum(providerIds),
    model: z.string(),
    reasoning: z.enum(reasonings),
    speed: z.enum(speeds).nullable(),
    label: z.string(),
    legacy: z.literal(true).optional(),
  })
  .meta({ description: "A model that a turn can run on; `value` names it." });

/** `note` stands behind every label, where a setting says that the models are not the real ones. */
export function modelOnWire(entry: CatalogModel, note?: string): z.infer<typeof modelSchema> {
  const { value, provider, model, reasoning, speed, legacy } = entry;
  const label = note ? `${entry.label} (${note})` : entry.label;
  return { value, provider, model, reasoning, speed, label, ...(legacy && { legacy }) };
}
