// OAuth sign-in: a page to choose a user, for browsers that have the key of the pages, codes that
// work once and only with their PKCE verifier, and tokens.
import { createHash, randomBytes } from "node:crypto";
import { getPageHeaders, renderMessagePage, renderStrangerPage } from "./pages/page-frame.ts";
import type { Visitor } from "./pages/page-key.ts";
import { renderUnknownServicePage, signInPage } from "./pages/sign-in-page.ts";
import { type CodeHostPerson, findPerson, people, toWirePerson } from "./people.ts";
import type { ApiAnswer } from "./rest.ts";

export interface OauthSettings {
  clientId: string;
  clientSecret: string;
  /** The only allowed redirect URL. */
  callbackUrl: string;
}

export interface OauthAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

export interface OauthRequest {
  method: string;
  url: URL;
  body: string;
  authorization: string | undefined;
  visitor: Visitor;
  /** True for a form of the code host's own pages. */
  isFromOwnPage: boolean;
}

export interface Oauth {
  /**
   * Handles `/login`, the endpoints below `/login/oauth` and the revocation of grants; null for any
   * other.
   */
  answer(request: OauthRequest): OauthAnswer | null;
  /**
   * Returns a pass for `/login?pass=…`: a browser that also has the key signs in as a user, once.
   */
  createPass(login: string): string;
  /** Ends all access tokens before their time. They can be refreshed. */
  expireTokens(): void;
  /** Revokes all tokens of a user. */
  revokeGrant(login: string): void;
  /** The user of a token; null for an unknown one. */
  personBy(credential: string): CodeHostPerson | null;
}

interface Agreement {
  login: string;
  challenge: string;
}

const tokenSeconds = 8 * 3_600;

