// The frame of the account: who is signed in, and the list of its parts beside the one that is
// shown.
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { CalendarClock } from "lucide-react";
import { profileQuery } from "../shell/profile.ts";
import { buttonClass } from "../ui/button.tsx";

const parts = [
  ["/account", "General"],
  ["/account/notifications", "Notifications"],
  ["/account/subscriptions", "Subscriptions"],
  ["/account/skills", "Skills"],
  ["/account/plugins", "Plugins"],
] as const;

export function AccountFrame() {
  const { data: me } = useQuery(profileQuery);
  return (
    <main className="h-full overflow-y-auto">
      <div className="mx-auto max-w-5xl px-4 pt-6 pb-12 lg:flex lg:gap-8">
        <div className="lg:w-48 lg:shrink-0">
          <h1 className="font-bold text-heading">Account</h1>
          <p className="text-quiet [overflow-wrap:anywhere]">
            Signed in as <bdi>{me?.email}</bdi>
          </p>
          {/* The rail, which has this link, has no room on a phone. */}
          <Link to="/crons" className={`${buttonClass()} mt-4 md:hidden`}>
            <CalendarClock className="size-4 text-quiet" aria-hidden="true" /> Crons
          </Link>
          <nav aria-label="Parts of the account" className="mt-4 lg:sticky lg:top-6">
            <ul className="-mx-2 flex flex-wrap gap-1 lg:flex-col">
              {parts.map(([to, word]) => (
                <li key={to}>
                  <Link to={to} activeOptions={{ exact: true }} className={part} activeProps={chosen}>
                    {word}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        </div>
        <div className="min-w-0 max-w-3xl flex-1 lg:-mt-6">
          <Outlet />
        </div>
      </div>
    </main>
  );
}

const part = "flex min-h-9 items-center rounded-control px-2 hover:bg-sunk pointer-coarse:min-h-11";
const chosen = { className: "bg-sunk font-medium" };
