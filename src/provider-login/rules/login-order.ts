// The order of a subscription's logins: which of them a model call uses (Part 2, "Subscription
// login ordering").

/** The state of a login, in the order of the subscription. */
export interface LoginState {
  needsReauth: boolean;
  /** When its limit at the provider resets; null if it was never at its limit. */
  exhaustedUntil: number | null;
}

/** True while a login is marked at its limit. */
export function isExhausted({ exhaustedUntil }: Pick<LoginState, "exhaustedUntil">, now: number): boolean {
  return exhaustedUntil !== null && exhaustedUntil > now;
}

/**
 * The logins that a call tries, in order. If all usable logins are marked at their limit, the one
 * that resets first is still tried once, so that a wrong mark blocks nobody.
 */
export function listLoginsToTry<Login extends LoginState>(logins: readonly Login[], now: number): Login[] {
  const connected = logins.filter(({ needsReauth }) => !needsReauth);
  const free = connected.filter((login) => !isExhausted(login, now));
  if (free.length > 0) return free;
  const [first] = connected.toSorted((one, other) => (one.exhaustedUntil ?? 0) - (other.exhaustedUntil ?? 0));
  return first ? [first] : [];
}

export const loginStatuses = ["in_use", "fallback", "limit_reached", "reconnect_required"] as const;
export type LoginStatus = (typeof loginStatuses)[number];

/** The status of each login. The first that a call would use is in use. */
export function listLoginStatuses(logins: readonly LoginState[], now: number): LoginStatus[] {
  const inUse = logins.findIndex((login) => !login.needsReauth && !isExhausted(login, now));
  return logins.map((login, place) => {
    if (login.needsReauth) return "reconnect_required";
    if (isExhausted(login, now)) return "limit_reached";
    return place === inUse ? "in_use" : "fallback";
  });
}

/**
 * The login that represents a subscription, which is all logins of a user at one provider: the one
 * in use, otherwise the first; null without any.
 */
export function findShownLogin<Login extends LoginState>(logins: readonly Login[], now: number): Login | null {
  const inUse = listLoginStatuses(logins, now).indexOf("in_use");
  return logins[Math.max(inUse, 0)] ?? null;
}

/** True if every login must be connected again before it can be used. */
export function isReauthNeeded(logins: readonly LoginState[]): boolean {
  return logins.every((login) => login.needsReauth);
}
