// A model grant: the one model that a turn's token opens, and what a call to it may ask for. Whatever would run another model, cost more
// than its catalog entry says, or outlive the turn at the provider is refused.
import type { ProviderId } from "./provider.ts";

export interface ModelGrant {
  provider: ProviderId;
  /** The provider's own id of the model. */
  model: string;
  /** The speed of its catalog entry, in the provider's format; null for the standard one. */
  speed: string | null;
}

/** The fields of a call that decide what runs and what it costs. */
export const decidingFields = ["model", "background", "store", "service_tier", "speed", "inference_geo"] as const;
export type DecidingField = (typeof decidingFields)[number];

/** The values of these fields in a call. `composite` stands for an array or an object. */
export type CallFields = ReadonlyMap<DecidingField, string | number | boolean | null | "composite">;

/** What covers a call. */
export interface CallTerms {
  /** Null on a token of an earlier version, whose turn may call any model. */
  grant: ModelGrant | null;
  /** True if the provider stores calls by default. */
  storesByDefault: boolean;
}

export interface CallRefusal {
  code: "model_not_granted" | "option_not_granted" | "unreadable_call";
  message: string;
}

/** Values that cost no more than the standard speed; a missing field is null. */
const standard: Record<Exclude<DecidingField, "model">, readonly unknown[]> = {
  background: [null, false],
  store: [null, false],
  service_tier: [null, "auto", "default", "flex", "standard_only"],
  speed: [null, "standard"],
  inference_geo: [null, "global"],
};

/** Refuses a call that its terms do not cover. */
export function checkModelCall({ grant, storesByDefault }: CallTerms, fields: CallFields): CallRefusal | null {
  if (grant && fields.get("model") !== grant.model) {
    return { code: "model_not_granted", message: `This turn runs on ${grant.model}, and calls no other model.` };
  }
  for (const [field, allowed] of Object.entries(standard) as [DecidingField, readonly unknown[]][]) {
    const value = fields.get(field) ?? null;
    const isKept = field === "store" && value === null && storesByDefault;
    if ((allowed.includes(value) && !isKept) || isGrantedSpeed(grant, field, value)) continue;
    return { code: "option_not_granted", message: `A turn's model call does not take this value of "${field}".` };
  }
  return null;
}

/** The messages wire names a speed, the responses wire a service tier. */
function isGrantedSpeed(grant: ModelGrant | null, field: DecidingField, value: unknown): boolean {
  if (field !== "speed" && field !== "service_tier") return false;
  return grant === null ? value === "fast" || value === "priority" : value === grant.speed;
}
