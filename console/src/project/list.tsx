// All projects of the person, by workspace, and the way to add one.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { GitBranch, Plus } from "lucide-react";
import { projectsQuery } from "../session/queries.ts";
import { workspacesQuery } from "../shell/profile.ts";
import { useTitle } from "../shell/title.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Name } from "../ui/visible-text.tsx";
import { AddProject } from "./add-project.tsx";
import { DeployMark } from "./deploy-mark.tsx";
import type { Project } from "./queries.ts";

export function ProjectsPage() {
  useTitle("Projects");
  const { add = false } = useSearch({ from: "/projects" });
  const navigate = useNavigate({ from: "/projects" });
  const { data: projects, error, refetch } = useQuery(projectsQuery);
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const groups = workspaces
    .map(({ id, name }) => ({ id, name, ofWorkspace: projects?.filter(({ orgId }) => orgId === id) ?? [] }))
    .filter(({ ofWorkspace }) => ofWorkspace.length > 0);
  return (
    <main className="h-full overflow-y-auto">
      <div className="mx-auto max-w-3xl px-4 pt-6 pb-12">
        <div className="mb-4 flex min-h-9 flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <h1 className="font-bold text-heading">Projects</h1>
          {workspaces.length > 0 && (
            <Button kind="main" onClick={() => navigate({ search: { add: true } })}>
              <Plus className="size-4" aria-hidden="true" /> Add a project
            </Button>
          )}
        </div>
        {error && (
          <Refusal error={error}>
            <Button onClick={() => refetch()}>Try again</Button>
          </Refusal>
        )}
        {projects?.length === 0 && (
          <p className="rounded-card border border-line border-dashed p-8 text-center text-quiet">
            {workspaces.length === 0
              ? "You are not in a workspace yet. Open an invitation, or create a workspace in your inbox."
              : "There is no project yet. A project is a repository that sessions work on."}
          </p>
        )}
        {groups.map(({ id, name, ofWorkspace }) => (
          <section key={id} aria-label={name} className="mt-6 first-of-type:mt-0">
            <h2 className="truncate px-1 font-bold text-meta text-quiet">
              <Name>{name}</Name> <span className="font-normal tabular-nums">{ofWorkspace.length}</span>
            </h2>
            <ul className="mt-2 divide-y divide-line overflow-hidden rounded-card border border-line bg-panel">
              {ofWorkspace.map((project) => (
                <Row key={project.id} project={project} />
              ))}
            </ul>
          </section>
        ))}
      </div>
      <Dialog title="Add a project" isOpen={add} onClose={() => navigate({ search: {}, replace: true })}>
        <AddProject
          workspaces={workspaces}
          onAdded={({ id }) => navigate({ to: "/p/$project", params: { project: id }, replace: true })}
        />
      </Dialog>
    </main>
  );
}

function Row({ project: { id, name, repository, targetBranch, deployStatus } }: { project: Project }) {
  return (
    <li>
      <Link
        to="/p/$project"
        params={{ project: id }}
        data-row
        className="flex min-h-14 items-center gap-3 px-4 py-2 -outline-offset-2! hover:bg-sunk"
      >
        <span className="min-w-0 flex-1">
          <Name className="block truncate font-medium" title={name}>
            {name}
          </Name>
          <span className="flex min-w-0 flex-wrap gap-x-3 text-meta text-quiet">
            <Name className="min-w-0 truncate font-mono">{repository}</Name>
            <span className="inline-flex min-w-0 items-center gap-1">
              <GitBranch className="size-3.5 shrink-0" aria-hidden="true" />
              <Name className="truncate font-mono">{targetBranch}</Name>
            </span>
          </span>
        </span>
        <span className="shrink-0 text-meta">
          <DeployMark status={deployStatus} />
        </span>
      </Link>
    </li>
  );
}
