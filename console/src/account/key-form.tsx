// Connects a key of the person's own, or puts another one in the place of a login. The service
// tries the key with one call before it keeps it.
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { queryClient, service } from "../api.ts";
import { findKeyHint } from "../composer/models.ts";
import { modelsQuery } from "../composer/queries.ts";
import { Button } from "../ui/button.tsx";
import { fieldClass } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import type { Login, ProviderId } from "./logins.ts";
import { refreshSubscriptions } from "./queries.ts";

interface KeyFormProps {
  provider: ProviderId;
  name: string;
  /** The login whose key is replaced; null to add one. */
  replaced: Login | null;
  onDone: () => void;
}

export function KeyForm({ provider, name, replaced, onDone }: KeyFormProps) {
  const [apiKey, setApiKey] = useState("");
  const [refusal, setRefusal] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const { data: models = [] } = useQuery(modelsQuery);
  const hint = findKeyHint(models, provider);
  const isReplacing = replaced !== null;
  useEffect(() => {
    if (isReplacing) field.current?.focus();
  }, [isReplacing]);

  async function connect(event: FormEvent): Promise<void> {
    event.preventDefault();
    setRefusal(null);
    setIsBusy(true);
    try {
      await service.request("PUT /api/user/subscriptions/{provider}", {
        path: { provider },
        body: { apiKey: apiKey.trim(), ...(replaced ? { loginId: replaced.id } : {}) },
      });
      setApiKey("");
      await refreshSubscriptions();
      if (replaced) queryClient.invalidateQueries({ queryKey: ["login-usage", provider, replaced.id] });
      onDone();
    } catch (refused) {
      setRefusal(refused);
    }
    setIsBusy(false);
  }

  const label = replaced ? `Key in place of …${replaced.label}` : `Key of ${name}`;
  return (
    <form onSubmit={connect}>
      <div className="flex flex-wrap gap-2">
        <input
          ref={field}
          type="password"
          value={apiKey}
          readOnly={isBusy}
          onChange={({ target }) => setApiKey(target.value)}
          aria-label={label}
          placeholder={label}
          autoComplete="off"
          spellCheck={false}
          required
          className={`${fieldClass} min-w-48 flex-1`}
        />
        <Button type="submit" disabled={isBusy || apiKey.trim() === ""}>
          {isBusy ? "Trying the key…" : replaced ? "Replace the key" : "Add the key"}
        </Button>
        {replaced && (
          <Button kind="bare" disabled={isBusy} onClick={onDone}>
            Cancel
          </Button>
        )}
      </div>
      {hint !== null && <p className="mt-2 text-meta text-quiet">{hint}</p>}
      {refusal !== null && (
        <div className="mt-4">
          <Refusal error={refusal} />
        </div>
      )}
    </form>
  );
}
