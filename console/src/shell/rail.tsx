// The rail: what needs the person, what runs, what is under review, and the rest by recency.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Inbox, Plus } from "lucide-react";
import { groupSessions } from "../session/groups.ts";
import { sessionsQuery } from "../session/queries.ts";
import { markOf, StateMark } from "../ui/state-mark.tsx";
import { profileQuery } from "./profile.ts";

export const railQuery = sessionsQuery({ sort: "updated", status: ["active", "under-review"], pageSize: 50 });

export function Rail() {
  const { data: sessions = [] } = useQuery(railQuery);
  const { data: me } = useQuery(profileQuery);
  return (
    <nav aria-label="Sessions" className="flex w-62 shrink-0 flex-col border-line border-r bg-panel max-md:hidden">
      <div className="flex items-center gap-2 px-4 pt-4 pb-2">
        <svg viewBox="0 0 32 32" className="size-6 fill-none stroke-[3] stroke-accent" aria-hidden="true">
          <path strokeLinecap="round" d="M3 22h26M9 22c7 0 7-12 14-12h6" />
        </svg>
        <Link to="/" className="font-bold text-title">
          Switchyard
        </Link>
      </div>
      <ul className="px-2">
        <li>
          <Link to="/" activeOptions={{ exact: true }} className={item} activeProps={{ className: chosen }}>
            <Inbox className="size-4 text-quiet" aria-hidden="true" /> Inbox
          </Link>
        </li>
        <li>
          <Link to="/" hash="new" className={item}>
            <Plus className="size-4 text-quiet" aria-hidden="true" /> New session
          </Link>
        </li>
      </ul>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
        {groupSessions(sessions).map(([title, group]) => (
          <section key={title} aria-label={title}>
            <h2 className="px-2 pt-4 pb-1 font-bold text-meta text-quiet">
              {title} {title === "Needs you" && <span className="tabular-nums">{group.length}</span>}
            </h2>
            <ul>
              {group.map((session) => (
                <li key={session.id}>
                  <Link
                    to="/s/$session"
                    params={{ session: session.id }}
                    className={item}
                    activeProps={{ className: chosen }}
                    title={session.title}
                  >
                    <StateMark mark={markOf(session.latestChatJob)} hasWord={false} />
                    <bdi className="truncate">{session.title}</bdi>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <div className="flex items-center gap-2 border-line border-t px-4 py-3">
        <a href="/account" className="truncate text-quiet hover:text-ink">
          {me?.name}
        </a>
      </div>
    </nav>
  );
}

const item = "flex min-h-9 items-center gap-2 rounded-control px-2 hover:bg-sunk pointer-coarse:min-h-11";
const chosen = "bg-sunk font-medium";
