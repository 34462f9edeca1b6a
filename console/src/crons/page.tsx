// The crons of all workspaces of the person: when they fire, and how their last runs were.

import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { workspacesQuery } from "../shell/profile.ts";
import { useTitle } from "../shell/title.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { toVisibleName } from "../ui/visible.ts";
import { Name } from "../ui/visible-text.tsx";
import { CronRow } from "./cron-row.tsx";
import { cronsQuery } from "./queries.ts";

export function CronsPage() {
  useTitle("Crons");
  const { data: workspaces, error: workspacesError, refetch } = useQuery(workspacesQuery);
  const open = (workspaces ?? []).filter(({ suspendedAt }) => suspendedAt === null);
  const lists = useQueries({ queries: open.map(({ id }) => cronsQuery(id)) });
  const isRead = workspaces !== undefined && lists.every(({ isPending }) => !isPending);
  const isEmpty = isRead && lists.every(({ data }) => data?.length === 0);
  return (
    <main className="h-full overflow-y-auto" aria-busy={!isRead}>
      <div className="mx-auto max-w-3xl px-4 pt-6 pb-12">
        <div className="flex min-h-9 items-center justify-between gap-4">
          <h1 className="font-bold text-heading">Crons</h1>
          {open.length > 0 && (
            <Link to="/crons/new" className={buttonClass("main")}>
              <Plus className="size-4" aria-hidden="true" /> New cron
            </Link>
          )}
        </div>
        <p className="mt-1 text-quiet">
          A cron sends a prompt to projects on a schedule. Its agent reads, and files work.
        </p>
        {workspacesError && (
          <div className="mt-4">
            <Refusal error={workspacesError}>
              <Button onClick={() => refetch()}>Try again</Button>
            </Refusal>
          </div>
        )}
        {workspaces?.length === 0 && (
          <p className="mt-6 rounded-card border border-line border-dashed p-8 text-center text-quiet">
            You are not in a workspace yet. Make one in your{" "}
            <Link to="/" className="text-accent underline underline-offset-2">
              inbox
            </Link>
            , or ask for an invitation.
          </p>
        )}
        {isEmpty && open.length > 0 && (
          <p className="mt-6 rounded-card border border-line border-dashed p-8 text-center text-quiet">
            There are no crons yet. Make one that reads the logs each morning, or files what is out of date.
          </p>
        )}
        {open.map(({ id, name }, at) => {
          const { data: crons, error, refetch: readAgain } = lists[at] ?? {};
          if (!error && (crons === undefined || crons.length === 0)) return null;
          return (
            <section key={id} className="mt-6" aria-label={`Crons of ${toVisibleName(name)}`}>
              {open.length > 1 && (
                <h2 className="mb-2 px-1 font-bold text-meta text-quiet" title={toVisibleName(name)}>
                  <Name className="block truncate">{name}</Name>
                </h2>
              )}
              {error && (
                <Refusal error={error}>
                  <Button onClick={() => readAgain?.()}>Try again</Button>
                </Refusal>
              )}
              {crons && crons.length > 0 && (
                <ul className="divide-y divide-line overflow-hidden rounded-card border border-line bg-panel">
                  {crons.map((cron) => (
                    <CronRow key={cron.id} workspaceId={id} cron={cron} />
                  ))}
                </ul>
              )}
            </section>
          );
        })}
      </div>
    </main>
  );
}
