// The workspaces of the person, each with the way to its settings, and the form of a new one.

import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import type { FormEvent } from "react";
import { queryClient, service } from "../api.ts";
import { workspacesQuery } from "../shell/profile.ts";
import { Button } from "../ui/button.tsx";
import { TextInput } from "../ui/field.tsx";
import { clearSent, useKeptText } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { useAct } from "../ui/use-act.ts";
import { Name } from "../ui/visible-text.tsx";
import { Logo } from "../workspace/logo.tsx";

export function Workspaces() {
  const { data: workspaces, error } = useQuery(workspacesQuery);
  return (
    <>
      {error && <Refusal error={error} />}
      {workspaces?.length === 0 && (
        <p className="text-quiet">You are not in a workspace. Ask for an invitation to one, or create your own.</p>
      )}
      <ul className="divide-y divide-line">
        {workspaces?.map((workspace) => (
          <li key={workspace.id}>
            <Link
              to="/w/$workspace"
              params={{ workspace: workspace.id }}
              className="flex min-h-11 items-center gap-3 py-2 hover:text-accent"
            >
              <Logo workspace={workspace} size="size-7" />
              <Name className="min-w-0 flex-1 truncate font-medium">{workspace.name}</Name>
              {workspace.suspendedAt !== null && <span className="text-amber-ink text-meta">suspended</span>}
              <ChevronRight className="size-4 shrink-0 text-quiet" aria-hidden="true" />
            </Link>
          </li>
        ))}
      </ul>
      <NewWorkspace />
    </>
  );
}

function NewWorkspace() {
  const [name, setName] = useKeptText("new-workspace");
  const { act, error, isBusy } = useAct();
  const navigate = useNavigate();

  function make(event: FormEvent): void {
    event.preventDefault();
    act(async () => {
      const { id } = await service.request("POST /api/organizations", { body: { name: name.trim() } });
      setName(clearSent(name));
      queryClient.invalidateQueries({ queryKey: workspacesQuery.queryKey });
      await navigate({ to: "/w/$workspace", params: { workspace: id } });
    });
  }

  return (
    <>
      <form onSubmit={make} className="mt-4 flex flex-wrap gap-2">
        <TextInput
          value={name}
          onChange={({ target }) => setName(target.value)}
          aria-label="Name of a new workspace"
          placeholder="Name of a new workspace"
          maxLength={100}
          autoComplete="off"
          dir="auto"
          required
          className="w-auto! min-w-48 flex-1"
        />
        <Button type="submit" disabled={isBusy || name.trim() === ""}>
          Make a workspace
        </Button>
      </form>
      {error !== null && (
        <div className="mt-4">
          <Refusal error={error} />
        </div>
      )}
    </>
  );
}
