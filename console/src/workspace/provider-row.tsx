// The credential of a workspace at one provider: connected by a key or a sign-in, and removed.
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { queryClient, service } from "../api.ts";
import { findKeyHint, type Provider, providerNames } from "../composer/models.ts";
import { modelsQuery } from "../composer/queries.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { TextInput } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Ago } from "../ui/time.tsx";
import { useAct } from "../ui/use-act.ts";
import { describeCredential, hasSignIn } from "./access-words.ts";
import { credentialsQuery } from "./queries.ts";
import { SignInDialog } from "./sign-in-dialog.tsx";

interface ProviderRowProps {
  workspaceId: string;
  provider: Provider;
  credential: Schemas["WorkspaceCredential"] | null;
}

export function ProviderRow({ workspaceId, provider, credential }: ProviderRowProps) {
  const [open, setOpen] = useState<"key" | "sign-in" | "removal" | null>(null);
  const [key, setKey] = useState("");
  const { act, error, isBusy } = useAct();
  const { data: models = [] } = useQuery(modelsQuery);
  const name = providerNames[provider];
  const path = { workspaceId, provider };
  const refresh = async () => {
    queryClient.invalidateQueries({ queryKey: ["access"] });
    await queryClient.invalidateQueries({ queryKey: credentialsQuery(workspaceId).queryKey });
  };

  function saveKey(event: FormEvent): void {
    event.preventDefault();
    act(async () => {
      const body = { apiKey: key.trim() };
      await service.request("PUT /api/organizations/{workspaceId}/credentials/{provider}", { path, body });
      setKey("");
      setOpen((now) => (now === "key" ? null : now));
      await refresh();
    });
  }

  function remove(): void {
    setOpen(null);
    act(async () => {
      await service.request("DELETE /api/organizations/{workspaceId}/credentials/{provider}", { path });
      await refresh();
    });
  }

  return (
    <li aria-label={name} className="py-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="flex-1 max-sm:basis-full">
          <span className="block font-medium">{name}</span>
          <span className="block text-meta text-quiet [overflow-wrap:anywhere]">
            {describeCredential(credential)}
            {credential && (
              <>
                {" "}
                · connected <Ago at={credential.authenticatedAt} />
              </>
            )}
          </span>
          {credential?.needsReauth && (
            <span className="block text-amber-ink text-meta">It stopped working. Connect it again.</span>
          )}
        </span>
        <Button aria-expanded={open === "key"} onClick={() => setOpen(open === "key" ? null : "key")}>
          {credential?.authMethod === "api_key" ? "Replace key" : "Add a key"}
          <span className="sr-only"> of {name}</span>
        </Button>
        {hasSignIn(provider) && (
          <Button onClick={() => setOpen("sign-in")}>
            {credential?.authMethod === "sign_in" ? "Sign in again" : "Sign in"}
            <span className="sr-only"> at {name}</span>
          </Button>
        )}
        {credential && (
          <Button kind="bare" disabled={isBusy} onClick={() => setOpen("removal")}>
            Remove<span className="sr-only"> {name}</span>
          </Button>
        )}
      </div>
      {open === "key" && (
        <form onSubmit={saveKey} className="mt-3 flex flex-wrap gap-2">
          <TextInput
            type="password"
            value={key}
            readOnly={isBusy}
            onChange={({ target }) => setKey(target.value)}
            autoFocus
            aria-label={`API key of ${name}`}
            placeholder={`API key of ${name}`}
            autoComplete="off"
            required
            className="w-auto! min-w-48 flex-1"
          />
          <Button type="submit" kind="main" disabled={isBusy || key.trim() === ""}>
            {isBusy ? "Trying the key…" : "Connect"}
          </Button>
          <Button kind="bare" onClick={() => setOpen(null)}>
            Cancel
          </Button>
          <p className="w-full text-meta text-quiet">
            The service tries the key with one call, and shows it to nobody.
            {credential && " It replaces what is connected now."} {findKeyHint(models, provider)}
          </p>
        </form>
      )}
      {error !== null && (
        <div className="mt-3">
          <Refusal error={error} />
        </div>
      )}
      {open === "sign-in" && (
        <SignInDialog
          workspaceId={workspaceId}
          provider={provider}
          isReplacement={credential !== null}
          onClose={() => setOpen(null)}
          onDone={() => {
            setOpen(null);
            refresh();
          }}
        />
      )}
      <Confirm
        isOpen={open === "removal"}
        title={`Remove the credential of ${name}?`}
        word="Remove"
        kind="danger"
        onConfirm={remove}
        onClose={() => setOpen(null)}
      >
        Turns that use it end at their next model call.
      </Confirm>
    </li>
  );
}
