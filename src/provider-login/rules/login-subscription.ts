// A subscription: what a user holds at one provider, as a whole.
import { type LoginState, loginStatusesOf } from "./order.ts";

/** The login that a subscription is shown by: the one in use, else the first; null without any. */
export function shownLogin<Login extends LoginState>(logins: readonly Login[], now: number): Login | null {
  const inUse = loginStatusesOf(logins, now).indexOf("in_use");
  return logins[Math.max(inUse, 0)] ?? null;
}

/** True if no login can be used before it is connected again. */
export function needsReauth(logins: readonly LoginState[]): boolean {
  return logins.every((login) => login.needsReauth);
}
