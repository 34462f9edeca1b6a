// The model of a turn: a catalog entry in the format of the turn's start request.

import type { TurnStart } from "../sandbox-protocol/protocol.ts";
import { findCatalogEntry } from "./catalog.ts";
import { providers } from "./providers.ts";
import type { ModelGrant } from "./rules/grant.ts";
import type { ProviderId } from "./rules/provider.ts";

/** The model in a turn's start request, without the address and the token of the gateway. */
export type TurnModel = Omit<TurnStart["model"], "baseUrl" | "token"> & { provider: ProviderId };

/** Null for a model that is not in the catalog. */
export function toTurnModel(modelId: string): TurnModel | null {
  const entry = findCatalogEntry(modelId);
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

/** The grant in the token of a turn on this model. */
export function toModelGrant({ provider, id, speed }: TurnModel): ModelGrant {
  return { provider, model: id, speed };
}
