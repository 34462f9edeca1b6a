// The logins of a subscription in words, and their order.
import type { Schemas } from "@switchyard/client";

export type Login = Schemas["ProviderLogin"];
export type ProviderId = "anthropic" | "openai" | "zai" | "kimi";

interface ProviderWords {
  id: ProviderId;
  name: string;
  /** How a person connects: in the browser with a code, by a code for a device, or with a key. */
  way: "browser" | "device" | "key";
  account: string;
}

/** The providers as a person connects them. */
export const providers: readonly ProviderWords[] = [
  { id: "anthropic", name: "Anthropic", way: "browser", account: "Your Claude account." },
  { id: "openai", name: "OpenAI", way: "device", account: "Your ChatGPT account." },
  { id: "zai", name: "Z.ai", way: "key", account: "A key of your coding plan." },
  { id: "kimi", name: "Kimi", way: "key", account: "A key of your membership." },
];

/** The service holds no more logins of a provider. */
export const loginsMax = 5;

export type Tone = "good" | "quiet" | "asks" | "bad";

const statusWords: Record<Login["status"], readonly [word: string, tone: Tone]> = {
  in_use: ["in use", "good"],
  fallback: ["in reserve", "quiet"],
  limit_reached: ["at its limit", "asks"],
  reconnect_required: ["has to be connected again", "bad"],
};

/** The status of a login in words. */
export const describeStatus = ({ status }: Pick<Login, "status">) => statusWords[status];

/** The logins with one of them a step up or down; the same list where there is no such place. */
export function moveLogin<Of extends { id: string }>(logins: readonly Of[], id: string, step: -1 | 1): readonly Of[] {
  const from = logins.findIndex((login) => login.id === id);
  const to = from + step;
  const moved = logins[from];
  if (!moved || to < 0 || to >= logins.length) return logins;
  return logins.toSpliced(from, 1).toSpliced(to, 0, moved);
}

/** The same logins in another order, with the first that can be used in use. */
export function withOrder(logins: readonly Login[]): Login[] {
  const inUse = logins.find(({ status }) => status === "in_use" || status === "fallback");
  return logins.map((login) =>
    login.status === "in_use" || login.status === "fallback"
      ? { ...login, status: login.id === inUse?.id ? "in_use" : "fallback" }
      : login,
  );
}

/** The windows of a subscription's usage with their names. */
export function listWindows({ session, week, month }: Schemas["SubscriptionUsage"]) {
  const all: [name: string, window: Schemas["UsageWindow"] | null | undefined][] = [
    ["5 hours", session],
    ["7 days", week],
    ["A month", month],
  ];
  return all.flatMap(([name, window]) => (window ? [{ name, ...window }] : []));
}
