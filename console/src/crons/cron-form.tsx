// The form of a cron, new or saved. What is typed is kept by the browser until it is saved.
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { providerNames, shortLabel } from "../composer/models.ts";
import { modelsQuery } from "../composer/queries.ts";
import { Button } from "../ui/button.tsx";
import { Field, fieldClass, Select, TextInput } from "../ui/field.tsx";
import type { KeptChanges } from "../ui/kept-changes.ts";
import { Refusal } from "../ui/refusal.tsx";
import { workspaceQuery } from "../workspace/queries.ts";
import {
  type CronChanges,
  type CronFields,
  dropUnknownProjects,
  findMissing,
  fixSchedule,
  listChanged,
} from "./draft.ts";
import { NextFires, useNextFires } from "./next-fires.tsx";
import { ProjectChoice } from "./project-choice.tsx";
import { workspaceProjectsQuery } from "./queries.ts";
import { findScheduleProblem } from "./schedule.ts";
import { ScheduleBuilder } from "./schedule-builder.tsx";

interface CronFormProps {
  workspaceId: string;
  /** What is saved, or what a new cron begins with. */
  saved: CronFields;
  typed: KeptChanges<CronFields>;
  word: string;
  onSave: (fields: CronFields, changes: CronChanges) => Promise<void>;
  onCancel: () => void;
  /** What a person should know before they save. */
  children?: ReactNode;
}

export function CronForm({ workspaceId, saved, typed, word, onSave, onCancel, children }: CronFormProps) {
  const { change, forget } = typed;
  const [error, setError] = useState<unknown>(null);
  const [isSaving, setIsSaving] = useState(false);
  const { data: workspace } = useQuery(workspaceQuery(workspaceId));
  const { data: models = [] } = useQuery(modelsQuery);
  const { data: projects } = useQuery(workspaceProjectsQuery(workspaceId));
  const changes = dropUnknownProjects(typed.changes, projects);
  const fields = { ...saved, ...changes };
  const changed = listChanged(saved, changes);
  const hasOwnProblem = findScheduleProblem(fields.cronExpression) !== null;
  const next = useNextFires(workspaceId, hasOwnProblem ? null : fields.cronExpression);
  const missing = findMissing(fields) ?? (next.problem === null ? null : fixSchedule);
  const defaultModel = models.find(({ value }) => value === workspace?.defaultModel);

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (missing !== null || isSaving) return;
    setError(null);
    setIsSaving(true);
    try {
      await onSave({ ...fields, name: fields.name.trim() }, changed);
      forget();
    } catch (refusal) {
      setError(refusal);
    }
    setIsSaving(false);
  }

  return (
    <form onSubmit={save} className="space-y-5">
      <Field label="Name">
        <TextInput
          autoFocus
          value={fields.name}
          onChange={({ target }) => change({ name: target.value })}
          placeholder="Nightly check of the logs"
          autoComplete="off"
          dir="auto"
          maxLength={100}
          required
        />
      </Field>
      <Field
        label="What the agent should do"
        hint="It reads the project and files sessions. It changes no code itself."
      >
        <textarea
          value={fields.prompt}
          onChange={({ target }) => change({ prompt: target.value })}
          dir="auto"
          rows={4}
          maxLength={200_000}
          required
          placeholder="Read the logs of the services, and file what looks broken."
          className={`${fieldClass} field-sizing-content block max-h-[50dvh] min-h-24 resize-none py-2`}
        />
      </Field>
      <ProjectChoice
        workspaceId={workspaceId}
        chosen={fields.projectIds}
        onChange={(projectIds) => change({ projectIds })}
      />
      <ScheduleBuilder
        expression={fields.cronExpression}
        timezone={workspace?.timezone ?? null}
        onChange={(cronExpression) => change({ cronExpression })}
      />
      {workspace && !hasOwnProblem && <NextFires timeZone={workspace.timezone} next={next} />}
      <Field label="Model">
        <Select
          className="max-w-full"
          value={fields.model ?? ""}
          onChange={({ target }) => change({ model: target.value || null })}
        >
          <option value="">
            {defaultModel ? `The workspace's default: ${shortLabel(defaultModel)}` : "The workspace's default"}
          </option>
          {[...Map.groupBy(models, ({ provider }) => provider)].map(([provider, group]) => (
            <optgroup key={provider} label={providerNames[provider]}>
              {group
                .filter(({ legacy, value }) => !legacy || value === fields.model)
                .map((model) => (
                  <option key={model.value} value={model.value}>
                    {shortLabel(model)}
                  </option>
                ))}
            </optgroup>
          ))}
        </Select>
      </Field>
      {children}
      {error !== null && <Refusal error={error} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" kind="main" disabled={isSaving || missing !== null || Object.keys(changed).length === 0}>
          {isSaving ? "Saving…" : word}
        </Button>
        <Button
          kind="bare"
          disabled={isSaving}
          onClick={() => {
            forget();
            onCancel();
          }}
        >
          Cancel
        </Button>
        <span className="text-meta text-quiet">{missing}</span>
      </div>
    </form>
  );
}
