// The tabs of a phone, at the bottom of the screen, where the rail has no room.
import { Link } from "@tanstack/react-router";
import { CircleUser, Inbox, Layers, Plus, Rss } from "lucide-react";
import { useInbox } from "../inbox/queries.ts";
import { useWorstLine } from "./lines.ts";

export function Tabs() {
  const { needsYou } = useInbox("me");
  const line = useWorstLine();
  return (
    <nav
      data-region
      aria-label="Pages"
      className="shrink-0 border-line border-t bg-panel pr-[env(safe-area-inset-right)] pb-[env(safe-area-inset-bottom)] pl-[env(safe-area-inset-left)] md:hidden"
    >
      {line?.isCut && (
        <p role="status" title={line.explanation} className="bg-amber-tint py-1 text-center text-amber-ink text-meta">
          {line.word}
        </p>
      )}
      <ul className="grid grid-cols-5">
        <li>
          <Link to="/" activeOptions={{ exact: true, includeSearch: false }} className={tab} activeProps={chosen}>
            <span className="relative">
              <Inbox className="size-5" aria-hidden="true" />
              {needsYou > 0 && (
                <span className="absolute -top-1.5 left-3 min-w-4 rounded-full bg-accent px-1 text-center text-[11px] text-on-accent leading-4">
                  {needsYou}
                  <span className="sr-only"> need you</span>
                </span>
              )}
            </span>
            Inbox
          </Link>
        </li>
        <li>
          <Link to="/sessions" activeOptions={{ includeSearch: false }} className={tab} activeProps={chosen}>
            <Layers className="size-5" aria-hidden="true" /> Sessions
          </Link>
        </li>
        <li>
          <Link to="/" hash="new" activeOptions={{ includeHash: true }} className={tab}>
            <Plus className="size-5" aria-hidden="true" /> New
          </Link>
        </li>
        <li>
          <Link to="/activity" activeOptions={{ includeSearch: false }} className={tab} activeProps={chosen}>
            <Rss className="size-5" aria-hidden="true" /> Activity
          </Link>
        </li>
        <li>
          <Link to="/account" className={tab} activeProps={chosen}>
            <CircleUser className="size-5" aria-hidden="true" /> Account
          </Link>
        </li>
      </ul>
    </nav>
  );
}

const tab = "flex min-h-14 flex-col items-center justify-center gap-1 text-meta text-quiet";
const chosen = { className: "font-medium text-accent!" };
