// The page of a project: its name, its parts, and the part that the address names.

import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTitle } from "../shell/title.ts";
import { buttonClass } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { fadedEdge, useHasMore } from "../ui/use-has-more.ts";
import { Name } from "../ui/visible-text.tsx";
import { CurrentProject } from "./current.ts";
import { DeployMark } from "./deploy-mark.tsx";
import { projectQuery } from "./queries.ts";

const parts = [
  ["/p/$project", "Overview"],
  ["/p/$project/deploy", "Deploy"],
  ["/p/$project/preview", "Preview"],
  ["/p/$project/prototypes", "Prototypes"],
  ["/p/$project/network", "Network"],
  ["/p/$project/triggers", "Triggers"],
  ["/p/$project/settings", "Settings"],
] as const;

const tab =
  "inline-flex min-h-9 shrink-0 items-center border-transparent border-b-2 px-3 text-quiet hover:text-ink pointer-coarse:min-h-11";

export function ProjectPage() {
  const { project: projectId } = useParams({ from: "/p/$project" });
  const { data: project, error } = useQuery(projectQuery(projectId));
  useTitle(project?.name ?? null);
  if (error && !project)
    return (
      <main className="mx-auto w-full max-w-3xl p-4">
        <h1 className="mb-3 font-bold text-heading">You cannot open this project</h1>
        <Refusal error={error}>
          <Link to="/projects" className={buttonClass()}>
            To your projects
          </Link>
        </Refusal>
      </main>
    );
  if (!project) return <main aria-busy="true" className="h-full" />;
  return (
    <main className="h-full overflow-y-auto">
      <header className="mx-auto max-w-3xl px-4 pt-6">
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <h1 className="min-w-0 font-bold text-heading [overflow-wrap:anywhere]">
            <Name>{project.name}</Name>
          </h1>
          <DeployMark status={project.deployStatus} />
        </div>
        <Parts projectId={projectId} />
      </header>
      <div className="mx-auto max-w-3xl px-4 pb-12">
        <CurrentProject value={project}>
          <Outlet />
        </CurrentProject>
      </div>
    </main>
  );
}

function Parts({ projectId }: { projectId: string }) {
  const nav = useRef<HTMLElement>(null);
  const hasMore = useHasMore(nav);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  // On a phone, the part that is shown may be beyond the edge.
  useEffect(() => {
    const shown = nav.current?.querySelector(`[href="${CSS.escape(pathname)}"]`);
    shown?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [pathname]);
  return (
    <nav
      ref={nav}
      aria-label="Parts of the project"
      className={`mt-3 flex overflow-x-auto border-line border-b [scrollbar-width:none] ${hasMore ? fadedEdge : ""}`}
    >
      {parts.map(([to, word]) => (
        <Link
          key={to}
          to={to}
          params={{ project: projectId }}
          activeOptions={{ exact: true, includeSearch: false }}
          className={tab}
          activeProps={{ className: "border-accent! font-medium text-ink!" }}
        >
          {word}
        </Link>
      ))}
    </nav>
  );
}
