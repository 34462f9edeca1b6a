// The triggers of a project as a form, which admins change, and the list of their runs.
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { useIsAdmin, useProject } from "./current.ts";
import { SaveBar } from "./save-bar.tsx";
import { isOutdated, putTriggers, readTriggers, triggersQuery } from "./trigger-calls.ts";
import { TriggerFields } from "./trigger-fields.tsx";
import {
  addWords,
  createTrigger,
  describeTriggers,
  events,
  findTriggerMistake,
  isSameTriggers,
  toEditedTriggers,
  toTriggers,
} from "./trigger-form.ts";
import { TriggerRuns } from "./trigger-runs.tsx";

export function Triggers() {
  const { id } = useProject();
  const isAdmin = useIsAdmin();
  const { data, error, refetch } = useQuery(triggersQuery(id));
  return (
    <>
      {error && !data && (
        <div className="mt-6">
          <Refusal error={error}>
            <Button onClick={() => refetch()}>Try again</Button>
          </Refusal>
        </div>
      )}
      {data && isAdmin !== null && <TriggersForm projectId={id} read={data} isAdmin={isAdmin} />}
      {data && <TriggerRuns projectId={id} triggers={data.triggers} />}
    </>
  );
}

interface TriggersFormProps {
  projectId: string;
  read: Schemas["Triggers"];
  isAdmin: boolean;
}

function TriggersForm({ projectId, read, isAdmin }: TriggersFormProps) {
  const [base, setBase] = useState(read);
  const [edited, setEdited] = useState(() => toEditedTriggers(read.triggers));
  const [theirs, setTheirs] = useState<Schemas["Triggers"] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [state, setState] = useState<"saved" | "saving" | null>(null);
  const shown = isAdmin ? edited : toEditedTriggers(read.triggers);
  const change = (next: typeof edited) => {
    setEdited(next);
    setState(null);
  };
  const fill = (value: Schemas["Triggers"]) => {
    setBase(value);
    setEdited(toEditedTriggers(value.triggers));
    setTheirs(null);
    setError(null);
  };

  async function save(known: Schemas["Triggers"]): Promise<void> {
    setError(null);
    setState("saving");
    try {
      // A trigger that somebody else deleted is made again.
      const ids = new Set(known.triggers.map(({ id }) => id));
      const mine = edited.map((one) => (one.id !== null && !ids.has(one.id) ? { ...one, id: null } : one));
      fill(await putTriggers(projectId, { version: known.version, triggers: toTriggers(mine) }));
      setState("saved");
    } catch (refusal) {
      setState(null);
      if (!isOutdated(refusal)) return setError(refusal);
      await readTriggers(projectId).then(setTheirs, setError);
    }
  }

  return (
    <Section
      title="Triggers"
      text="A trigger sends a message to a session by itself when something happens at the code host. The agent then acts for no member, and the workspace pays."
    >
      {!isAdmin && <p className="mb-4 text-quiet">Only owners and admins set triggers. You see them as they are.</p>}
      {shown.length === 0 && <p className="mb-4 text-quiet">There are no triggers.</p>}
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          save(base);
        }}
      >
        <fieldset disabled={!isAdmin}>
          <legend className="sr-only">All triggers</legend>
          <ul className="space-y-4">
            {shown.map((trigger) => (
              <li key={trigger.key} className="rounded-block border border-line p-4">
                <TriggerFields
                  trigger={trigger}
                  isReadOnly={!isAdmin}
                  onChange={(changed) =>
                    change(edited.map((one) => (one.key === trigger.key ? { ...one, ...changed } : one)))
                  }
                  onDelete={() => change(edited.filter(({ key }) => key !== trigger.key))}
                />
              </li>
            ))}
          </ul>
        </fieldset>
        {isAdmin && (
          <>
            <div className={`flex flex-wrap gap-2 ${shown.length > 0 ? "mt-3" : ""}`}>
              {events.map(([on]) => (
                <Button key={on} onClick={() => change([...edited, createTrigger(crypto.randomUUID(), on)])}>
                  <Plus className="size-4" aria-hidden="true" /> {addWords[on]}
                </Button>
              ))}
            </div>
            <SaveBar
              error={error}
              state={state}
              isChanged={!isSameTriggers(edited, toEditedTriggers(base.triggers))}
              mistake={findTriggerMistake(edited)}
              theirs={theirs && describeTriggers(theirs.triggers)}
              onKeepMine={() => theirs && save(theirs)}
              onTakeTheirs={() => theirs && fill(theirs)}
              onDiscard={() => fill(base)}
            />
          </>
        )}
      </form>
    </Section>
  );
}
