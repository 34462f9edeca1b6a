// Signing in at the practice provider: pages for people, and the endpoints of OAuth for the
// service, below `/<provider>/oauth/`.
import { createHash, randomBytes } from "node:crypto";
import { pageHeaders, renderApprovePage, renderCodePage, renderDevicePage, renderDonePage } from "./pages.ts";
import type { SignInStore } from "./state.ts";
import type { Tokens } from "./tokens.ts";

/** The only known service. */
export const practiceClientId = "practice";

const codeMs = 60_000;
const deviceSeconds = 900;
const intervalSeconds = 1;
/** Timers of the client may fire a little early. */
const toleranceMs = 100;

export interface SignInRequest {
  method: string | undefined;
  url: URL;
  authorization: string | undefined;
  body: string;
}

export interface SignInReply {
  status: number;
  headers: Record<string, string>;
  text: string;
}

export interface SignIns {
  /** Handles a request to `/<provider>/oauth/…`. */
  answer(request: SignInRequest): SignInReply;
}

export function createSignIns(store: SignInStore, tokens: Tokens): SignIns {
  const { state, save } = store;

  /** Approves or denies a sign-in of the browser, and redirects the person to the code. */
  function decide(provider: string, form: URLSearchParams): SignInReply {
    const redirectUri = form.get("redirect_uri") ?? "";
    const signInState = form.get("state") ?? "";
    const back = new URL(redirectUri);
    back.searchParams.set("state", signInState);
    if (form.has("deny")) {
      back.searchParams.set("error", "access_denied");
      return shown(denied, { status: 303, location: back.href });
    }
    const code = randomBytes(12).toString("hex");
    state.codes[code] = {
      provider,
      address: getAddress(form, signInState),
      clientId: form.get("client_id") ?? "",
      redirectUri,
      challenge: form.get("code_challenge") ?? "",
      expiresAt: Date.now() + codeMs,
    };
    save();
    back.searchParams.set("code", code);
    return shown(renderCodePage(code, signInState), { status: 303, location: back.href });
  }

  function decideDevice(provider: string, path: string, form: URLSearchParams): SignInReply {
    const userCode = (form.get("user_code") ?? "").trim().toUpperCase();
    const device = Object.values(state.devices).find(
      (one) => one.provider === provider && one.userCode === userCode && one.expiresAt > Date.now(),
    );
    if (device?.answer !== "pending") {
      return shown(renderDevicePage(provider, path, userCode, "There is no such code. Type it as it is shown."));
    }
    device.answer = form.has("deny") ? "denied" : "approved";
    device.address = getAddress(form, userCode);
    save();
    return shown(form.has("deny") ? denied : renderDonePage("Connected", "You can go back to Switchyard."));
  }

  function beginDevice(provider: string, origin: string, form: URLSearchParams): SignInReply {
    if (form.get("client_id") !== practiceClientId) return json(401, { error: "invalid_client" });
    const deviceCode = randomBytes(20).toString("hex");
    const userCode = [0, 1].map(() => letters(4)).join("-");
    const expiresAt = Date.now() + deviceSeconds * 1_000;
    state.devices[deviceCode] = { provider, userCode, answer: "pending", address: "", expiresAt, nextPollAt: 0 };
    save();
    const verification_uri = `${origin}/${provider}/oauth/device`;
    return json(200, {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri,
      verification_uri_complete: `${verification_uri}?user_code=${userCode}`,
      expires_in: deviceSeconds,
      interval: intervalSeconds,
    });
  }

  /** The tokens of a grant, or the OAuth error code if there are none. */
  function granted(provider: string, form: URLSearchParams): object | string {
    switch (form.get("grant_type")) {
      case "refresh_token":
        return tokens.refresh(provider, form.get("refresh_token") ?? "") ?? "invalid_grant";
      case "authorization_code":
        return redeem(provider, form);
      case "urn:ietf:params:oauth:grant-type:device_code":
        return poll(form);
      default:
        return "unsupported_grant_type";
    }
  }

  function redeem(provider: string, form: URLSearchParams): object | string {
    const shown = form.get("code") ?? "";
    const code = Object.hasOwn(state.codes, shown) ? state.codes[shown] : undefined;
    // A code works once, even if it is refused.
    delete state.codes[shown];
    save();
    const hash = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isOwn = code?.clientId === form.get("client_id") && code?.redirectUri === form.get("redirect_uri");
    const isGood = code?.provider === provider && code.challenge === hash && code.expiresAt > Date.now();
    return isOwn && isGood ? tokens.issue(provider, code.address) : "invalid_grant";
  }

  function poll(form: URLSearchParams): object | string {
    const shown = form.get("device_code") ?? "";
    const device = Object.hasOwn(state.devices, shown) ? state.devices[shown] : undefined;
    const now = Date.now();
    if (!device || device.expiresAt <= now) return "expired_token";
    const isTooSoon = now < device.nextPollAt - toleranceMs;
    device.nextPollAt = now + intervalSeconds * 1_000;
    if (device.answer === "pending") return isTooSoon ? "slow_down" : "authorization_pending";
    delete state.devices[shown];
    save();
    return device.answer === "denied" ? "access_denied" : tokens.issue(device.provider, device.address);
  }

  function createAccountReply(authorization: string | undefined): SignInReply {
    const [, token = ""] = /^bearer\s+(.+)$/i.exec(authorization ?? "") ?? [];
    const login = tokens.findLogin(token);
    // The address identifies the account: entering it again signs in with the same account.
    if (!login || login.isRevoked) return json(401, { error: "invalid_token" });
    return json(200, { sub: `${login.provider}|${login.address}`, email: login.address });
  }

  return {
    answer({ method, url, authorization, body }) {
      const [, provider = "", , ...rest] = url.pathname.split("/");
      const form = new URLSearchParams(body);
      switch (`${method} ${rest.join("/")}`) {
        case "GET authorize": {
          const wrong = findMistake(url.searchParams, `${url.origin}/`);
          if (wrong !== null) return shown(renderDonePage("This cannot continue", wrong), { status: 400 });
          return shown(renderApprovePage(provider, url.pathname, url.searchParams));
        }
        case "POST authorize": {
          const wrong = findMistake(form, `${url.origin}/`);
          if (wrong !== null) return shown(renderDonePage("This cannot continue", wrong), { status: 400 });
          return decide(provider, form);
        }
        case "GET code": {
          const code = url.searchParams.get("code");
          return shown(code === null ? denied : renderCodePage(code, url.searchParams.get("state") ?? ""));
        }
        case "GET device":
          return shown(renderDevicePage(provider, url.pathname, url.searchParams.get("user_code") ?? ""));
        case "POST device":
          return decideDevice(provider, url.pathname, form);
        case "POST device/code":
          return beginDevice(provider, url.origin, form);
        case "POST token": {
          const outcome = granted(provider, form);
          return typeof outcome === "string" ? json(400, { error: outcome }) : json(200, outcome);
        }
        case "POST revoke":
          tokens.revoke(form.get("token") ?? "");
          return json(200, {});
        case "GET userinfo":
          return createAccountReply(authorization);
        case "GET count":
          return json(200, { refreshes: tokens.countRefreshes(provider) });
        default:
          return json(404, { error: "not_found" });
      }
    },
  };
}

