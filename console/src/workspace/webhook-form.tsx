// The fields of a webhook: its address, its name, its events, and whose they are.

import { SwitchyardError } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { projectsQuery } from "../session/queries.ts";
import { Button } from "../ui/button.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { useKeptChanges } from "../ui/kept-changes.ts";
import { Refusal } from "../ui/refusal.tsx";
import { useAct } from "../ui/use-act.ts";
import { Name } from "../ui/visible-text.tsx";
import { CheckBox } from "./check-box.tsx";
import { WebhookEvents } from "./webhook-events.tsx";
import {
  type FieldMistake,
  findFieldMistake,
  toChangedFields,
  type WebhookFields,
  webhookChecks,
} from "./webhook-rules.ts";

interface WebhookFormProps {
  /** The name under which the browser keeps what is typed. */
  keptAs: string;
  workspaceId: string;
  saved: WebhookFields;
  word: string;
  /** Gets all fields, and those that the person changed. */
  onSave: (fields: WebhookFields, changed: Partial<WebhookFields>) => Promise<unknown>;
  onCancel?: () => void;
}

export function WebhookForm({ keptAs, workspaceId, saved, word, onSave, onCancel }: WebhookFormProps) {
  const { changes: typed, change: keep, forget } = useKeptChanges(keptAs, webhookChecks, saved);
  const [isSaved, setIsSaved] = useState(false);
  const { act, error, isBusy, clearError } = useAct();
  const form = useRef<HTMLFormElement>(null);
  const refusalId = useId();
  const mistake = error instanceof SwitchyardError ? findFieldMistake(error.message) : null;
  const { data: projects = [] } = useQuery(projectsQuery);
  const { url, name, events, projects: chosen, includeText } = { ...saved, ...typed };
  const isChanged = Object.keys(typed).length > 0;
  const isWhole = url.trim() !== "" && events.length > 0 && chosen?.length !== 0;
  const change = (changed: Partial<WebhookFields>) => {
    keep(changed);
    setIsSaved(false);
    if (mistake !== null && mistake.field in changed) clearError();
  };
  // The field may be far above the button.
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [error]);
  const refuse = (field: FieldMistake["field"] | null) =>
    error !== null &&
    (mistake?.field ?? null) === field && (
      <Refusal id={refusalId} error={error} reword={(sentence) => mistake?.sentence ?? sentence} />
    );
  const mark = (field: FieldMistake["field"]) =>
    mistake?.field === field ? { "aria-invalid": true, "aria-describedby": refusalId } : {};

  function discard(): void {
    clearError();
    forget();
    onCancel?.();
  }

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    const done = await act(async () => {
      const changed = toChangedFields(typed);
      await onSave({ url, name, events, projects: chosen, includeText, ...changed }, changed);
      forget();
    });
    setIsSaved(done);
  }

  const ofWorkspace = projects.filter(({ orgId }) => orgId === workspaceId);
  return (
    <form ref={form} onSubmit={save} className="space-y-4">
      <Field label="Address" hint="https, on port 443 or 8443, with a public host name.">
        <TextInput
          type="url"
          value={url}
          onChange={({ target }) => change({ url: target.value })}
          placeholder="https://hooks.example.com/switchyard"
          autoComplete="off"
          required
          {...mark("url")}
        />
      </Field>
      {refuse("url")}
      <Field label="Name" hint="For people. It can stay empty.">
        <TextInput
          value={name}
          onChange={({ target }) => change({ name: target.value })}
          maxLength={100}
          autoComplete="off"
          dir="auto"
          {...mark("name")}
        />
      </Field>
      {refuse("name")}
      <WebhookEvents events={events} onChange={(next) => change({ events: next })} />
      {refuse("events")}
      {ofWorkspace.length > 0 && (
        <fieldset>
          <legend className="font-medium">Projects</legend>
          <CheckBox isChecked={chosen === null} onChange={(isAll) => change({ projects: isAll ? null : [] })}>
            All, also those to come
          </CheckBox>
          {chosen !== null && (
            <div className="ml-6 grid max-h-64 gap-x-4 overflow-y-auto sm:grid-cols-2">
              {ofWorkspace.map(({ id, name: project }) => (
                <CheckBox
                  key={id}
                  isChecked={chosen.includes(id)}
                  onChange={(isOn) => change({ projects: isOn ? [...chosen, id] : chosen.filter((one) => one !== id) })}
                >
                  <Name className="truncate">{project}</Name>
                </CheckBox>
              ))}
            </div>
          )}
        </fieldset>
      )}
      {refuse("projects")}
      <CheckBox isChecked={includeText} onChange={(isOn) => change({ includeText: isOn })}>
        Also send titles, questions, answers and errors
      </CheckBox>
      {refuse(null)}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" kind="main" disabled={isBusy || !isChanged || !isWhole}>
          {isBusy ? "Saving…" : word}
        </Button>
        {(onCancel || (isChanged && !isBusy)) && (
          <Button kind="bare" onClick={discard}>
            {onCancel ? "Cancel" : "Discard"}
          </Button>
        )}
        <span role="status" className="text-quiet">
          {isSaved && !isChanged ? "Saved" : ""}
        </span>
      </div>
    </form>
  );
}
