// The names, the time zone and the default model of a workspace, in one form.
import { SwitchyardError } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { service } from "../api.ts";
import { ModelOptions } from "../composer/model-options.tsx";
import { modelsQuery } from "../composer/queries.ts";
import { Button } from "../ui/button.tsx";
import { Field, Select, TextInput } from "../ui/field.tsx";
import { useKeptChanges } from "../ui/kept-changes.ts";
import { Refusal } from "../ui/refusal.tsx";
import { useAct } from "../ui/use-act.ts";
import { listChanges, listTimezones, type Settings, settingsChecks } from "./general-rules.ts";
import { takeWorkspace, type Workspace } from "./queries.ts";

export function GeneralForm({ workspace, isReadOnly }: { workspace: Workspace; isReadOnly: boolean }) {
  const {
    changes: typed,
    change: keep,
    forget,
  } = useKeptChanges<Settings>(`workspace:${workspace.id}`, settingsChecks, workspace);
  const [isSaved, setIsSaved] = useState(false);
  const { act, error, isBusy, clearError } = useAct();
  const { data: models = [] } = useQuery(modelsQuery);
  const shown: Settings = { ...workspace, ...typed };
  const { fields, timezone } = listChanges(workspace, typed);
  const isChanged = fields !== null || timezone !== null;
  const change = (changed: Partial<Settings>) => {
    keep(changed);
    setIsSaved(false);
  };
  const takeSlug = (slug: string) => {
    clearError();
    change({ slug });
  };

  function discard(): void {
    clearError();
    forget();
  }

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    const path = { workspaceId: workspace.id };
    // Two calls: what the first one saved stays saved if the second one is refused.
    const done = await act(async () => {
      if (fields !== null)
        takeWorkspace(await service.request("PATCH /api/organizations/{workspaceId}", { path, body: fields }));
      if (timezone !== null)
        takeWorkspace(
          await service.request("PUT /api/organizations/{workspaceId}/timezone", { path, body: { timezone } }),
        );
      forget();
    });
    setIsSaved(done);
  }

  const freeSlug = findFreeSlug(error);
  return (
    <form onSubmit={save}>
      <fieldset disabled={isReadOnly} className="grid gap-4 sm:grid-cols-2">
        <Field label="Name">
          <TextInput
            value={shown.name}
            onChange={({ target }) => change({ name: target.value })}
            maxLength={100}
            autoComplete="off"
            dir="auto"
            required
          />
        </Field>
        <Field label="Short name" hint="Lower-case letters, digits and hyphens. No other workspace has it.">
          <TextInput
            value={shown.slug}
            onChange={({ target }) => change({ slug: target.value })}
            maxLength={40}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            required
          />
        </Field>
        <Field label="Time zone" hint="Crons follow it.">
          <Select
            className="w-full"
            value={shown.timezone}
            onChange={({ target }) => change({ timezone: target.value })}
          >
            {listTimezones(workspace.timezone).map((zone) => (
              <option key={zone} value={zone}>
                {zone.replaceAll("_", " ")}
              </option>
            ))}
          </Select>
        </Field>
        <Field label="Default model" hint="The model of sessions for which nobody chose another one.">
          <Select
            className="w-full"
            value={shown.defaultModel ?? ""}
            onChange={({ target }) => change({ defaultModel: target.value || null })}
          >
            <option value="">The service chooses</option>
            <ModelOptions models={models} chosen={shown.defaultModel} />
          </Select>
        </Field>
      </fieldset>
      {error !== null && (
        <div className="mt-4">
          <Refusal error={error}>
            {freeSlug && <Button onClick={() => takeSlug(freeSlug)}>Use {freeSlug}</Button>}
          </Refusal>
        </div>
      )}
      {!isReadOnly && (
        <div className="mt-4 flex items-center gap-3">
          <Button type="submit" kind="main" disabled={!isChanged || isBusy || shown.name.trim() === ""}>
            {isBusy ? "Saving…" : "Save"}
          </Button>
          {Object.keys(typed).length > 0 && !isBusy && (
            <Button kind="bare" onClick={discard}>
              Discard
            </Button>
          )}
          <span role="status" className="text-quiet">
            {isSaved && !isChanged ? "Saved" : ""}
          </span>
        </div>
      )}
    </form>
  );
}

/** The free name that the refusal of a taken one suggests; null without one. */
function findFreeSlug(error: unknown): string | null {
  if (!(error instanceof SwitchyardError) || error.failure.code !== "CONFLICT") return null;
  const { slug } = (error.failure.details ?? {}) as { slug?: unknown };
  return typeof slug === "string" ? slug : null;
}
