// The palette: it finds sessions by their titles and messages by their words, and opens the pages
// and actions of the console.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useDeferredValue, useId, useLayoutEffect, useState } from "react";
import { useInbox } from "../inbox/queries.ts";
import { messageSearchQuery, projectsQuery, sessionsQuery } from "../session/queries.ts";
import { markSession } from "../session/reasons.ts";
import { SnippetText } from "../session/snippet-text.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { Name } from "../ui/visible-text.tsx";
import { earlyKeys } from "./early-keys.ts";
import { openDocs } from "./open-docs.ts";
import { matchWords } from "./shortcuts.ts";
import { type PaletteAction, useWorkspaceActions } from "./workspace-actions.ts";

interface Entry {
  id: string;
  group: string;
  content: ReactNode;
  act: () => void;
}

interface PaletteProps {
  isOpen: boolean;
  onClose: () => void;
  onHelp: () => void;
}

export function Palette({ isOpen, onClose, onHelp }: PaletteProps) {
  return (
    <Dialog title="Find a session or do something" isTitleHidden isOpen={isOpen} onClose={onClose} className="p-0">
      <PaletteList onClose={onClose} onHelp={onHelp} />
    </Dialog>
  );
}

const foundMax = 8;
const recentMax = 6;
const projectsMax = 6;

function PaletteList({ onClose, onHelp }: Omit<PaletteProps, "isOpen">) {
  const navigate = useNavigate();
  const listId = useId();
  const [text, setText] = useState("");
  useLayoutEffect(() => {
    const early = earlyKeys.take();
    if (early !== "") setText((typed) => early + typed);
  }, []);
  const [chosen, setChosen] = useState(0);
  const asked = useDeferredValue(text.trim());
  const { groups } = useInbox("me");
  const { data: found = [], error } = useQuery({
    ...sessionsQuery({ search: asked, sort: "updated", pageSize: foundMax }),
    enabled: asked !== "",
  });
  const { data: said = [] } = useQuery(messageSearchQuery(asked, foundMax));
  const { data: projects = [] } = useQuery(projectsQuery);
  const go = (act: () => void) => () => {
    onClose();
    act();
  };
  const sessions = asked === "" ? groups.flatMap(([, group]) => group).slice(0, recentMax) : found;
  const listed = useWorkspaceActions(asked !== "");
  const actions: PaletteAction[] = [
    ["New session", "start create", () => navigate({ to: "/", hash: "new" })],
    ["Inbox", "needs me home", () => navigate({ to: "/" })],
    ["All sessions", "list filter search", () => navigate({ to: "/sessions" })],
    ["Backlog", "sessions later", () => navigate({ to: "/sessions", search: { status: "backlog" } })],
    ["Projects", "repositories list", () => navigate({ to: "/projects" })],
    ["Add a project", "repository new create", () => navigate({ to: "/projects", search: { add: true } })],
    ["Activity", "feed news", () => navigate({ to: "/activity" })],
    ["Crons", "schedule scheduled prompts runs", () => navigate({ to: "/crons" })],
    ["New cron", "schedule create", () => navigate({ to: "/crons/new" })],
    ["Your account", "profile keys sign out", () => navigate({ to: "/account" })],
    ["Your notifications", "account devices push", () => navigate({ to: "/account/notifications" })],
    ["Your subscriptions", "account logins model provider claude", () => navigate({ to: "/account/subscriptions" })],
    ["Your skills", "account instructions", () => navigate({ to: "/account/skills" })],
    ["Your plugins", "account marketplace", () => navigate({ to: "/account/plugins" })],
    ["Docs", "help guide documentation api reference", openDocs],
    ["All keys", "shortcuts help", onHelp],
  ];
  const shownActions = [...actions, ...(asked === "" ? [] : listed)].filter(([word, also]) =>
    matchWords(text, `${word} ${also}`),
  );
  const entries: Entry[] = [
    ...sessions.map((session) => ({
      id: session.id,
      group: "Sessions",
      content: (
        <>
          <StateMark mark={markSession(session)} hasWord={false} />
          <Name className="truncate">{session.title}</Name>
        </>
      ),
      act: go(() => navigate({ to: "/s/$session", params: { session: session.id } })),
    })),
    ...(asked === "" ? [] : said).map(({ session, messageId, jobId, snippet, marks }) => ({
      id: messageId,
      group: "Messages",
      content: (
        <span className="flex min-w-0 flex-col py-1">
          <span className="truncate">
            <SnippetText snippet={snippet} marks={marks} />
          </span>
          <Name className="truncate text-meta text-quiet">{session.title}</Name>
        </span>
      ),
      act: go(() =>
        navigate({
          to: "/s/$session",
          params: { session: session.id },
          search: jobId === null ? {} : { turn: jobId },
        }),
      ),
    })),
    ...shownActions.map(([word, also, act]) => ({
      id: `${word} ${also}`,
      group: "Do",
      content: <span className="truncate">{word}</span>,
      act: go(act),
    })),
    ...(asked === "" ? [] : projects)
      .filter(({ name, repository }) => matchWords(text, `project ${name} ${repository.replace("/", " ")}`))
      .slice(0, projectsMax)
      .map(({ id, name, repository }) => ({
        id,
        group: "Projects",
        content: (
          <>
            <Name className="truncate">{name}</Name>
            <Name className="truncate text-meta text-quiet">{repository}</Name>
          </>
        ),
        act: go(() => navigate({ to: "/p/$project", params: { project: id } })),
      })),
    ...(asked === ""
      ? []
      : [
          {
            id: "search",
            group: "Do",
            content: <span className="truncate">Search all sessions for “{asked}”</span>,
            act: go(() => navigate({ to: "/sessions", search: { q: asked, status: "any" } })),
          },
        ]),
  ];
  const at = Math.min(chosen, entries.length - 1);
  const optionId = (index: number) => `${listId}-${index}`;

  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: the dialog was opened to type into it.
        autoFocus
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          if (step !== 0) {
            event.preventDefault();
            const next = (at + step + entries.length) % entries.length;
            setChosen(next);
            document.getElementById(optionId(next))?.scrollIntoView({ block: "nearest" });
          } else if (event.key === "Enter") {
            event.preventDefault();
            entries[at]?.act();
          }
        }}
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={optionId(at)}
        aria-label="Find a session or do something"
        placeholder="Find a session or do something"
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        className="block w-full border-line border-b bg-transparent px-4 py-3 text-title outline-none placeholder:text-quiet"
      />
      {error && (
        <div className="p-2">
          <Refusal error={error} />
        </div>
      )}
      <div id={listId} role="listbox" tabIndex={-1} aria-label="Results" className="max-h-[50dvh] overflow-y-auto p-2">
        {entries.map(({ id, group, content, act }, index) => (
          <div key={id}>
            {entries[index - 1]?.group !== group && (
              <div role="presentation" className="px-2 pt-2 pb-1 font-bold text-meta text-quiet">
                {group}
              </div>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys. */}
            <div
              id={optionId(index)}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onClick={act}
              onPointerMove={() => setChosen(index)}
              className={`flex min-h-9 cursor-pointer items-center gap-2 rounded-control px-2 pointer-coarse:min-h-11 ${index === at ? "bg-accent-tint" : ""}`}
            >
              {content}
            </div>
          </div>
        ))}
      </div>
    </>
  );
}
