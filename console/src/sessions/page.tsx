// All sessions, as the address filters them.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { projectsQuery, sessionsQuery } from "../session/queries.ts";
import { useTitle } from "../shell/title.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Filters } from "./filters.tsx";
import { SessionRow } from "./row.tsx";
import { readSessionsSearch, rowsPerPage, toSessionFilter } from "./search.ts";

export function SessionsPage() {
  useTitle("Sessions");
  const search = useSearch({ from: "/sessions" });
  const navigate = useNavigate({ from: "/sessions" });
  const { data: sessions, error, refetch, isPlaceholderData } = useQuery(sessionsQuery(toSessionFilter(search)));
  const { data: projects = [] } = useQuery(projectsQuery);
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  const { page = 1, ...filters } = search;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <main className="h-full overflow-y-auto">
      <div className="mx-auto max-w-5xl px-4 pt-6 pb-12">
        <h1 className="mb-4 font-bold text-heading">Sessions</h1>
        <Filters search={search} projects={projects} />
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
              <SessionRow
                key={session.id}
                session={session}
                projectName={projects.length > 1 && !search.project ? (names.get(session.projectId) ?? null) : null}
              />
            ))}
          </ul>
        )}
        {sessions?.length === 0 && !isPlaceholderData && (
          <div className="mt-4 rounded-card border border-line border-dashed p-8 text-center">
            <p className="text-quiet">
              {page > 1
                ? "There are no more sessions."
                : isFiltered
                  ? "No session fits."
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
      </div>
    </main>
  );
}
