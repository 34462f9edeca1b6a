// The inbox: a new session on top, then what waits for the person, across all their workspaces.
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useState } from "react";
import { projectsQuery, type Session } from "../session/queries.ts";
import { describeReason, markSession } from "../session/reasons.ts";
import { isUnseen } from "../session/seen.ts";
import { UnseenMark } from "../session/unseen-mark.tsx";
import { useUserId, workspacesQuery } from "../shell/profile.ts";
import { useTitle } from "../shell/title.ts";
import { Button } from "../ui/button.tsx";
import { fieldClass } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { Ago } from "../ui/time.tsx";
import { useFocusKept } from "../ui/use-focus-kept.ts";
import { Name } from "../ui/visible-text.tsx";
import { FirstProject, FirstWorkspace } from "./first-steps.tsx";
import { NewSession } from "./new-session.tsx";
import { useInbox, type Who } from "./queries.ts";
import { Question, useQuestion } from "./question.tsx";
import { Found } from "./search.tsx";

export function InboxPage() {
  useTitle("Inbox");
  const { who = "me" } = useSearch({ from: "/" });
  const userId = useUserId();
  const [text, setText] = useState("");
  const wanted = text.trim();
  const { data: workspaces, error: workspacesError, refetch } = useQuery(workspacesQuery);
  const { data: projects, error: projectsError } = useQuery(projectsQuery);
  const error = workspacesError ?? projectsError;
  return (
    <main className="h-full overflow-y-auto">
      <div className="mx-auto max-w-3xl px-4 pt-6 pb-12">
        <h1 className="mb-4 font-bold text-heading">Inbox</h1>
        {error && (
          <Refusal error={error}>
            <Button onClick={() => refetch()}>Try again</Button>
          </Refusal>
        )}
        {workspaces?.length === 0 && <FirstWorkspace />}
        {workspaces && workspaces.length > 0 && projects?.length === 0 && <FirstProject workspaces={workspaces} />}
        {projects && projects.length > 0 && userId && (
          <>
            <NewSession key={userId} userId={userId} projects={projects} />
            <SearchField text={text} onChange={setText} />
            {wanted === "" ? <Groups who={who} /> : <Found text={wanted} />}
          </>
        )}
      </div>
    </main>
  );
}

function SearchField({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  return (
    <search className="relative mt-6 block">
      <Search
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-quiet"
        aria-hidden="true"
      />
      <input
        type="search"
        value={text}
        onChange={({ target }) => onChange(target.value)}
        maxLength={200}
        placeholder="Search titles and messages"
        aria-label="Search titles and messages"
        dir="auto"
        className={`${fieldClass} w-full pl-9!`}
      />
    </search>
  );
}

function Groups({ who }: { who: Who }) {
  const { groups, isRead, error } = useInbox(who);
  // A question that is answered leaves its row, or takes it to another group.
  const focus = useFocusKept("li", () => document.querySelector<HTMLElement>("main a[data-row]"));
  return (
    <div {...focus}>
      <div className="mt-6 flex min-h-9 items-center justify-between gap-4">
        <p className="text-quiet">
          {isRead && groups[0]?.[0] !== "Needs you" && (who === "me" ? "Nothing waits for you." : "Nothing waits.")}
        </p>
        <nav aria-label="Whose sessions" className="flex shrink-0 rounded-control bg-sunk p-0.5 text-meta">
          {(["me", "all"] as const).map((one) => (
            <Link
              key={one}
              to="/"
              search={one === "me" ? {} : { who: one }}
              replace
              aria-current={who === one ? "true" : undefined}
              className={`inline-flex min-h-7 items-center rounded-md px-3 pointer-coarse:min-h-10 ${who === one ? "bg-panel font-medium shadow-xs" : "text-quiet hover:text-ink"}`}
            >
              {one === "me" ? "Mine" : "Everyone"}
            </Link>
          ))}
        </nav>
      </div>
      {error && <Refusal error={error} />}
      {isRead && groups.length === 0 && (
        <p className="mt-2 rounded-card border border-line border-dashed p-6 text-center text-quiet">
          {who === "me" ? "You have no open sessions. Say above what should be done." : "There are no open sessions."}
        </p>
      )}
      {groups.map(([title, group]) => (
        <section key={title} className="mt-4">
          <h2 className="px-1 font-bold text-meta text-quiet">
            {title} <span className="font-normal tabular-nums">{group.length}</span>
            {group.some(isUnseen) && (
              <span className="font-normal tabular-nums"> · {group.filter(isUnseen).length} new</span>
            )}
          </h2>
          <ul className="mt-2 divide-y divide-line overflow-hidden rounded-card border border-line bg-panel">
            {group.map((session) => (
              <Row key={session.id} session={session} isOthers={who === "all"} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Row({ session, isOthers }: { session: Session; isOthers: boolean }) {
  const { id, title, assignee, updatedAt } = session;
  const reason = describeReason(session);
  const { press, ...asked } = useQuestion(session);
  const { question } = asked;
  return (
    <li onKeyDown={press}>
      <Link
        to="/s/$session"
        params={{ session: id }}
        data-row
        className="flex min-h-11 items-center gap-3 px-4 py-2 -outline-offset-2! hover:bg-sunk"
      >
        <StateMark mark={markSession(session)} hasWord={false} />
        <span className="flex min-w-0 flex-1 flex-col sm:flex-row sm:items-baseline sm:gap-3">
          <Name className={`truncate ${isUnseen(session) ? "font-bold" : "font-medium"}`}>{title}</Name>
          {reason && !question && (
            <span className="truncate text-meta text-quiet sm:max-w-[45%] sm:shrink-0">{reason}</span>
          )}
        </span>
        {isOthers && assignee?.kind === "member" && (
          <Name className="max-w-32 truncate text-meta text-quiet max-sm:hidden">{assignee.name}</Name>
        )}
        <UnseenMark session={session} />
        <span className="text-meta text-quiet">
          <Ago at={updatedAt} />
        </span>
      </Link>
      {question && <Question {...asked} question={question} />}
    </li>
  );
}
