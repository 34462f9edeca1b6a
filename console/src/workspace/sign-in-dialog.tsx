// A sign-in at a provider with the account that pays for a workspace: by a code that the browser
// shows, or by a device code that the person types there.
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { startDevicePoll } from "../account/device-poll.ts";
import { service } from "../api.ts";
import { type Provider, providerNames } from "../composer/models.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { useAct } from "../ui/use-act.ts";
import { WrongCode } from "../ui/wrong-code.tsx";

interface SignInProps {
  workspaceId: string;
  provider: Provider;
  /** True if a key or an account of the provider is connected now. */
  isReplacement: boolean;
  onClose: () => void;
  onDone: () => void;
}

export function SignInDialog({ workspaceId, provider, isReplacement, onClose, onDone }: SignInProps) {
  const path = { workspaceId, provider };
  const name = providerNames[provider];
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["sign-in", workspaceId, provider],
    queryFn: () => service.request("POST /api/organizations/{workspaceId}/credentials/login/{provider}", { path }),
    // One dialog is one sign-in.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  // A sign-in that is replaced is not asked about again: its end would be taken for the new one's.
  const started = isFetching ? undefined : data;
  const [isOver, setIsOver] = useState(false);
  const complete = async (code?: string) => {
    if (!started) return null;
    const body = { loginToken: started.loginToken, ...(code === undefined ? {} : { code }) };
    const operation = "POST /api/organizations/{workspaceId}/credentials/login/{provider}/complete";
    const answer = await service.request(operation, { path, body });
    if (answer.authenticated) onDone();
    else if (answer.restart) setIsOver(true);
    return answer;
  };
  const restart = () => {
    setIsOver(false);
    refetch();
  };

  const cancel = (
    <Button kind="bare" onClick={onClose}>
      Cancel
    </Button>
  );

  return (
    <Dialog title={`Sign in at ${name}`} isOpen onClose={onClose}>
      <div className="mt-2 space-y-4">
        <p className="text-quiet">
          The account that signs in pays for this workspace.
          {isReplacement && ` It replaces what is connected at ${name} now.`}
        </p>
        {error && (
          <Refusal error={error}>
            <Button onClick={restart}>Try again</Button>
            {cancel}
          </Refusal>
        )}
        {isOver ? (
          <div role="alert" className="rounded-block bg-amber-tint px-4 py-3 text-amber-ink">
            <p>The sign-in was denied or has expired.</p>
            <div className="mt-2 flex flex-wrap gap-2">
              <Button onClick={restart}>Begin again</Button>
              {cancel}
            </div>
          </div>
        ) : (
          started &&
          ("url" in started ? (
            <BrowserSteps started={started} name={name} onCode={complete}>
              {cancel}
            </BrowserSteps>
          ) : (
            <>
              <DeviceSteps
                key={started.loginToken}
                started={started}
                name={name}
                onAsk={() => complete()}
                onRestart={restart}
              />
              {cancel}
            </>
          ))
        )}
      </div>
    </Dialog>
  );
}

type Answer = Schemas["SignInAnswer"] | null;

const OpenLink = ({ href, name }: { href: string; name: string }) => (
  <a href={href} target="_blank" rel="noreferrer" className={buttonClass()}>
    Open {name} <ExternalLink className="size-4" aria-hidden="true" />
  </a>
);

interface BrowserStepsProps {
  started: Schemas["BrowserSignIn"];
  name: string;
  onCode: (code: string) => Promise<Answer>;
  /** The other buttons. */
  children: ReactNode;
}

function BrowserSteps({ started, name, onCode, children }: BrowserStepsProps) {
  const [code, setCode] = useState("");
  const [isWrong, setIsWrong] = useState(false);
  const { act, error, isBusy } = useAct();
  const send = (event: FormEvent) => {
    event.preventDefault();
    setIsWrong(false);
    act(async () => setIsWrong((await onCode(code.trim()))?.authenticated === false));
  };
  return (
    <form onSubmit={send} className="space-y-4">
      <OpenLink href={started.url} name={name} />
      <Field label="The code that it shows" hint="The whole address of the page that it ends on works, too.">
        <TextInput
          value={code}
          onChange={({ target }) => setCode(target.value)}
          autoComplete="off"
          spellCheck={false}
          required
        />
      </Field>
      {isWrong && <WrongCode />}
      {error !== null && <Refusal error={error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="main" disabled={isBusy || code.trim() === ""}>
          {isBusy ? "Connecting…" : "Connect"}
        </Button>
        {children}
      </div>
    </form>
  );
}

interface DeviceStepsProps {
  started: Schemas["DeviceSignIn"];
  name: string;
  onAsk: () => Promise<Answer>;
  onRestart: () => void;
}

function DeviceSteps({ started, name, onAsk, onRestart }: DeviceStepsProps) {
  const [error, setError] = useState<unknown>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it asks until the end.
  useEffect(() => startDevicePoll(started, { ask: onAsk, onRefusal: setError }), []);
  return (
    <>
      <p>Open the page, and type this code there:</p>
      <div className="flex flex-wrap items-center gap-2">
        <code className="rounded-control bg-sunk px-3 py-2 font-bold font-mono text-title">{started.userCode}</code>
        <CopyButton text={started.userCode} />
        <OpenLink href={started.verificationUrl} name={name} />
      </div>
      {error === null ? (
        <p role="status" className="text-quiet">
          Waiting for {name}…
        </p>
      ) : (
        <Refusal error={error}>
          <Button onClick={onRestart}>Begin again</Button>
        </Refusal>
      )}
    </>
  );
}
