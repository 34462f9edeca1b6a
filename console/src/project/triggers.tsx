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
import { saveTriggers, triggersQuery } from "./trigger-calls.ts";
import { TriggerFields } from "./trigger-fields.tsx";
import {
  addWords,
  createTrigger,
  describeTriggers,
  events,
  findTriggerMistake,
  toEditedTriggers,
  toTriggers,
} from "./trigger-form.ts";
import { TriggerRuns } from "./trigger-runs.tsx";
import { TriggerTry } from "./trigger-try.tsx";
import { useSection } from "./use-section.ts";

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
      {data && data.triggers.length > 0 && <TriggerTry triggers={data.triggers} />}
      {data && <TriggerRuns projectId={id} triggers={data.triggers} />}
    </>
  );
}

const toForm = ({ triggers }: Schemas["Triggers"]) => toEditedTriggers(triggers);

interface TriggersFormProps {
  projectId: string;
  read: Schemas["Triggers"];
  isAdmin: boolean;
}

function TriggersForm({ projectId, read, isAdmin }: TriggersFormProps) {
  const edited = useSection({
    keptAs: `triggers:${projectId}`,
    ...{ saved: read, toForm, toValue: toTriggers },
    write: (mine, known) => saveTriggers(projectId, { mine, known }),
  });
  const { form, change } = edited;
  const [added, setAdded] = useState<string | null>(null);
  const shown = isAdmin ? form : toForm(read);

  return (
    <Section
      title="Triggers"
      text="A trigger sends a message to a session by itself when something happens at the code host. The agent then acts for no member, and the workspace pays."
    >
      {!isAdmin && <p className="mb-4 text-quiet">Only owners and admins set triggers.</p>}
      {shown.length === 0 && <p className="mb-4 text-quiet">There are no triggers.</p>}
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          edited.save();
        }}
      >
        <fieldset disabled={!isAdmin}>
          <legend className="sr-only">All triggers</legend>
          <ul className="space-y-4">
            {shown.map((trigger) => (
              <li key={trigger.key} className="rounded-block border border-line p-4">
                <TriggerFields
                  trigger={trigger}
                  isAdded={trigger.key === added}
                  isReadOnly={!isAdmin}
                  onChange={(changed) =>
                    change(form.map((one) => (one.key === trigger.key ? { ...one, ...changed } : one)))
                  }
                  onDelete={() => change(form.filter(({ key }) => key !== trigger.key))}
                />
              </li>
            ))}
          </ul>
        </fieldset>
        {isAdmin && (
          <>
            <div className={`flex flex-wrap gap-2 ${shown.length > 0 ? "mt-3" : ""}`}>
              {events.map(([on]) => (
                <Button
                  key={on}
                  onClick={() => {
                    const key = crypto.randomUUID();
                    setAdded(key);
                    change([...form, createTrigger(key, on)]);
                  }}
                >
                  <Plus className="size-4" aria-hidden="true" /> {addWords[on]}
                </Button>
              ))}
            </div>
            <SaveBar
              edited={edited}
              mistake={findTriggerMistake(form)}
              describe={({ triggers }) => describeTriggers(triggers)}
            />
          </>
        )}
      </form>
    </Section>
  );
}
