// The account page: who is signed in here and who they are at the code host, or the way in; and what a sign-in that failed says to people.
import { respondPage } from "./document.tsx";
import { type Notice, NoticePanel } from "./notice.tsx";

export interface AccountSeen {
  name: string;
  email: string;
  /** What they are called at the code host; null without an account there. */
  login: string | null;
}

const connectPath = "/api/auth/github/connect?returnTo=/account";

/** Shows who is signed in; null for nobody. */
export function accountPage(seen: AccountSeen | null): Response {
  if (!seen) {
    const text = "Your account at the code host opens this one. If you have none here yet, it makes you one.";
    return page({ tone: "resting", heading: "You are not signed in", text }, "Sign in", 200);
  }
  const { name, email, login } = seen;
  const there = login === null ? "No account at the code host is connected." : `At the code host you are ${login}.`;
  const notice: Notice = { tone: "coming", heading: `Signed in as ${name}`, text: `${email}. ${there}` };
  return page(notice, login === null ? "Connect your account" : "Connect another account", 200);
}

/** Says why a sign-in came to nothing. */
export function failedSignInPage(reason: string, status: number): Response {
  return page({ tone: "ended", heading: "This did not sign you in", text: reason }, "Start again", status);
}

function page(notice: Notice, action: string, status: number): Response {
  return respondPage({
    title: notice.heading,
    style: "",
    status,
    policy: { "frame-ancestors": "'none'" },
    children: (
      <main class="alone">
        <NoticePanel notice={notice}>
          <a class="button" href={connectPath}>
            {action}
          </a>
        </NoticePanel>
      </main>
    ),
  });
}
