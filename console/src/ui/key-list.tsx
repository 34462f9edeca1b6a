// A list of keys: made by a name, shown once, and revoked.

import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { Confirm } from "./confirm.tsx";
import { fieldClass } from "./field.tsx";
import { clearSent, useKeptText } from "./kept-text.ts";
import { Refusal } from "./refusal.tsx";
import { ShownOnce } from "./shown-once.tsx";
import { Ago } from "./time.tsx";
import { useAct } from "./use-act.ts";
import { Name } from "./visible-text.tsx";

interface ListedKey {
  id: string;
  name: string;
  lastFour: string;
  createdAt: string;
}

interface KeyListProps<Key extends ListedKey> {
  /** The name under which the browser keeps what is typed. */
  keptAs: string;
  keys: readonly Key[] | undefined;
  /** Why they were not read; null if they were. */
  error: unknown;
  /** The sentence of an empty list. */
  empty: string;
  /** What follows when a key is revoked. */
  warning: string;
  /** More fields of the form. */
  fields?: ReactNode;
  /** More facts about a key. */
  describe?: (key: Key) => ReactNode;
  onMake: (name: string) => Promise<{ id: string; key: string }>;
  onRevoke: (id: string) => Promise<unknown>;
}

export function KeyList<Key extends ListedKey>(props: KeyListProps<Key>) {
  const { keptAs, keys, error, empty, warning, fields, describe, onMake, onRevoke } = props;
  const [name, setName] = useKeptText(keptAs);
  const [made, setMade] = useState<{ id: string; key: string } | null>(null);
  const [revoking, setRevoking] = useState<{ id: string; name: string } | null>(null);
  const { act, error: refusal, isBusy } = useAct();

  function make(event: FormEvent): void {
    event.preventDefault();
    act(async () => {
      const { id, key } = await onMake(name.trim());
      setMade({ id, key });
      setName(clearSent(name));
    });
  }

  function revoke({ id }: { id: string }): void {
    setRevoking(null);
    act(async () => {
      await onRevoke(id);
      if (made?.id === id) setMade(null);
    });
  }

  return (
    <>
      <form onSubmit={make} className="flex flex-wrap gap-2">
        <input
          value={name}
          onChange={({ target }) => setName(target.value)}
          aria-label="Name of the key"
          placeholder="Name of the key"
          autoComplete="off"
          dir="auto"
          required
          className={`${fieldClass} min-w-48 flex-1`}
        />
        {fields}
        <Button type="submit" disabled={isBusy || name.trim() === ""}>
          Make a key
        </Button>
      </form>
      {made && <ShownOnce noun="key" text={made.key} onDone={() => setMade(null)} />}
      {[error, refusal].map(
        (one, index) =>
          one !== null && (
            // biome-ignore lint/suspicious/noArrayIndexKey: there are always these two.
            <div key={index} className="mt-4">
              <Refusal error={one} />
            </div>
          ),
      )}
      {keys?.length === 0 && <p className="mt-4 text-quiet">{empty}</p>}
      <ul className="mt-4 divide-y divide-line">
        {keys?.map((key) => (
          <li key={key.id} className="flex items-center gap-3 py-2">
            <span className="min-w-0 flex-1">
              <Name className="block truncate font-medium" title={key.name}>
                {key.name}
              </Name>
              <span className="flex flex-wrap gap-x-2 text-meta text-quiet">
                <span className="font-mono">…{key.lastFour}</span>
                <span>
                  made <Ago at={key.createdAt} />
                </span>
                {describe?.(key)}
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
        {warning}
      </Confirm>
    </>
  );
}
