// The model of a turn: a catalog entry in the form of the turn's start request.

import type { TurnStart } from "../sandbox-protocol/protocol.ts";
import { catalogEntry } from "./catalog.ts";
import { providers } from "./providers.ts";
import type { ModelGrant } from "./rules/grant.ts";
import type { ProviderId } from "./rules/provider.ts";

/** The model part of a turn's start, less the address and the token of the gateway. */
export type TurnModel = Omit<TurnStart["model"], "baseUrl" | "token"> & { provider: ProviderId };

/** Returns null for a model that the catalog does not have. */
export function turnModel(modelId: string): TurnModel | null {
  const entry = catalogEntry(modelId);
  if (!entry) return null;
  return {
    provider: entry.provider,
    wire: providers[entry.provider].wire,
    id: entry.wireId,
    effort: entry.wireEffort,
    speed: entry.wireSpeed,
    contextWindow: entry.contextWindow,
    maxOutputTokens: entry.maxOutputTokens,
    acceptsImages: entry.acceptsImages,
  };
}

/** What the token of a turn on this model opens at the model gateway. */
export function grantOf({ provider, id, speed }: TurnModel): ModelGrant {
  return { provider, model: id, speed };
}
