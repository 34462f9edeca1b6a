// The inbox: what waits for the person, across all their workspaces.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { groupSessions } from "../session/groups.ts";
import { railQuery } from "../shell/rail.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { markOf, StateMark } from "../ui/state-mark.tsx";
import { Ago } from "../ui/time.tsx";

export function InboxPage() {
  const { data: sessions, error } = useQuery(railQuery);
  return (
    <main className="h-full overflow-y-auto">
      <div className="mx-auto max-w-3xl px-4 py-8">
        <h1 className="font-bold text-heading">Inbox</h1>
        {error && <Refusal error={error} />}
        {sessions?.length === 0 && <p className="mt-2 text-quiet">Nothing waits for you.</p>}
        {groupSessions(sessions ?? []).map(([title, group]) => (
          <section key={title} className="mt-6">
            <h2 className="font-bold text-meta text-quiet">{title}</h2>
            <ul className="mt-2 divide-y divide-line rounded-card border border-line bg-panel">
              {group.map((session) => (
                <li key={session.id}>
                  <Link
                    to="/s/$session"
                    params={{ session: session.id }}
                    className="flex min-h-11 items-center gap-3 px-4 hover:bg-sunk"
                  >
                    <StateMark mark={markOf(session.latestChatJob)} />
                    <bdi className="min-w-0 flex-1 truncate font-medium">{session.title}</bdi>
                    <span className="text-meta text-quiet">
                      <Ago at={session.updatedAt} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </main>
  );
}
