// What a person sees before there is anything to work on: a workspace to make, a project to add.
import type { Schemas } from "@switchyard/client";
import { Link } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { queryClient, service } from "../api.ts";
import { projectsQuery } from "../session/queries.ts";
import { workspacesQuery } from "../shell/profile.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Field, NamedOptions, Select, TextInput } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";

export function FirstWorkspace() {
  const [name, setName] = useState("");
  return (
    <Step
      title="You are in no workspace yet"
      text="Open the invitation that a colleague has sent you, or make a workspace of your own and invite others later."
      action="Make the workspace"
      isReady={name.trim() !== ""}
      act={async () => {
        await service.request("POST /api/organizations", { body: { name: name.trim() } });
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
  const [repository, setRepository] = useState("");
  const [workspaceId, setWorkspaceId] = useState(workspaces[0]?.id ?? "");
  return (
    <Step
      title="There is no project yet"
      text="A project is a repository that sessions work on. Your account at the code host needs to be connected and allowed to push to it."
      action="Add the project"
      help={
        <Link to="/account" className={buttonClass()}>
          Connect your account
        </Link>
      }
      isReady={/^[^/\s]+\/[^/\s]+$/.test(repository.trim())}
      act={async () => {
        const name = repository.trim().split("/")[1] ?? repository;
        const body = { workspaceId, name, repository: repository.trim() };
        await service.request("POST /api/projects", { body });
        await queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey });
      }}
    >
      <Field label="Repository" hint="As the code host names it, such as acme/departures">
        <TextInput
          value={repository}
          onChange={({ target }) => setRepository(target.value)}
          autoCapitalize="none"
          spellCheck={false}
          required
        />
      </Field>
      {workspaces.length > 1 && (
        <Field label="Workspace">
          <Select className="w-full" value={workspaceId} onChange={({ target }) => setWorkspaceId(target.value)}>
            <NamedOptions items={workspaces} />
          </Select>
        </Field>
      )}
    </Step>
  );
}

interface StepProps {
  title: string;
  text: string;
  action: string;
  isReady: boolean;
  act(): Promise<void>;
  /** The next step where the service refuses. */
  help?: ReactNode;
  children: ReactNode;
}

function Step({ title, text, action, isReady, act, help, children }: StepProps) {
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
      <p className="mt-1 mb-4 text-prose text-quiet">{text}</p>
      <div className="space-y-4">{children}</div>
      {error !== null && (
        <div className="mt-4">
          <Refusal error={error}>{help}</Refusal>
        </div>
      )}
      <Button type="submit" kind="main" className="mt-4" disabled={!isReady || isBusy}>
        {isBusy ? "One moment…" : action}
      </Button>
    </form>
  );
}
