// A model grant: the one model that a turn's token gives access to, and the allowed contents of a
// call to it. A call that would run another model, cost more than its catalog entry says, or
// outlive the turn at the provider is refused.
import type { ProviderId } from "./provider.ts";

export interface ModelGrant {
  provider: ProviderId;
  /** The provider's own id of the model. */
  model: string;
  /** The speed of its catalog entry, in the provider's format; null for the standard one. */
  speed: string | null;
}

/**
 * The fields of a call that decide what runs and what it costs. The shape of a call marks no others
 * as `decides`.
 */
export type DecidingField = "model" | "store" | "service_tier" | "speed";

/** The values of these fields in a call. */
export type CallFields = ReadonlyMap<string, string | number | boolean | null>;

/** The terms of a call. */
export interface CallTerms {
  grant: ModelGrant;
  /** True if the provider stores calls by default. */
  storesByDefault: boolean;
}

export interface CallRefusal {
  code: "model_not_granted" | "option_not_granted" | "unreadable_call";
  message: string;
}

/** Refuses a call that its terms do not cover. */
export function checkModelCall({ grant, storesByDefault }: CallTerms, fields: CallFields): CallRefusal | null {
  const value = (field: DecidingField) => fields.get(field) ?? null;
  if (value("model") !== grant.model) {
    return { code: "model_not_granted", message: `This turn runs on ${grant.model}, and calls no other model.` };
  }
  const isStored = value("store") !== false && (value("store") !== null || storesByDefault);
  if (isStored) return refuseValue("store");
  for (const field of ["speed", "service_tier"] as const) {
    // The messages wire has a speed, the responses wire a service tier.
    if (value(field) !== null && value(field) !== grant.speed) return refuseValue(field);
  }
  return null;
}

function refuseValue(field: DecidingField): CallRefusal {
  return { code: "option_not_granted", message: `A turn's model call does not take this value of "${field}".` };
}
