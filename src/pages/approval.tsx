// The pages on which a person decides what a program may do. They work without scripts.
import type { Child } from "hono/jsx";
import type { Caller } from "../access/rules/caller.ts";
import type { User } from "../access/rules/membership.ts";
import type { Env } from "../env.ts";
import { authenticate } from "../http/authenticate.ts";
import { isRefusal } from "../rules/refusal.ts";
import style from "./approval.css";
import { renderPage } from "./document.tsx";
import { MessagePanel, type MessageText } from "./message-page.tsx";

/** A person who is signed in in a browser. */
export type BrowserCaller = Caller & { user: User };

/** A row of the facts by which the person decides. */
export const Fact = ({ term, children }: { term: string; children: Child }) => (
  <div>
    <dt>{term}</dt>
    <dd>
      <bdi>{children}</bdi>
    </dd>
  </div>
);

/** A warning that is read aloud. */
export const Warning = ({ children }: { children: Child }) => (
  <p class="warning" role="alert">
    {children}
  </p>
);

/** Leads to the sign-in, and back to a path of the service. */
export const SignInLink = ({ returnTo }: { returnTo: string }) => (
  <a class="button" href={`/api/auth/github/connect?returnTo=${encodeURIComponent(returnTo)}`}>
    Sign in
  </a>
);

/** Renders such a page. `leadsTo` is where its form may lead, besides the service itself. */
export function renderApproval(
  notice: MessageText,
  actions: Child[],
  { leadsTo = "", status = 200 }: { leadsTo?: string; status?: number } = {},
): Response {
  return renderPage({
    title: notice.heading,
    style,
    status,
    policy: { "form-action": `'self' ${leadsTo}`.trim(), "frame-ancestors": "'none'" },
    // A browser sends the origin of a form only if the page's policy allows the referrer.
    headers: { "referrer-policy": "same-origin", "x-frame-options": "DENY" },
    children: (
      <main class="alone">
        <MessagePanel notice={notice}>{actions}</MessagePanel>
      </main>
    ),
  });
}

/**
 * The person who is signed in in this browser; null without one, and for a form that another site
 * sent.
 */
export async function findBrowserCaller(request: Request, env: Env): Promise<BrowserCaller | null> {
  const asked = { action: "api-key.manage", noun: "none", params: {} } as const;
  const known = await authenticate(env, request, asked, Date.now());
  if (isRefusal(known) || known.caller.user === null) return null;
  return { ...known.caller, user: known.caller.user };
}
