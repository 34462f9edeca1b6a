// Signs in at a provider with an account of the person: they bring a code back from its page, or
// type one there while this page waits.
import type { Schemas } from "@switchyard/client";
import { ExternalLink } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { queryClient, service } from "../api.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { fieldClass } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { WrongCode } from "../ui/wrong-code.tsx";
import { startDevicePoll } from "./device-poll.ts";
import type { ProviderId } from "./logins.ts";
import { refreshSubscriptions } from "./queries.ts";

interface SignInProps {
  provider: ProviderId;
  name: string;
  /** True where a login is connected already. */
  isAnother: boolean;
  /** True where there is no room for another login. */
  isOnlyAgain: boolean;
}

const begin = "POST /api/user/subscriptions/login/{provider}";
const complete = "POST /api/user/subscriptions/login/{provider}/complete";

export function SignIn({ provider, name, isAnother, isOnlyAgain }: SignInProps) {
  const [started, setStarted] = useState<Schemas["StartedSignIn"] | null>(null);
  const [outcome, setOutcome] = useState<"connected" | "over" | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);

  async function start(): Promise<void> {
    setRefusal(null);
    setOutcome(null);
    setIsBusy(true);
    try {
      setStarted(await service.request(begin, { path: { provider } }));
    } catch (refused) {
      setRefusal(refused);
    }
    setIsBusy(false);
  }

  /** Takes what the service says of a sign-in. Returns true once it has ended. */
  function take(answer: Schemas["SignInAnswer"]): boolean {
    if (!answer.authenticated && !answer.restart) return false;
    setStarted(null);
    setOutcome(answer.authenticated ? "connected" : "over");
    if (answer.authenticated) {
      refreshSubscriptions();
      queryClient.invalidateQueries({ queryKey: ["login-usage", provider] });
    }
    return true;
  }

  function refuse(refused: unknown): void {
    setStarted(null);
    setRefusal(refused);
  }

  return (
    <>
      {started === null ? (
        <Button disabled={isBusy} onClick={start}>
          {isBusy ? "Beginning…" : isAnother ? "Sign in with another account, or again" : `Sign in at ${name}`}
        </Button>
      ) : (
        <div className="rounded-block bg-accent-tint p-4">
          {"userCode" in started ? (
            <DeviceSteps provider={provider} started={started} onAnswer={take} onRefusal={refuse} />
          ) : (
            <BrowserSteps provider={provider} started={started} onAnswer={take} />
          )}
          <Button kind="bare" className="mt-2 -ml-3" onClick={() => setStarted(null)}>
            Cancel
          </Button>
        </div>
      )}
      {isOnlyAgain && (
        <p className="mt-2 text-meta text-quiet">
          You have the maximum number of accounts. Those in this list can sign in again.
        </p>
      )}
      <p role="status" className="mt-2 text-meta">
        {outcome === "connected" && "The account is connected."}
        {outcome === "over" && "The sign-in was denied or has expired. Start again."}
      </p>
      {refusal !== null && <Refusal error={refusal} />}
    </>
  );
}

interface StepsProps<Started> {
  provider: ProviderId;
  started: Started;
  onAnswer: (answer: Schemas["SignInAnswer"]) => boolean;
}

function PageLink({ href }: { href: string }) {
  return (
    <a className={buttonClass("quiet")} href={href} target="_blank" rel="noopener noreferrer">
      Open the sign-in page <ExternalLink className="size-4" aria-hidden="true" />
    </a>
  );
}

function BrowserSteps({ provider, started, onAnswer }: StepsProps<Schemas["BrowserSignIn"]>) {
  const [code, setCode] = useState("");
  const [refusal, setRefusal] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [isWrong, setIsWrong] = useState(false);

  async function finish(event: FormEvent): Promise<void> {
    event.preventDefault();
    setRefusal(null);
    setIsBusy(true);
    try {
      const body = { loginToken: started.loginToken, code: code.trim() };
      setIsWrong(!onAnswer(await service.request(complete, { path: { provider }, body })));
    } catch (refused) {
      setRefusal(refused);
    }
    setIsBusy(false);
  }

  return (
    <form onSubmit={finish}>
      <p className="mb-2">Sign in on the provider's page, and bring the code back that it shows.</p>
      <PageLink href={started.url} />
      <div className="mt-2 flex flex-wrap gap-2">
        <input
          value={code}
          onChange={({ target }) => setCode(target.value)}
          aria-label="Code of the sign-in page"
          placeholder="Code of the sign-in page"
          autoComplete="off"
          spellCheck={false}
          required
          className={`${fieldClass} min-w-48 flex-1`}
        />
        <Button type="submit" kind="main" disabled={isBusy || code.trim() === ""}>
          {isBusy ? "Connecting…" : "Connect"}
        </Button>
      </div>
      {isWrong && <WrongCode />}
      {refusal !== null && (
        <div className="mt-2">
          <Refusal error={refusal} />
        </div>
      )}
    </form>
  );
}

interface DeviceProps extends StepsProps<Schemas["DeviceSignIn"]> {
  onRefusal: (refusal: unknown) => void;
}

function DeviceSteps({ provider, started, onAnswer, onRefusal }: DeviceProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a sign-in has one token.
  useEffect(() => {
    const body = { loginToken: started.loginToken };
    return startDevicePoll(started, {
      ask: async (signal) => {
        const answer = await service.request(complete, { path: { provider }, body, signal });
        return signal.aborted || onAnswer(answer) ? null : answer;
      },
      onRefusal,
    });
  }, [started.loginToken]);

  return (
    <>
      <p className="mb-2">Type this code on the provider's page. This page continues once you have approved it.</p>
      <div className="flex flex-wrap items-center gap-2">
        <code className="rounded-control bg-panel px-3 py-1 font-mono text-title tracking-widest">
          {started.userCode}
        </code>
        <CopyButton text={started.userCode} />
        <PageLink href={started.verificationUrl} />
      </div>
      <p role="status" className="lamp mt-2 text-meta text-quiet">
        Waiting for your approval…
      </p>
    </>
  );
}
