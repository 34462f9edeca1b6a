// The account page: the signed-in user and their account at the code host, or the link to sign in; and the page of a failed sign-in.
import type { Notice } from "./notice.tsx";
import { noticePage } from "./notice-page.tsx";

export interface AccountView {
  name: string;
  email: string;
  /** Their login at the code host; null if no account is connected. */
  login: string | null;
}

const connectPath = "/api/auth/github/connect?returnTo=/account";

/** The page of a signed-in user; null for a visitor who is not signed in. */
export function accountPage(account: AccountView | null): Response {
  if (!account) {
    const text = "Your account at the code host opens this one. If you have none here yet, it makes you one.";
    return page({ tone: "resting", heading: "You are not signed in", text }, "Sign in", 200);
  }
  const { name, email, login } = account;
  const there = login === null ? "No account at the code host is connected." : `At the code host you are ${login}.`;
  const notice: Notice = { tone: "coming", heading: `Signed in as ${name}`, text: `${email}. ${there}` };
  return page(notice, login === null ? "Connect your account" : "Connect another account", 200);
}

/** The page of a failed sign-in. */
export function failedSignInPage(reason: string, status: number): Response {
  return page({ tone: "ended", heading: "This did not sign you in", text: reason }, "Start again", status);
}

function page(notice: Notice, action: string, status: number): Response {
  return noticePage(notice, {
    status,
    action: (
      <a class="button" href={connectPath}>
        {action}
      </a>
    ),
  });
}
