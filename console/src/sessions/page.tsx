// All sessions, as the address filters them: as a list, or as a board.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { FolderGit2 } from "lucide-react";
import { projectsQuery, sessionsQuery } from "../session/queries.ts";
import { useTitle } from "../shell/title.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Board } from "./board.tsx";
import { Filters } from "./filters.tsx";
import { SessionRow } from "./row.tsx";
import { readSessionsSearch, rowsPerPage, type SessionsSearch, toSessionFilter } from "./search.ts";

export function SessionsPage() {
  useTitle("Sessions");
  const search = useSearch({ from: "/sessions" });
  const { data: projects = [] } = useQuery(projectsQuery);
  const { project, view } = search;
  const areOfSeveral = projects.length > 1 && project === undefined;
  const names = new Map(areOfSeveral ? projects.map(({ id, name }) => [id, name]) : []);
  return (
    <main className="h-full overflow-y-auto">
      <div className="mx-auto max-w-5xl px-4 pt-6 pb-12">
        <div className="mb-4 flex items-center justify-between gap-4">
          <h1 className="font-bold text-heading">Sessions</h1>
          <span className="flex items-center gap-2">
            {/* The rail, which has this link, has no room on a phone. */}
            <Link to="/projects" className={`${buttonClass("bare")} md:hidden`}>
              <FolderGit2 className="size-4" aria-hidden="true" /> Projects
            </Link>
            <ViewChoice search={search} />
          </span>
        </div>
        <Filters search={search} projects={projects} />
        {view === "board" ? (
          <Board search={search} projectNames={names} />
        ) : (
          <List search={search} projectNames={names} />
        )}
      </div>
    </main>
  );
}

function ViewChoice({ search }: { search: SessionsSearch }) {
  return (
    <nav aria-label="How sessions are shown" className="flex shrink-0 rounded-control bg-sunk p-0.5 text-meta">
      {(["list", "board"] as const).map((one) => {
        const isShown = (search.view ?? "list") === one;
        return (
          <Link
            key={one}
            to="/sessions"
            search={readSessionsSearch({ ...search, page: 1, view: one })}
            replace
            aria-current={isShown ? "true" : undefined}
            className={`inline-flex min-h-7 items-center rounded-md px-3 pointer-coarse:min-h-10 ${isShown ? "bg-panel font-medium shadow-xs" : "text-quiet hover:text-ink"}`}
          >
            {one === "list" ? "List" : "Board"}
          </Link>
        );
      })}
    </nav>
  );
}

function List({ search, projectNames }: { search: SessionsSearch; projectNames: ReadonlyMap<string, string> }) {
  const navigate = useNavigate({ from: "/sessions" });
  const { data: sessions, error, refetch, isPlaceholderData } = useQuery(sessionsQuery(toSessionFilter(search)));
  const { page = 1, ...filters } = search;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      {error && (
        <div className="mt-4">
          <Refusal error={error}>
            <Button onClick={() => refetch()}>Try again</Button>
          </Refusal>
        </div>
      )}
      {sessions && sessions.length > 0 && (
        <ul
          aria-busy={isPlaceholderData}
          className={`mt-4 divide-y divide-line overflow-hidden rounded-card border border-line bg-panel ${isPlaceholderData ? "opacity-60" : ""}`}
        >
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} projectName={projectNames.get(session.projectId) ?? null} />
          ))}
        </ul>
      )}
      {sessions?.length === 0 && !isPlaceholderData && (
        <div className="mt-4 rounded-card border border-line border-dashed p-8 text-center">
          <p className="text-quiet">
            {page > 1
              ? "There are no more sessions."
              : isFiltered
                ? "No session matches."
                : "There are no open sessions."}
          </p>
          <div className="mt-3 flex justify-center gap-2">
            {isFiltered && <Button onClick={() => navigate({ search: {} })}>Clear the filters</Button>}
            <Link to="/" hash="new" className={buttonClass("quiet")}>
              New session
            </Link>
          </div>
        </div>
      )}
      {sessions && (page > 1 || sessions.length === rowsPerPage) && (
        <nav aria-label="Pages of the list" className="mt-4 flex items-center justify-center gap-4">
          <Button
            disabled={page === 1}
            onClick={() => navigate({ search: readSessionsSearch({ ...search, page: page - 1 }) })}
          >
            Newer
          </Button>
          <span className="text-quiet tabular-nums">Page {page}</span>
          <Button
            disabled={sessions.length < rowsPerPage}
            onClick={() => navigate({ search: readSessionsSearch({ ...search, page: page + 1 }) })}
          >
            Older
          </Button>
        </nav>
      )}
    </>
  );
}
