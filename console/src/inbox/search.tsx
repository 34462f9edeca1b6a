// The search of the inbox: sessions by their titles, and messages with the part around the words.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useDeferredValue } from "react";
import { messageSearchQuery, sessionsQuery } from "../session/queries.ts";
import { markSession } from "../session/reasons.ts";
import { SnippetText } from "../session/snippet-text.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { Ago } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";

const foundMax = 8;

export function Found({ text }: { text: string }) {
  const q = useDeferredValue(text);
  const sessions = useQuery(sessionsQuery({ search: q, sort: "updated", pageSize: foundMax }));
  const messages = useQuery(messageSearchQuery(q));
  const error = sessions.error ?? messages.error;
  const isEmpty = sessions.data?.length === 0 && messages.data?.length === 0;
  return (
    <>
      {error && (
        <div className="mt-4">
          <Refusal error={error} />
        </div>
      )}
      <p role="status" className={isEmpty ? "mt-4 text-quiet" : "sr-only"}>
        {isEmpty && "No title or message has these words."}
      </p>
      {sessions.data && sessions.data.length > 0 && (
        <section className="mt-4">
          <h2 className={heading}>Sessions</h2>
          <ul className={list}>
            {sessions.data.map((session) => (
              <li key={session.id}>
                <Link to="/s/$session" params={{ session: session.id }} data-row className={`${row} items-center`}>
                  <StateMark mark={markSession(session)} hasWord={false} />
                  <Name className="min-w-0 flex-1 truncate font-medium">{session.title}</Name>
                  <span className="text-meta text-quiet">
                    <Ago at={session.updatedAt} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      {messages.data && messages.data.length > 0 && (
        <section className="mt-4">
          <h2 className={heading}>Messages</h2>
          <ul className={list}>
            {messages.data.map(({ session, messageId, jobId, role, snippet, marks, createdAt }) => (
              <li key={messageId}>
                <Link
                  to="/s/$session"
                  params={{ session: session.id }}
                  search={jobId === null ? {} : { turn: jobId }}
                  data-row
                  className={row}
                >
                  <span className="min-w-0 flex-1">
                    <span className="block truncate text-meta text-quiet">
                      {role === "user" ? "A message in " : "An answer in "}
                      <Name>{session.title}</Name>
                    </span>
                    <span className="line-clamp-2 [overflow-wrap:anywhere]">
                      <SnippetText snippet={snippet} marks={marks} />
                    </span>
                  </span>
                  <span className="shrink-0 text-meta text-quiet">
                    <Ago at={createdAt} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const heading = "px-1 font-bold text-meta text-quiet";
const list = "mt-2 divide-y divide-line overflow-hidden rounded-card border border-line bg-panel";
const row = "flex min-h-11 gap-3 px-4 py-2 -outline-offset-2! hover:bg-sunk";
