// A sign-in at a provider with the account that pays for a workspace: by a code that the browser
// shows, or by a device code that the person types there.
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { service } from "../api.ts";
import { type Provider, providerNames } from "../composer/models.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { useAct } from "../ui/use-act.ts";

interface SignInProps {
  workspaceId: string;
  provider: Provider;
  onClose: () => void;
  onDone: () => void;
}

export function SignInDialog({ workspaceId, provider, onClose, onDone }: SignInProps) {
  const path = { workspaceId, provider };
  const name = providerNames[provider];
  const {
    data: begun,
    error,
    refetch,
  } = useQuery({
    queryKey: ["sign-in", workspaceId, provider],
    queryFn: () => service.request("POST /api/organizations/{workspaceId}/credentials/login/{provider}", { path }),
    // One dialog is one sign-in.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [isOver, setIsOver] = useState(false);
  const complete = async (code?: string) => {
    if (!begun) return null;
    const body = { loginToken: begun.loginToken, ...(code === undefined ? {} : { code }) };
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

  return (
    <Dialog title={`Sign in at ${name}`} isOpen onClose={onClose}>
      <div className="mt-2 space-y-4">
        <p className="text-quiet">
          The account that signs in pays for this workspace. It replaces what is connected at {name} now.
        </p>
        {error && (
          <Refusal error={error}>
            <Button onClick={restart}>Try again</Button>
          </Refusal>
        )}
        {isOver ? (
          <div role="alert" className="rounded-block bg-amber-tint px-4 py-3 text-amber-ink">
            <p>The sign-in was denied or is over.</p>
            <Button className="mt-2" onClick={restart}>
              Begin again
            </Button>
          </div>
        ) : (
          begun &&
          ("url" in begun ? (
            <BrowserSteps begun={begun} name={name} onCode={complete} />
          ) : (
            <DeviceSteps key={begun.loginToken} begun={begun} name={name} onAsk={complete} onRestart={restart} />
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
  begun: Schemas["BrowserSignIn"];
  name: string;
  onCode: (code: string) => Promise<Answer>;
}

function BrowserSteps({ begun, name, onCode }: BrowserStepsProps) {
  const [code, setCode] = useState("");
  const { act, error, isBusy } = useAct();
  const send = (event: FormEvent) => {
    event.preventDefault();
    act(() => onCode(code.trim()));
  };
  return (
    <form onSubmit={send} className="space-y-4">
      <OpenLink href={begun.url} name={name} />
      <Field label="The code that it shows" hint="The whole address of the page that it ends on works, too.">
        <TextInput
          value={code}
          onChange={({ target }) => setCode(target.value)}
          autoComplete="off"
          spellCheck={false}
          required
        />
      </Field>
      {error !== null && <Refusal error={error} />}
      <Button type="submit" kind="main" disabled={isBusy || code.trim() === ""}>
        {isBusy ? "Connecting…" : "Connect"}
      </Button>
    </form>
  );
}

interface DeviceStepsProps {
  begun: Schemas["DeviceSignIn"];
  name: string;
  onAsk: () => Promise<Answer>;
  onRestart: () => void;
}

function DeviceSteps({ begun, name, onAsk, onRestart }: DeviceStepsProps) {
  const [error, setError] = useState<unknown>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it asks until the end.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const ask = async () => {
      const answer = await onAsk().catch((refusal: unknown) => {
        setError(refusal);
        return null;
      });
      if (isOver || answer === null || answer.authenticated || answer.restart) return;
      timer = setTimeout(ask, (answer.intervalSeconds ?? begun.intervalSeconds) * 1_000);
    };
    timer = setTimeout(ask, begun.intervalSeconds * 1_000);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  return (
    <>
      <p>Open the page, and type this code there:</p>
      <div className="flex flex-wrap items-center gap-2">
        <code className="rounded-control bg-sunk px-3 py-2 font-bold font-mono text-title">{begun.userCode}</code>
        <CopyButton text={begun.userCode} />
        <OpenLink href={begun.verificationUrl} name={name} />
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
