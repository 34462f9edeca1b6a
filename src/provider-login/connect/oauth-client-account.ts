// The account at a provider that an access token belongs to.
import { readResponseJson } from "../../bytes/response-body.ts";
import { reasonOf } from "../../error-text.ts";
import { serviceResponseBytes } from "../../rules/limits.ts";
import { type LoginClient, withTimeout } from "./oauth-client.ts";

export interface Account {
  /** Stays the same for an account, whatever its address. */
  id: string;
  email: string | null;
}

const waitMs = 10_000;

/** Reads the account; null if the provider does not tell. */
export async function readAccount(
  { userInfoUrl }: LoginClient & { userInfoUrl: string },
  accessToken: string,
): Promise<Account | null> {
  try {
    return await withTimeout(waitMs, async (signal) => {
      const response = await fetch(userInfoUrl, {
        headers: { accept: "application/json", authorization: `Bearer ${accessToken}` },
        // Following a redirect would send the token to another host.
        redirect: "manual",
        signal,
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`the answer is ${response.status}`);
      }
      const { sub, email } = await readResponseJson<Record<string, unknown>>(response, serviceResponseBytes);
      if (typeof sub !== "string" || sub === "") throw new Error("the answer names no account");
      return { id: sub, email: typeof email === "string" && email !== "" ? email : null };
    });
  } catch (error) {
    console.error("a provider does not tell whose tokens it issued", reasonOf(error));
    return null;
  }
}
