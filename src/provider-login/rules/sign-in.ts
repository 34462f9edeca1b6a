// A sign-in at a model provider, from its start to the login that it connects (Part 2, "Account").

import type { ProviderId } from "../../model/rules/provider.ts";
import { loginTokenLifetimeMs } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { LoginOwner } from "./login.ts";

/**
 * `restart`: it was denied or has expired. `full`: the subscription already had the maximum number
 * of logins.
 */
export const attemptOutcomes = ["connected", "restart", "full"] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** The owner, the provider and the caller of a sign-in. */
export interface SignInClaim {
  owner: LoginOwner;
  provider: ProviderId;
  callerId: string;
}

export interface Attempt extends SignInClaim {
  expiresAt: number;
  outcome: AttemptOutcome | null;
}

export interface SignInAnswer {
  authenticated: boolean;
  /** The sign-in must be started again. */
  restart?: true;
  /** How long to wait before the next poll. */
  intervalSeconds?: number;
}

const unknownToken = refuse(
  "BAD_REQUEST",
  "This loginToken belongs to no sign-in that you started here at this provider. Start a new one.",
);

/**
 * The attempt that a caller may finish. A login token that is unknown, or of another kind, provider
 * or caller, is refused without details.
 */
export function getOwnAttempt<Of extends SignInClaim>(
  attempt: Of | null,
  { owner, provider, callerId }: SignInClaim,
): Of | Refusal {
  if (attempt === null || attempt.provider !== provider || attempt.callerId !== callerId) return unknownToken;
  return attempt.owner.type === owner.type && attempt.owner.id === owner.id ? attempt : unknownToken;
}

/** The response of a sign-in that has ended, the same for every repeat; null while it is open. */
export function findEndedAnswer({ outcome, expiresAt }: Pick<Attempt, "outcome" | "expiresAt">, now: number) {
  switch (outcome) {
    case "connected":
      return { authenticated: true };
    case "full":
      return refuse("PROVIDER_LOGIN_LIMIT");
    case "restart":
      return { authenticated: false, restart: true as const };
    case null:
      return expiresAt <= now ? { authenticated: false, restart: true as const } : null;
  }
}

/** When a sign-in that starts now expires. `lifetimeMs` is the provider's own limit. */
export function getAttemptExpiry(now: number, lifetimeMs = loginTokenLifetimeMs): number {
  return now + Math.min(lifetimeMs, loginTokenLifetimeMs);
}

/** By how much the interval grows when the provider replies slow down (RFC 8628, section 3.5). */
export const slowDownSeconds = 5;
