// The fields of a trigger that another program calls: the paths into its body, and its key.
import { useState } from "react";
import { service } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { ShownOnce } from "../ui/shown-once.tsx";
import { useAct } from "../ui/use-act.ts";
import { useProject } from "./current.ts";
import type { EditedTrigger } from "./trigger-form.ts";
import { Patterns } from "./trigger-patterns.tsx";

interface HttpFieldsProps {
  trigger: EditedTrigger;
  isReadOnly: boolean;
  onChange: (changed: Partial<EditedTrigger>) => void;
}

export function HttpFields({ trigger, isReadOnly, onChange }: HttpFieldsProps) {
  const { id, place, cause, conditions = "" } = trigger;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Place" hint="The path in the body to the id that has one session, such as incident.id.">
          <TextInput
            value={place}
            spellCheck={false}
            autoCapitalize="none"
            onChange={({ target }) => onChange({ place: target.value })}
          />
        </Field>
        <Field label="Cause" hint="The path in the body to the id that counts once, such as event.id.">
          <TextInput
            value={cause}
            spellCheck={false}
            autoCapitalize="none"
            onChange={({ target }) => onChange({ cause: target.value })}
          />
        </Field>
      </div>
      <Patterns
        label="Conditions"
        hint="On the body, one per line, such as: alert.status is firing. Tests: is, in, has, exists. All must hold."
        text={conditions}
        onChange={(text) => onChange({ conditions: text })}
      />
      {!isReadOnly &&
        (id === null ? (
          <p className="text-meta text-quiet">Save it first, then make its key and its secret.</p>
        ) : (
          <Key triggerId={id} />
        ))}
    </>
  );
}

function Key({ triggerId }: { triggerId: string }) {
  const { id: projectId } = useProject();
  const { act, error, isBusy } = useAct();
  const [made, setMade] = useState<{ key: string; secret: string } | null>(null);
  return (
    <div>
      <p className="mb-2 text-meta text-quiet">
        A program calls{" "}
        <code className="font-mono [overflow-wrap:anywhere]">
          POST {`${location.origin}/api/triggers/${triggerId}`}
        </code>{" "}
        with the key, or signs by Standard Webhooks with the secret. New ones end those before.
      </p>
      <Button
        disabled={isBusy}
        onClick={() =>
          act(async () => {
            const path = { projectId, triggerId };
            setMade(await service.request("POST /api/projects/{projectId}/triggers/{triggerId}/key", { path }));
          })
        }
      >
        Make a key and a secret
      </Button>
      {made !== null && <ShownOnce noun="key" text={made.key} onDone={() => setMade(null)} />}
      {made !== null && <ShownOnce noun="secret" text={made.secret} onDone={() => setMade(null)} />}
      {error !== null && (
        <div className="mt-2">
          <Refusal error={error} />
        </div>
      )}
    </div>
  );
}
