// What a person sees before there is anything to work on: a workspace to make, a project to add, a
// model to connect, a Deploy to start.

import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { queryClient, service } from "../api.ts";
import { ConnectModel } from "../composer/connect-model.tsx";
import { AddProject } from "../project/add-project.tsx";
import { profileQuery, workspacesQuery } from "../shell/profile.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { clearSent, useKeptText } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { Name } from "../ui/visible-text.tsx";

export function FirstWorkspace() {
  const [name, setName] = useKeptText("new-workspace");
  const { data: me } = useQuery(profileQuery);
  // An invitation is accepted on another page, and a person without a workspace has no live stream.
  useQuery({ ...workspacesQuery, refetchOnWindowFocus: "always" });
  return (
    <Step
      title="You are not in a workspace yet"
      text="Open the invitation that a colleague has sent you, or make a workspace of your own and invite others later."
      note={
        me && (
          <>
            You are signed in as <Name>{me.email}</Name>. An invitation must be for this address.
          </>
        )
      }
      action="Make the workspace"
      isReady={name.trim() !== ""}
      act={async () => {
        await service.request("POST /api/organizations", { body: { name: name.trim() } });
        setName(clearSent(name));
        await queryClient.invalidateQueries({ queryKey: workspacesQuery.queryKey });
      }}
    >
      <Field label="What it is called">
        <TextInput value={name} onChange={({ target }) => setName(target.value)} autoComplete="organization" required />
      </Field>
    </Step>
  );
}

export function FirstProject({ workspaces }: { workspaces: Schemas["Workspace"][] }) {
  return (
    <section aria-label="The first project" className="rounded-card border border-line bg-panel p-6 max-sm:p-4">
      <h2 className="font-bold text-title">There is no project yet</h2>
      {/* Once it is added, the inbox shows the new session's field. */}
      <AddProject workspaces={workspaces} onAdded={() => {}} />
    </section>
  );
}

interface ProjectStepProps {
  project: Schemas["Project"];
  /** False if no provider can be run in the project's workspace. */
  hasModel: boolean;
}

/** What a project still needs: a model for its first turn, then its first Deploy. */
export function ProjectStep({ project, hasModel }: ProjectStepProps) {
  if (!hasModel)
    return (
      <section aria-label="The model" className="mb-4 rounded-card border border-line bg-panel p-6 max-sm:p-4">
        <h2 className="font-bold text-title">No model can be run yet</h2>
        <div className="mt-1 flex flex-wrap items-center gap-2">
          <ConnectModel workspaceId={project.orgId} kind="main" />
        </div>
      </section>
    );
  if (project.deployStatus !== "idle") return null;
  return (
    <section aria-label="The first Deploy" className="mb-4 flex flex-wrap items-center gap-2">
      <p className="min-w-0 flex-1 basis-60 text-quiet">
        <Name>{project.name}</Name> is not deployed. A Deploy sets up its services, and sessions then start faster.
      </p>
      <Link to="/p/$project/deploy" params={{ project: project.id }} className={buttonClass()}>
        Deploy it
      </Link>
    </section>
  );
}

interface StepProps {
  title: string;
  text: string;
  note: ReactNode;
  action: string;
  isReady: boolean;
  act(): Promise<void>;
  children: ReactNode;
}

function Step({ title, text, note, action, isReady, act, children }: StepProps) {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setIsBusy(true);
    setError(null);
    await act().catch(setError);
    setIsBusy(false);
  }
  return (
    <form onSubmit={submit} className="rounded-card border border-line bg-panel p-6">
      <h2 className="font-bold text-title">{title}</h2>
      <p className="mt-1 text-prose text-quiet">{text}</p>
      <p className="mt-1 mb-4 text-prose text-quiet [overflow-wrap:anywhere]">{note}</p>
      <div className="space-y-4">{children}</div>
      {error !== null && (
        <div className="mt-4">
          <Refusal error={error} />
        </div>
      )}
      <Button type="submit" kind="main" className="mt-4" disabled={!isReady || isBusy}>
        {isBusy ? "One moment…" : action}
      </Button>
    </form>
  );
}
