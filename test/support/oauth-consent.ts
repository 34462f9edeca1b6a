// A person in a browser who allows or denies what a client of OAuth asks for, and calls of /mcp
// with the tokens.
import type { Browser } from "./browser.ts";
import { exchange } from "./http-exchange.ts";
import type { WorldAddress } from "./world-address.ts";

export const redirectUri = "http://127.0.0.1:53412/callback";

export function createConsent(world: Pick<WorldAddress, "baseUrl" | "workspaceId">) {
  /** A person in a browser: opens the page of the consent, and submits its form. */
  async function consent(
    browser: Browser,
    url: URL,
    { decision = "allow", workspace = world.workspaceId, headers = {} as Record<string, string>, proof = "" } = {},
  ) {
    const path = url.pathname + url.search;
    const page = await exchange(world.baseUrl, { path, headers: { ...browser.headers, accept: "text/html" } });
    const [, shownProof = ""] = /name="proof" value="([^"]+)"/.exec(page.text) ?? [];
    const answer = await exchange(world.baseUrl, {
      method: "POST",
      path,
      headers: { "content-type": "application/x-www-form-urlencoded", ...browser.headers, ...headers },
      body: new URLSearchParams({ decision, workspace, proof: proof || shownProof }).toString(),
    });
    const location = answer.headers.location ? new URL(answer.headers.location) : null;
    return { page, answer, location, proof: shownProof };
  }

  /** Calls with a token only, as a client without the protocol's SDK. */
  async function call(token: string, path = "/mcp", method = "tools/list", params = {}) {
    const answer = await exchange(world.baseUrl, {
      method: path === "/mcp" ? "POST" : "GET",
      path,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      ...(path === "/mcp" && { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) }),
    });
    return { status: answer.status, challenge: answer.headers["www-authenticate"], text: answer.text };
  }

  return { consent, call };
}
