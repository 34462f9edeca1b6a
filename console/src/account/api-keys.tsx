// The API keys of the person: made, shown once, and revoked.
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { queryClient, service } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { fieldClass, Select } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Ago } from "../ui/time.tsx";
import { apiKeysQuery } from "./queries.ts";

const lifetimes: [days: string, word: string][] = [
  ["", "Does not expire"],
  ["30", "Expires in 30 days"],
  ["90", "Expires in 90 days"],
  ["365", "Expires in a year"],
];
const dayMs = 86_400_000;

export function ApiKeys() {
  const { data: keys, error } = useQuery(apiKeysQuery);
  const [name, setName] = useState("");
  const [days, setDays] = useState("");
  const [made, setMade] = useState<{ id: string; key: string } | null>(null);
  const [revoking, setRevoking] = useState<{ id: string; name: string } | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);

  async function act(doIt: () => Promise<void>): Promise<void> {
    setRefusal(null);
    setIsBusy(true);
    await doIt().catch(setRefusal);
    setIsBusy(false);
    queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
  }

  function make(event: FormEvent): void {
    event.preventDefault();
    act(async () => {
      const expiresAt = days === "" ? null : new Date(Date.now() + Number(days) * dayMs).toISOString();
      const { id, key } = await service.request("POST /api/user/api-keys", { body: { name: name.trim(), expiresAt } });
      setMade({ id, key });
      setName("");
    });
  }

  function revoke({ id }: { id: string }): void {
    setRevoking(null);
    act(async () => {
      await service.request("DELETE /api/user/api-keys/{keyId}", { path: { keyId: id } });
      if (made?.id === id) setMade(null);
    });
  }

  return (
    <>
      <form onSubmit={make} className="flex flex-wrap gap-2">
        <input
          value={name}
          onChange={({ target }) => setName(target.value)}
          aria-label="What the key is called"
          placeholder="What the key is called"
          autoComplete="off"
          dir="auto"
          required
          className={`${fieldClass} min-w-48 flex-1`}
        />
        <Select aria-label="When it stops" value={days} onChange={({ target }) => setDays(target.value)}>
          {lifetimes.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </Select>
        <Button type="submit" disabled={isBusy || name.trim() === ""}>
          Make a key
        </Button>
      </form>
      {made && (
        <div role="status" className="mt-4 rounded-block bg-accent-tint p-4">
          <p className="font-medium">This is the key. Copy it now: nobody can show it again.</p>
          <div className="mt-2 flex flex-wrap items-center gap-2">
            <code className="min-w-0 flex-1 rounded-control bg-panel px-3 py-2 font-mono text-code [overflow-wrap:anywhere]">
              {made.key}
            </code>
            <CopyButton text={made.key} />
            <Button kind="bare" onClick={() => setMade(null)}>
              I have it
            </Button>
          </div>
        </div>
      )}
      {[error, refusal].map(
        (one, index) =>
          one !== null && (
            // biome-ignore lint/suspicious/noArrayIndexKey: there are always these two.
            <div key={index} className="mt-4">
              <Refusal error={one} />
            </div>
          ),
      )}
      {keys?.length === 0 && <p className="mt-4 text-quiet">You have no keys.</p>}
      <ul className="mt-4 divide-y divide-line">
        {keys?.map((key) => (
          <li key={key.id} className="flex items-center gap-3 py-2">
            <span className="min-w-0 flex-1">
              <bdi className="block truncate font-medium" title={key.name}>
                {key.name}
              </bdi>
              <span className="flex flex-wrap gap-x-2 text-meta text-quiet">
                <span className="font-mono">…{key.lastFour}</span>
                <span>
                  made <Ago at={key.createdAt} />
                </span>
                <span>
                  {key.lastUsedAt === null ? (
                    "never used"
                  ) : (
                    <>
                      used <Ago at={key.lastUsedAt} />
                    </>
                  )}
                </span>
                {key.expiresAt !== null && (
                  <span>
                    expires <Ago at={key.expiresAt} />
                  </span>
                )}
              </span>
            </span>
            <Button kind="bare" disabled={isBusy} onClick={() => setRevoking(key)}>
              Revoke<span className="sr-only"> {key.name}</span>
            </Button>
          </li>
        ))}
      </ul>
      <Confirm
        isOpen={revoking !== null}
        title={`Revoke “${revoking?.name}”?`}
        word="Revoke"
        kind="danger"
        onConfirm={() => revoking && revoke(revoking)}
        onClose={() => setRevoking(null)}
      >
        Programs that use this key are refused from then on.
      </Confirm>
    </>
  );
}