/** Creates the sign-in for a client. */
export function createOauth({ clientId, clientSecret, callbackUrl }: OauthSettings): Oauth {
  const codes = new Map<string, Agreement>();
  const passes = new Map<string, string>();
  /** The user of a pass that was just used, for the sign-in that follows. */
  let passing: string | null = null;
  const tokens = new Map<string, string>();
  const refreshTokens = new Map<string, string>();

  function page(query: URLSearchParams): OauthAnswer {
    if (query.get("client_id") !== clientId || query.get("redirect_uri") !== callbackUrl) {
      return { status: 404, headers: getPageHeaders(), text: renderUnknownServicePage() };
    }
    // Browsers also apply form-action to the redirect after a form.
    return { status: 200, headers: getPageHeaders(new URL(callbackUrl).origin), text: signInPage(people, query) };
  }

  /**
   * Admits a browser that has the key, and redirects it to the service. A pass starts a sign-in.
   */
  function enter(visitor: Visitor, pass: string): OauthAnswer {
    if (visitor.kind === "stranger") return stranger();
    const login = passes.get(pass);
    if (login === undefined) return redirect(new URL("/", callbackUrl).href, visitor);
    passes.delete(pass);
    passing = login;
    return redirect(new URL("/api/auth/github/connect?returnTo=/", callbackUrl).href, visitor);
  }

  /** Shows the choice of users to a browser that has the key. */
  function authorize(visitor: Visitor, url: URL): OauthAnswer {
    if (visitor.kind === "stranger") return stranger();
    if (visitor.kind === "in" && passing !== null) {
      const form = new URLSearchParams(url.searchParams);
      form.set("login", passing);
      passing = null;
      return agree(form);
    }
    if (visitor.kind === "in") return page(url.searchParams);
    const rest = new URLSearchParams(url.searchParams);
    rest.delete("key");
    return redirect(`${url.pathname}?${rest}`, visitor);
  }

  function agree(form: URLSearchParams): OauthAnswer {
    if (form.get("client_id") !== clientId || form.get("redirect_uri") !== callbackUrl) return page(form);
    const back = new URL(callbackUrl);
    back.searchParams.set("state", form.get("state") ?? "");
    const person = findPerson(form.get("login") ?? "");
    if (person && !form.has("deny")) {
      const code = randomBytes(10).toString("hex");
      codes.set(code, { login: person.login, challenge: form.get("code_challenge") ?? "" });
      back.searchParams.set("code", code);
    } else {
      back.searchParams.set("error", "access_denied");
    }
    return { status: 302, headers: { location: back.href }, text: "" };
  }

  function exchange(form: URLSearchParams): OauthAnswer {
    if (form.get("client_id") !== clientId || form.get("client_secret") !== clientSecret) {
      return json(200, { error: "incorrect_client_credentials" });
    }
    const login = form.get("grant_type") === "refresh_token" ? refreshed(form) : redeemed(form);
    if (login === null) return json(200, { error: "bad_verification_code" });
    const [access_token, refresh_token] = ["ghu_practice_", "ghr_practice_"].map(
      (prefix) => prefix + randomBytes(27).toString("base64url"),
    );
    tokens.set(access_token ?? "", login);
    refreshTokens.set(refresh_token ?? "", login);
    return json(200, { access_token, refresh_token, expires_in: tokenSeconds, token_type: "bearer", scope: "" });
  }

  function redeemed(form: URLSearchParams): string | null {
    const code = form.get("code") ?? "";
    const agreement = codes.get(code);
    codes.delete(code);
    const hash = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    return agreement?.challenge === hash && form.get("redirect_uri") === callbackUrl ? agreement.login : null;
  }

  function refreshed(form: URLSearchParams): string | null {
    const token = form.get("refresh_token") ?? "";
    const login = refreshTokens.get(token) ?? null;
    refreshTokens.delete(token);
    return login;
  }

  function revokeGrant(login: string): void {
    for (const store of [tokens, refreshTokens]) {
      for (const [token, whose] of store) if (whose === login) store.delete(token);
    }
  }

  /** Revokes a user's grant with all of its tokens. */
  function revoke(body: string, authorization: string | undefined): OauthAnswer {
    if (authorization !== `Basic ${btoa(`${clientId}:${clientSecret}`)}`) return json(401, {});
    const login = tokens.get(JSON.parse(body).access_token);
    if (login === undefined) return json(422, { message: "Validation Failed" });
    revokeGrant(login);
    return { status: 204, headers: {}, text: "" };
  }

  return {
    answer({ method, url, body, authorization, visitor, isFromOwnPage }) {
      switch (`${method} ${url.pathname}`) {
        case "GET /login":
          return enter(visitor, url.searchParams.get("pass") ?? "");
        case "GET /login/oauth/authorize":
          return authorize(visitor, url);
        case "POST /login/oauth/authorize":
          if (visitor.kind !== "in") return stranger();
          return isFromOwnPage ? agree(new URLSearchParams(body)) : foreign;
        case "POST /login/oauth/access_token":
          return exchange(new URLSearchParams(body));
        case `DELETE /applications/${clientId}/grant`:
          return revoke(body, authorization);
        default:
          return null;
      }
    },
    createPass(login) {
      const pass = randomBytes(16).toString("base64url");
      passes.set(pass, login);
      return pass;
    },
    expireTokens: () => tokens.clear(),
    revokeGrant,
    personBy(credential) {
      const login = tokens.get(credential);
      return login === undefined ? null : findPerson(login);
    },
  };
}

/** Handles the endpoints about the token's user; null for any other. */
export function handlePersonCall(method: string, path: string, person: CodeHostPerson): ApiAnswer | null {
  switch (`${method} ${path}`) {
    case "GET /user":
      return { status: 200, body: { ...toWirePerson(person), name: person.name, avatar_url: null } };
    case "GET /user/emails":
      return { status: 200, body: [{ email: person.email, primary: true, verified: true, visibility: null }] };
    default:
      return null;
  }
}

const stranger = (): OauthAnswer => ({ status: 401, headers: getPageHeaders(), text: renderStrangerPage() });

const foreign: OauthAnswer = {
  status: 403,
  headers: getPageHeaders(),
  text: renderMessagePage("Not from here", "Only forms of these pages are taken."),
};

function redirect(location: string, visitor: Visitor): OauthAnswer {
  const cookie = visitor.kind === "enters" ? { "set-cookie": visitor.cookie } : {};
  return { status: 303, headers: { location, "cache-control": "no-store", ...cookie }, text: "" };
}

function json(status: number, body: unknown): OauthAnswer {
  return { status, headers: { "content-type": "application/json; charset=utf-8" }, text: JSON.stringify(body) };
}
