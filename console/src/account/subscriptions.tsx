// The subscriptions of the person: a card for each provider with its logins in their order, and the
// model that new sessions run on.
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { service } from "../api.ts";
import { useTitle } from "../shell/title.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { DefaultModel } from "./default-model.tsx";
import { KeyForm } from "./key-form.tsx";
import { LoginList } from "./login-list.tsx";
import { type Login, loginsMax, providers } from "./logins.ts";
import { refreshSubscriptions, subscriptionsQuery } from "./queries.ts";
import { SignIn } from "./sign-in.tsx";

export function Subscriptions() {
  useTitle("Subscriptions");
  const { data, error, refetch } = useQuery(subscriptionsQuery);
  return (
    <>
      <Section
        title="Default model"
        text="Your sessions run on it where they have no model of their own. Turns run on your own subscriptions first, else on the workspace's credentials."
      >
        {data && <DefaultModel value={data.defaultModel} />}
        {error !== null && (
          <Refusal error={error}>
            <Button onClick={() => refetch()}>Try again</Button>
          </Refusal>
        )}
      </Section>
      {data && providers.map((provider) => <Provider key={provider.id} {...provider} held={data[provider.id]} />)}
    </>
  );
}

type ProviderProps = (typeof providers)[number] & { held: Schemas["Subscription"] | null };

function Provider({ id, name, way, account, held }: ProviderProps) {
  const [replaced, setReplaced] = useState<Login | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);
  const logins = held?.logins ?? [];
  const isFull = logins.length >= loginsMax;

  async function disconnectAll(): Promise<void> {
    setIsAsking(false);
    setRefusal(null);
    await service
      .request("DELETE /api/user/subscriptions/{provider}", { path: { provider: id } })
      .catch((refused: unknown) => setRefusal(refused));
    refreshSubscriptions();
  }

  return (
    <Section
      title={name}
      text={logins.length > 1 ? `${account} The first login that is not at its limit is in use.` : account}
    >
      {logins.length === 0 && <p className="mb-4">Nothing is connected.</p>}
      <LoginList provider={id} logins={logins} onReplace={way === "key" ? setReplaced : null} />
      {way !== "key" ? (
        <SignIn provider={id} name={name} isAnother={logins.length > 0} isOnlyAgain={isFull} />
      ) : isFull && replaced === null ? (
        <p className="text-quiet">{loginsMax} keys are the most. Replace one, or remove one to add another.</p>
      ) : (
        <KeyForm key={replaced?.id} provider={id} name={name} replaced={replaced} onDone={() => setReplaced(null)} />
      )}
      {refusal !== null && (
        <div className="mt-4">
          <Refusal error={refusal} />
        </div>
      )}
      {logins.length > 1 && (
        <Button kind="bare" className="mt-4 -ml-3" onClick={() => setIsAsking(true)}>
          Remove all of {name}
        </Button>
      )}
      <Confirm
        isOpen={isAsking}
        title={`Remove all logins of ${name}?`}
        word="Remove all"
        kind="danger"
        onConfirm={disconnectAll}
        onClose={() => setIsAsking(false)}
      >
        Turns that use them end. Your sessions then use the workspace's credentials.
      </Confirm>
    </Section>
  );
}
