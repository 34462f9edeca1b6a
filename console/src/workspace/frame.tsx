// The frame of a workspace's settings: its name, the list of its parts, and the part beside it. On
// a phone the list is a row of links above the part.

import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { workspacesQuery } from "../shell/profile.ts";
import { chosenPart, PartLinks, partLinkClass } from "../ui/part-links.tsx";
import { isClosed, Refusal } from "../ui/refusal.tsx";
import { RetryOrHome } from "../ui/retry-or-home.tsx";
import { Ago } from "../ui/time.tsx";
import { toVisibleName } from "../ui/visible.ts";
import { Name } from "../ui/visible-text.tsx";
import { Logo } from "./logo.tsx";
import { listParts } from "./parts.ts";
import { type Workspace, workspaceQuery } from "./queries.ts";
import { roleNames } from "./roles.ts";
import { WorkspaceContext } from "./use-workspace.ts";

export function WorkspaceFrame() {
  const { workspace: workspaceId } = useParams({ from: "/w/$workspace" });
  const { data: workspace, error, refetch } = useQuery(workspaceQuery(workspaceId));
  const { data: all, isPending } = useQuery(workspacesQuery);
  const listed = all?.find(({ id }) => id === workspaceId);
  if (listed?.suspendedAt)
    return (
      <Page name={listed.name}>
        <p role="status" className="mt-4 rounded-block bg-amber-tint px-4 py-3 text-amber-ink">
          An operator of the service suspended this workspace <Ago at={listed.suspendedAt} />. Nothing of it was
          deleted. Ask them to end the suspension.
        </p>
      </Page>
    );
  if (!workspace)
    // The list says whether it is suspended.
    return error && !isPending ? (
      <Page name="Workspace">
        <div className="mt-4">
          <Refusal error={error}>
            <RetryOrHome isClosed={isClosed(error)} onRetry={refetch} />
          </Refusal>
        </div>
      </Page>
    ) : (
      <main aria-busy="true" className="h-full" />
    );
  return (
    <WorkspaceContext value={workspace}>
      <Page
        name={workspace.name}
        logo={<Logo workspace={workspace} />}
        line={`${workspace.role ? `${roleNames[workspace.role]} · ` : ""}plan ${workspace.plan}`}
      >
        <div className="mt-4 lg:grid lg:grid-cols-[10rem_minmax(0,1fr)] lg:gap-8">
          <Parts workspace={workspace} />
          <div className="min-w-0 max-w-3xl">
            <Outlet />
          </div>
        </div>
      </Page>
    </WorkspaceContext>
  );
}

interface PageProps {
  name: string;
  logo?: ReactNode;
  line?: string;
  children: ReactNode;
}

const Page = ({ name, logo, line, children }: PageProps) => (
  <main className="h-full overflow-y-auto">
    <div className="mx-auto max-w-5xl px-4 pt-6 pb-12">
      <div className="flex items-center gap-3">
        {logo}
        <div className="min-w-0">
          <h1 className="font-bold text-heading" title={toVisibleName(name)}>
            <Name className="block truncate">{name}</Name>
          </h1>
          {line && <p className="text-quiet">{line}</p>}
        </div>
      </div>
      {children}
    </div>
  </main>
);

const Parts = ({ workspace }: { workspace: Workspace }) => (
  <PartLinks label="Settings of the workspace">
    {listParts(workspace.role).map(({ to, title }) => (
      <li key={to}>
        <Link
          to={to}
          params={{ workspace: workspace.id }}
          activeOptions={{ exact: true, includeSearch: false }}
          className={partLinkClass}
          activeProps={chosenPart}
        >
          {title}
        </Link>
      </li>
    ))}
  </PartLinks>
);
