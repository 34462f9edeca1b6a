// The page of a new cron.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useRef } from "react";
import { service } from "../api.ts";
import { workspacesQuery } from "../shell/profile.ts";
import { useTitle } from "../shell/title.ts";
import { Field, NamedOptions, Select } from "../ui/field.tsx";
import { useKeptChanges } from "../ui/kept-changes.ts";
import { CronForm } from "./cron-form.tsx";
import { type CronFields, cronChecks, emptyFields } from "./draft.ts";
import { takeCron } from "./live.ts";
import { workspaceProjectsQuery } from "./queries.ts";

export function NewCronPage() {
  useTitle("New cron");
  const { workspace: wanted } = useSearch({ from: "/crons/new" });
  const navigate = useNavigate();
  const { data: workspaces } = useQuery(workspacesQuery);
  const open = (workspaces ?? []).filter(({ suspendedAt }) => suspendedAt === null);
  const workspaceId = (open.find(({ id }) => id === wanted) ?? open[0])?.id ?? "";
  const { data: projects } = useQuery(workspaceProjectsQuery(workspaceId));
  const [only, ...others] = projects ?? [];
  const saved = { ...emptyFields, projectIds: only && others.length === 0 ? [only.id] : [] };
  const typed = useKeptChanges("new-cron", cronChecks, saved);
  const sent = useRef({ body: "", key: "" });

  async function create({ projectIds, ...fields }: CronFields): Promise<void> {
    const body = { ...fields, projectIds: [...projectIds] };
    // The same cron that is sent again after a lost answer is made once.
    const text = workspaceId + JSON.stringify(body);
    if (sent.current.body !== text) sent.current = { body: text, key: crypto.randomUUID() };
    const path = { workspaceId };
    const idempotencyKey = sent.current.key;
    const cron = await service.request("POST /api/organizations/{workspaceId}/crons", { path, body, idempotencyKey });
    takeCron(workspaceId, cron);
    await navigate({ to: "/crons/$cron", params: { cron: cron.id }, search: { workspace: workspaceId } });
  }

  return (
    <main className="h-full overflow-y-auto">
      <div className="mx-auto max-w-3xl px-4 pt-6 pb-12">
        <Link to="/crons" className="text-meta text-quiet hover:text-ink">
          Crons
        </Link>
        <h1 className="font-bold text-heading">New cron</h1>
        {workspaces && open.length === 0 && (
          <p className="mt-4 text-quiet">You are not in a workspace yet. Create one in your inbox first.</p>
        )}
        {workspaceId !== "" && (
          <div className="mt-4 rounded-card border border-line bg-panel p-6 max-sm:p-4">
            {open.length > 1 && (
              <div className="mb-5">
                <Field label="Workspace">
                  <Select
                    className="max-w-full"
                    value={workspaceId}
                    onChange={({ target }) => {
                      // The projects are of the workspace; all else that was typed stays.
                      typed.change({ projectIds: undefined });
                      navigate({ to: "/crons/new", search: { workspace: target.value }, replace: true });
                    }}
                  >
                    <NamedOptions items={open} />
                  </Select>
                </Field>
              </div>
            )}
            <CronForm
              workspaceId={workspaceId}
              saved={saved}
              typed={typed}
              word="Create cron"
              onSave={create}
              onCancel={() => navigate({ to: "/crons" })}
            />
          </div>
        )}
      </div>
    </main>
  );
}
