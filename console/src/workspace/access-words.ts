// What a person reads about a provider: whether they can run it, and what the workspace pays with.
import type { Schemas } from "@switchyard/client";

const payers = { subscription: "your subscription", workspace: "the workspace's credential" };

/** Whether a person can run a provider, and on what or why not. */
export function describeAccess({ canRun, via, needsReauth }: Schemas["ProviderAccess"]): {
  isGood: boolean;
  words: string;
} {
  if (via === null) return { isGood: false, words: "Nothing is connected." };
  if (!canRun || needsReauth) return { isGood: canRun, words: `Connect ${payers[via]} again.` };
  return { isGood: true, words: `On ${payers[via]}.` };
}

/** What the workspace pays a provider with, without the time. */
export function describeCredential(credential: Schemas["WorkspaceCredential"] | null): string {
  if (credential === null) return "Nothing is connected.";
  const { authMethod, accountEmail, maskedApiKey } = credential;
  if (authMethod === "api_key") return maskedApiKey === null ? "An API key" : `API key ${maskedApiKey}`;
  return accountEmail === null ? "Signed in" : `Signed in as ${accountEmail}`;
}

/** The providers at which a person signs in. The others take only a key. */
export const hasSignIn = (provider: string): boolean => provider === "anthropic" || provider === "openai";