const denied = renderDonePage("Not connected", "You denied it. Nothing was connected.");

/** The error of an authorization request; null if there is none. */
function findMistake(asked: URLSearchParams, origin: string): string | null {
  if (asked.get("client_id") !== practiceClientId) return "No service of this client id is known here.";
  if (!asked.get("redirect_uri")?.startsWith(origin)) return "The redirect address is not registered here.";
  if (asked.get("code_challenge_method") !== "S256" || !asked.get("code_challenge")) return "PKCE with S256 is needed.";
  return null;
}

/** The entered address, or else one derived from the sign-in. */
function getAddress(form: URLSearchParams, seed: string): string {
  const typed = (form.get("email") ?? "").trim();
  if (typed !== "") return typed.includes("@") ? typed : `${typed}@practice.example`;
  return `someone-${createHash("sha256").update(seed).digest("hex").slice(0, 10)}@practice.example`;
}

/** Random letters that are not easily confused. */
function letters(count: number): string {
  const known = "BCDFGHJKLMNPQRSTVWXZ";
  return [...randomBytes(count)].map((byte) => known[byte % known.length]).join("");
}

function shown(page: string, { status = 200, location }: { status?: number; location?: string } = {}): SignInReply {
  return { status, headers: { ...pageHeaders, ...(location !== undefined && { location }) }, text: page };
}

function json(status: number, body: object): SignInReply {
  return { status, headers: { "content-type": "application/json" }, text: JSON.stringify(body) };
}
