// A browser in a sign-in at the practice code host, which the link of `npm start` let in. It stores
// cookies, and does not follow redirects by itself.
import type { WorldAddress } from "./world-address.ts";

export interface SignInBrowser {
  /** Starts the sign-in. Returns the URL of the code host's page. */
  start(returnTo?: string): Promise<string>;
  /**
   * Chooses a user on the code host's page, or denies with null. Returns the redirect to the
   * service.
   */
  choose(page: string, login: string | null): Promise<string>;
  /** Requests a URL of the service. */
  go(url: string): Promise<{ status: number; location: string | null; code: string | null; error: string }>;
  /** The whole sign-in. */
  signIn(login: string): ReturnType<SignInBrowser["go"]>;
  call(method: string, path: string, body?: unknown): Promise<{ status: number; data: unknown }>;
  cookie(name: string): string | null;
}

/**
 * Creates a browser, which may be signed in by its cookie. `signInUrl` is the link of `npm start`.
 */
export function startBrowser(
  { baseUrl, signInUrl }: Pick<WorldAddress, "baseUrl" | "signInUrl">,
  cookie = "",
): SignInBrowser {
  const jar = new Map<string, string>();
  const take = (header: string) => {
    const [pair = ""] = header.split(";");
    const [name = "", value = ""] = pair.split("=");
    if (/max-age=0/i.test(header)) jar.delete(name);
    else jar.set(name, value);
  };
  if (cookie) take(cookie);

  async function ask(url: string, init: RequestInit = {}) {
    const cookies = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...init.headers, ...(cookies ? { cookie: cookies } : {}) };
    const answer = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const header of answer.headers.getSetCookie()) take(header);
    return answer;
  }

  const browser: SignInBrowser = {
    async start(returnTo) {
      const query = returnTo === undefined ? "" : `?returnTo=${encodeURIComponent(returnTo)}`;
      const answer = await ask(`${baseUrl}/api/auth/github/connect${query}`);
      const location = answer.headers.get("location");
      if (answer.status !== 302 || location === null) throw new Error(`connect answered ${answer.status}`);
      return location;
    },
    async choose(page, login) {
      const entered = await fetch(signInUrl, { redirect: "manual" });
      const headers = { cookie: (entered.headers.get("set-cookie") ?? "").split(";")[0] ?? "" };
      const shown = await (await fetch(page, { headers })).text();
      const fields = [...shown.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
      const form = new URLSearchParams(fields.map(([, name = "", value = ""]) => [name, value]));
      form.set(login === null ? "deny" : "login", login ?? "yes");
      const answer = await fetch(page, {
        method: "POST",
        headers: { ...headers, origin: new URL(page).origin },
        body: form,
        redirect: "manual",
      });
      return answer.headers.get("location") ?? "";
    },
    async go(url) {
      const answer = await ask(url);
      const text = await answer.text();
      const { code = null, error = "" } = text.startsWith("{") ? JSON.parse(text) : {};
      return { status: answer.status, location: answer.headers.get("location"), code, error };
    },
    signIn: async (login) => browser.go(await browser.choose(await browser.start(), login)),
    async call(method, path, body) {
      const origin = new URL(baseUrl).origin;
      const answer = await ask(baseUrl + path, {
        method,
        headers: { origin },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, data: text === "" ? null : JSON.parse(text).data };
    },
    cookie: (name) => jar.get(name) ?? null,
  };
  return browser;
}
