// The account page shows the signed-in user, their API keys and their account at the code host, or
// a link to sign in. This file also has the error page of a failed sign-in.
import type { z } from "zod";
import type { Env } from "../../env.ts";
import { authenticate } from "../../http/authenticate.ts";
import { listApiKeys } from "../../key/queries/keys.ts";
import { type apiKeySchema, toWireApiKey } from "../../key/wire.ts";
import { renderPage } from "../../pages/document.tsx";
import { type MessageText, renderMessagePage } from "../../pages/message-page.tsx";
import sheetStyle from "../../pages/sheet.css";
import { keyNameCharactersMax } from "../../rules/limits.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { findCodeHostIdentity } from "../queries.ts";
import script from "./account.browser.js";
import accountStyle from "./account.css";

type ApiKey = z.infer<typeof apiKeySchema>;

export interface AccountView {
  name: string;
  email: string;
  /** Their login at the code host; null if no account is connected. */
  login: string | null;
  /** Oldest first. */
  keys: ApiKey[];
}

const connectPath = "/api/auth/github/connect?returnTo=/account";

/** The page of a signed-in user; null for a visitor who is not signed in. */
function accountPage(account: AccountView | null): Response {
  if (!account) {
    const text = "Sign in with your account at the code host. The first sign-in creates your account here.";
    return page({ tone: "resting", heading: "You are not signed in", text }, "Sign in", 200);
  }
  const { name, email, login, keys } = account;
  return renderPage({
    title: `Signed in as ${name}`,
    style: sheetStyle + accountStyle,
    script,
    policy: { "connect-src": "'self'", "frame-ancestors": "'none'" },
    children: (
      <main class="sheet account">
        <h1>Signed in as {name}</h1>
        <p>{email}</p>
        <h2>API keys</h2>
        <p>A program with a key may do what you may do. The key is shown once, when you make it.</p>
        <form id="new-key">
          <label>
            What the key is called
            <input name="name" required maxlength={keyNameCharactersMax} autocomplete="off" />
          </label>
          <button type="submit">Make a key</button>
        </form>
        <div id="made" role="status" hidden>
          <p>This is the key. Copy it now: nobody can show it again.</p>
          <pre id="made-key" />
        </div>
        <p id="trouble" role="alert" />
        <ul id="keys">
          {keys.map((key) => (
            <Row apiKey={key} />
          ))}
        </ul>
        <template id="key-row">
          <Row apiKey={null} />
        </template>
        <h2>Code host</h2>
        <p>{login === null ? "No account at the code host is connected." : `At the code host you are ${login}.`}</p>
        <a class="button" href={connectPath}>
          {login === null ? "Connect your account" : "Connect another account"}
        </a>
        <h2>This browser</h2>
        <button type="button" class="plain" id="sign-out">
          Sign out
        </button>
      </main>
    ),
  });
}

/** A key in the list; null for the row that a new key fills. */
function Row({ apiKey }: { apiKey: ApiKey | null }) {
  return (
    <li data-key={apiKey?.id}>
      <b>{apiKey?.name}</b>
      <span>{apiKey && formatFacts(apiKey)}</span>
      <button type="button" class="plain">
        Revoke
      </button>
    </li>
  );
}

function formatFacts({ lastFour, createdAt, lastUsedAt, expiresAt }: ApiKey): string {
  const used = lastUsedAt === null ? "never used" : `last used ${toDay(lastUsedAt)}`;
  const ends = expiresAt === null ? [] : [`until ${toDay(expiresAt)}`];
  return [`…${lastFour}`, `made ${toDay(createdAt)}`, used, ...ends].join(", ");
}

const toDay = (time: string) => time.slice(0, 10);

/** The page of a failed sign-in. */
function failedSignInPage(reason: string, status: number): Response {
  return page({ tone: "ended", heading: "This did not sign you in", text: reason }, "Start again", status);
}

function page(notice: MessageText, action: string, status: number): Response {
  return renderMessagePage(notice, {
    status,
    action: (
      <a class="button" href={connectPath}>
        {action}
      </a>
    ),
  });
}

/** Handles `GET /account`, to which a sign-in returns. */
export async function renderAccountPage(request: Request, env: Env): Promise<Response> {
  const known = await authenticate(env, request, { action: "code-host.connect", noun: "none", params: {} }, Date.now());
  const user = isRefusal(known) ? null : known.caller.user;
  if (!user) return accountPage(null);
  const [identity, keys] = await Promise.all([findCodeHostIdentity(env.DB, user.id), listApiKeys(env.DB, user.id)]);
  const { name, email } = user;
  return accountPage({ name, email, login: identity?.login ?? null, keys: keys.map(toWireApiKey) });
}

/**
 * Turns a refusal into a page if a browser will show it. Other responses are returned unchanged.
 */
export async function toBrowserResponse(request: Request, answer: Response): Promise<Response> {
  if (answer.status < 400 || !request.headers.get("accept")?.includes("text/html")) return answer;
  const { error } = await answer.json<{ error: string }>();
  return failedSignInPage(error, answer.status);
}
