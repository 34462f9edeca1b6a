// Variables whose values no sandbox contains. Admins set and delete them; a value is never shown.

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Field, fieldClass, Select, TextInput } from "../ui/field.tsx";
import { clearSent, useKeptText } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { Ago } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import { useIsAdmin } from "./current.ts";
import { deleteSecret, putSecret, secretsQuery } from "./network-calls.ts";
import { findSecretMistake, readHosts } from "./network-form.ts";

const places = [
  ["header", "In any header"],
  ["basic", "In basic authorization"],
  ["query", "In the query"],
] as const;
type Place = (typeof places)[number][0];

const empty = { name: "", value: "", hosts: "", as: "header" as Place };

type EditedSecret = typeof empty & { isReplaced: boolean };

export function NetworkSecrets({ projectId }: { projectId: string }) {
  const { data: secrets, error } = useQuery(secretsQuery(projectId));
  const isAdmin = useIsAdmin();
  const [kept, keep] = useKeptText(`network-secret:${projectId}`, true);
  const edited: EditedSecret | null = kept === "" ? null : JSON.parse(kept);
  const setEdited = (next: EditedSecret | null) => keep(next === null ? "" : JSON.stringify(next));
  const [deleting, setDeleting] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);

  async function act(doIt: () => Promise<void>): Promise<void> {
    setRefusal(null);
    setIsBusy(true);
    await doIt().catch(setRefusal);
    setIsBusy(false);
  }

  function save(event: FormEvent): void {
    event.preventDefault();
    if (edited === null) return;
    const { name, value, hosts, as } = edited;
    act(async () => {
      await putSecret(projectId, name.trim(), { value, onlyTo: readHosts(hosts), as });
      keep(clearSent(kept));
    });
  }

  return (
    <Section
      title="Network secrets"
      text="Variables whose values no sandbox contains. Sandboxes get a placeholder. In HTTPS requests to the named hosts, the value replaces it."
    >
      {error && <Refusal error={error} />}
      {secrets?.length === 0 && <p className="text-quiet">There are no network secrets.</p>}
      <ul className="divide-y divide-line">
        {secrets?.map(({ name, onlyTo, as, placeholder, updatedAt }) => (
          <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
            <span className="min-w-0 flex-1 basis-60">
              <Name className="block font-medium font-mono text-code [overflow-wrap:anywhere]">{name}</Name>
              <span className="block text-meta text-quiet [overflow-wrap:anywhere]">
                {places.find(([place]) => place === as)?.[1]} to <Name>{onlyTo.join(", ")}</Name>, set{" "}
                <Ago at={updatedAt} />
              </span>
              <Name className="block truncate font-mono text-meta text-quiet" title="What sandboxes contain">
                {placeholder}
              </Name>
            </span>
            {isAdmin && (
              <span className="flex flex-wrap">
                <Button
                  kind="bare"
                  onClick={() => setEdited({ name, value: "", hosts: onlyTo.join("\n"), as, isReplaced: true })}
                >
                  Replace<span className="sr-only"> {name}</span>
                </Button>
                <Button kind="bare" disabled={isBusy} onClick={() => setDeleting(name)}>
                  Delete<span className="sr-only"> {name}</span>
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {isAdmin === false && <p className="mt-4 text-quiet">Only owners and admins set and delete network secrets.</p>}
      {isAdmin && edited === null && (
        <Button className="mt-4" onClick={() => setEdited({ ...empty, isReplaced: false })}>
          Add a secret
        </Button>
      )}
      {edited && (
        <SecretFields
          edited={edited}
          isBusy={isBusy}
          onChange={(changed) => setEdited({ ...edited, ...changed })}
          onSave={save}
          onClose={() => {
            setEdited(null);
            setRefusal(null);
          }}
        />
      )}
      {refusal !== null && (
        <div className="mt-4">
          <Refusal error={refusal} />
        </div>
      )}
      <Confirm
        isOpen={deleting !== null}
        title={`Delete “${deleting}”?`}
        word="Delete"
        kind="danger"
        onConfirm={() => {
          const name = deleting;
          setDeleting(null);
          if (name !== null) act(() => deleteSecret(projectId, name));
        }}
        onClose={() => setDeleting(null)}
      >
        Requests of running sandboxes have the placeholder from then on, and are refused by the host.
      </Confirm>
    </Section>
  );
}

interface SecretFieldsProps {
  edited: EditedSecret;
  isBusy: boolean;
  onChange: (changed: Partial<typeof empty>) => void;
  onSave: (event: FormEvent) => void;
  onClose: () => void;
}

function SecretFields({ edited, isBusy, onChange, onSave, onClose }: SecretFieldsProps) {
  const { name, value, hosts, as, isReplaced } = edited;
  const mistake = findSecretMistake({ name: name.trim(), value, onlyTo: readHosts(hosts) });
  const code = { autoCapitalize: "none", autoComplete: "off", spellCheck: false } as const;
  return (
    <form onSubmit={onSave} aria-label="Network secret" className="mt-4 space-y-4 rounded-block border border-line p-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name of the secret">
          <TextInput
            value={name}
            readOnly={isReplaced}
            placeholder="OPENAI_API_KEY"
            onChange={({ target }) => onChange({ name: target.value })}
            className="font-mono read-only:bg-sunk"
            {...code}
          />
        </Field>
        <Field label="Where requests contain it">
          <Select className="w-full" value={as} onChange={({ target }) => onChange({ as: target.value as Place })}>
            {places.map(([place, word]) => (
              <option key={place} value={place}>
                {word}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <Field label="Value" hint={isReplaced ? "The earlier value is not shown. Send it, or a new one." : undefined}>
        <TextInput
          type="password"
          value={value}
          onChange={({ target }) => onChange({ value: target.value })}
          className="font-mono"
          {...code}
          autoComplete="new-password"
        />
      </Field>
      <Field label="Only to these hosts" hint="Whole names such as api.example.com, one per line.">
        <textarea
          value={hosts}
          rows={2}
          onChange={({ target }) => onChange({ hosts: target.value })}
          className={`${fieldClass} field-sizing-content max-h-60 resize-none py-2 font-mono text-code!`}
          {...code}
        />
      </Field>
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" kind="main" disabled={isBusy || mistake !== null}>
          {isBusy ? "Saving…" : "Save the secret"}
        </Button>
        <Button kind="bare" onClick={onClose}>
          Cancel
        </Button>
        {mistake !== null && (name !== "" || value !== "") && <span className="text-meta text-quiet">{mistake}</span>}
      </div>
    </form>
  );
}
