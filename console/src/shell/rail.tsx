// The rail: the pages, what needs the person, what runs, what is under review, and the rest.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CalendarClock, ChevronsUpDown, FolderGit2, Inbox, Layers, Plus, Rss, Search } from "lucide-react";
import { Suspense } from "react";
import { useInbox } from "../inbox/queries.ts";
import { markSession } from "../session/reasons.ts";
import { UnseenMark } from "../session/unseen-mark.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { toVisibleName } from "../ui/visible.ts";
import { Name } from "../ui/visible-text.tsx";
import { useWorstLine } from "./lines.ts";
import { Logo } from "./logo.tsx";
import { profileQuery } from "./profile.ts";

/** How many sessions a group of the rail shows. */
const groupMax = 12;

const AccountMenu = lazyPart(() => import("./account-menu.tsx"), "AccountMenu");

interface RailProps {
  onFind: () => void;
  onHelp: () => void;
}

export function Rail({ onFind, onHelp }: RailProps) {
  const { groups, isRead, error } = useInbox("me");
  const { data: me } = useQuery(profileQuery);
  const person = (
    <button type="button" className={`${item} w-full`}>
      <Name className="truncate">{me?.name}</Name>
      <ChevronsUpDown className="ml-auto size-4 shrink-0 text-quiet" aria-hidden="true" />
    </button>
  );
  // The scripts of the menu come after the lists: together they would delay what is read first.
  const closedMenu = <div className="min-w-0 flex-1">{person}</div>;
  return (
    <nav
      data-region
      aria-label="Pages and sessions"
      className="flex w-62 shrink-0 flex-col border-line border-r bg-panel max-md:hidden"
    >
      <Link to="/" className="flex items-center gap-2 px-4 pt-4 pb-3 font-bold text-title">
        <Logo /> Switchyard
      </Link>
      <ul className="px-2">
        <li>
          <button type="button" onClick={onFind} className={`${item} w-full text-quiet`}>
            <Search className="size-4" aria-hidden="true" />
            <span className="flex-1">Search or run</span>
            <kbd className="font-sans text-meta">⌘K</kbd>
          </button>
        </li>
        <li>
          <Link to="/" hash="new" className={item} activeOptions={{ includeHash: true }}>
            <Plus className="size-4 text-quiet" aria-hidden="true" /> New session
          </Link>
        </li>
        <li>
          <Link to="/" activeOptions={{ exact: true, includeSearch: false }} className={item} activeProps={chosen}>
            <Inbox className="size-4 text-quiet" aria-hidden="true" /> Inbox
          </Link>
        </li>
        <li>
          <Link to="/sessions" activeOptions={{ includeSearch: false }} className={item} activeProps={chosen}>
            <Layers className="size-4 text-quiet" aria-hidden="true" /> Sessions
          </Link>
        </li>
        <li>
          <Link to="/projects" activeOptions={{ includeSearch: false }} className={item} activeProps={chosen}>
            <FolderGit2 className="size-4 text-quiet" aria-hidden="true" /> Projects
          </Link>
        </li>
        <li>
          <Link to="/activity" activeOptions={{ includeSearch: false }} className={item} activeProps={chosen}>
            <Rss className="size-4 text-quiet" aria-hidden="true" /> Activity
          </Link>
        </li>
        <li>
          <Link to="/crons" className={item} activeProps={chosen}>
            <CalendarClock className="size-4 text-quiet" aria-hidden="true" /> Crons
          </Link>
        </li>
      </ul>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
        {groups.map(([title, group]) => (
          <section key={title} aria-label={title}>
            <h2 className="px-2 pt-4 pb-1 font-bold text-meta text-quiet">
              {title} <span className="font-normal tabular-nums">{group.length > 1 && group.length}</span>
            </h2>
            <ul>
              {group.slice(0, groupMax).map((session) => (
                <li key={session.id}>
                  <Link
                    to="/s/$session"
                    params={{ session: session.id }}
                    className={item}
                    activeProps={chosen}
                    title={toVisibleName(session.title)}
                  >
                    <StateMark mark={markSession(session)} hasWord={false} />
                    <Name className="flex-1 truncate">{session.title}</Name>
                    <UnseenMark session={session} />
                  </Link>
                </li>
              ))}
              {group.length > groupMax && (
                <li>
                  <Link to="/sessions" className={`${item} text-quiet`}>
                    {group.length - groupMax} more
                  </Link>
                </li>
              )}
            </ul>
          </section>
        ))}
      </div>
      <div className="flex items-center gap-2 border-line border-t px-2 py-2">
        <Suspense fallback={closedMenu}>
          {isRead || error !== null ? <AccountMenu trigger={person} onHelp={onHelp} /> : closedMenu}
        </Suspense>
        <Line />
      </div>
    </nav>
  );
}

/** How live the page is. */
function Line() {
  const line = useWorstLine();
  if (line === null) return null;
  return (
    <span
      role="status"
      title={line.explanation}
      className="inline-flex shrink-0 items-center gap-1.5 px-2 text-meta text-quiet"
    >
      <span aria-hidden="true" className={line.isLive ? "text-green-ink" : "lamp text-amber-ink"}>
        ●
      </span>
      {line.word}
    </span>
  );
}

const item = "flex min-h-9 items-center gap-2 rounded-control px-2 hover:bg-sunk pointer-coarse:min-h-11";
const chosen = { className: "bg-sunk font-medium" };
