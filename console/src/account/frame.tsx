// The frame of the account: who is signed in, and the list of its parts beside the one that is
// shown.

import { useQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { CalendarClock } from "lucide-react";
import { profileQuery } from "../shell/profile.ts";
import { buttonClass } from "../ui/button.tsx";
import { chosenPart, PartLinks, partLinkClass } from "../ui/part-links.tsx";
import { Name } from "../ui/visible-text.tsx";

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
      <div className="mx-auto max-w-5xl px-4 pt-6 pb-12 lg:grid lg:grid-cols-[12rem_minmax(0,1fr)] lg:gap-8">
        <div>
          <h1 className="font-bold text-heading">Account</h1>
          <p className="text-quiet [overflow-wrap:anywhere]">
            Signed in as <Name>{me?.email}</Name>
          </p>
          {/* The rail, which has this link, has no room on a phone. */}
          <Link to="/crons" className={`${buttonClass()} my-4 md:hidden`}>
            <CalendarClock className="size-4 text-quiet" aria-hidden="true" /> Crons
          </Link>
          <PartLinks label="Parts of the account">
            {parts.map(([to, word]) => (
              <li key={to}>
                <Link to={to} activeOptions={{ exact: true }} className={partLinkClass} activeProps={chosenPart}>
                  {word}
                </Link>
              </li>
            ))}
          </PartLinks>
        </div>
        <div className="min-w-0 max-w-3xl flex-1 lg:-mt-6">
          <Outlet />
        </div>
      </div>
    </main>
  );
}
