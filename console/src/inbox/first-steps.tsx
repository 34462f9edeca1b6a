// What a person sees before there is anything to work on: a workspace to make, a project to add.
import type { Schemas } from "@switchyard/client";
import { type FormEvent, type ReactNode, useState } from "react";
import { queryClient, service } from "../api.ts";
import { AddProject } from "../project/add-project.tsx";
import { workspacesQuery } from "../shell/profile.ts";
import { Button } from "../ui/button.tsx";
import { Field, TextInput } from "../ui/field.tsx";
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
  return (
    <section aria-label="The first project" className="rounded-card border border-line bg-panel p-6 max-sm:p-4">
      <h2 className="font-bold text-title">There is no project yet</h2>
      {/* Once it is added, the inbox shows the new session's field. */}
      <AddProject workspaces={workspaces} onAdded={() => {}} />
    </section>
  );
}

interface StepProps {
  title: string;
  text: string;
  action: string;
  isReady: boolean;
  act(): Promise<void>;
  children: ReactNode;
}

function Step({ title, text, action, isReady, act, children }: StepProps) {
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
          <Refusal error={error} />
        </div>
      )}
      <Button type="submit" kind="main" className="mt-4" disabled={!isReady || isBusy}>
        {isBusy ? "One moment…" : action}
      </Button>
    </form>
  );
}
