// What a visitor sees: the one button that lets them in, and back to where they wanted to go.
import { useEffect } from "react";
import { Logo } from "../shell/logo.tsx";
import { recordSignOut } from "../shell/signed-out.ts";
import { buttonClass } from "../ui/button.tsx";
import { RequestId, signedOutWords } from "../ui/refusal.tsx";

interface SignInPageProps {
  /** True in a tab whose sign-in has ended while it was open. */
  wasSignedIn: boolean;
  /** The refusal that said so. */
  error: unknown;
}

export function SignInPage({ wasSignedIn, error }: SignInPageProps) {
  const returnTo = location.pathname + location.search;
  useEffect(recordSignOut, []);
  return (
    <main className="grid h-full place-items-center p-6 text-center">
      <div className="max-w-md">
        <Logo className="mx-auto size-12" />
        <h1 className="mt-3 text-heading font-bold">Switchyard</h1>
        {wasSignedIn && (
          <div role="alert" className="mt-3 rounded-block bg-amber-tint px-4 py-2 text-amber-ink text-prose">
            <p>{signedOutWords}</p>
            <RequestId error={error} />
          </div>
        )}
        <p className="mt-1 text-prose text-quiet">
          An AI coding agent for your team. Every session has a sandbox, a branch and a live preview of its own.
        </p>
        <a
          className={`${buttonClass("main")} mt-6`}
          href={`/api/auth/github/connect?returnTo=${encodeURIComponent(returnTo)}`}
        >
          Sign in
        </a>
      </div>
    </main>
  );
}
