// Files: the tree of the running sandbox, and one file of it to read and edit.
import type { Session } from "@switchyard/client";
import { useSearch } from "@tanstack/react-router";
import { ChevronRight, File, RotateCw } from "lucide-react";
import { useState } from "react";
import { useOpenPanel } from "../panel/open-panel.ts";
import type { LiveSession } from "../session/live-session.ts";
import { isTurnRunning } from "../session/turn-state.ts";
import { Button } from "../ui/button.tsx";
import { TextInput } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Name } from "../ui/visible-text.tsx";
import { FileView } from "./file-view.tsx";
import { useFiles, useWakeForFiles } from "./queries.ts";
import { listFolders, listRows } from "./tree.ts";

export function Files({ live }: { live: LiveSession }) {
  const { file } = useSearch({ from: "/s/$session" });
  const { session } = live;
  if (session === null) return <div aria-busy="true" className="h-full" />;
  if (file !== undefined) return <FileView key={file} session={session} path={file} isRunning={isTurnRunning(live)} />;
  return <Tree session={session} />;
}

/** Which folders are open, and what was typed, by session: they stay so while a file is read. */
const openFolders = new Map<string, ReadonlySet<string>>();
const filters = new Map<string, string>();

function Tree({ session }: { session: Session }) {
  const { data, error, isFetching, refetch } = useFiles(session);
  const wake = useWakeForFiles(session);
  const open = useOpenPanel();
  const [filter, setFilter] = useState(() => filters.get(session.id) ?? "");
  const [opened, setOpened] = useState(() => openFolders.get(session.id) ?? new Set<string>());
  const rows = listRows(data ?? [], opened, filter);
  const find = (words: string) => {
    filters.set(session.id, words);
    setFilter(words);
  };
  const toggle = (path: string) => {
    const next = new Set(opened);
    if (!next.delete(path)) next.add(path);
    openFolders.set(session.id, next);
    setOpened(next);
  };
  const show = (path: string) => {
    openFolders.set(session.id, new Set([...opened, ...listFolders(path)]));
    open("files", path);
  };
  const refusal = error ?? wake.error;

  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 items-center gap-2 border-line border-b px-3 py-2">
        <TextInput
          type="search"
          aria-label="Find a file"
          placeholder="Find a file"
          value={filter}
          onChange={(event) => find(event.target.value)}
        />
        <Button kind="bare" aria-label="Read again" title="Read again" onClick={() => refetch()}>
          <RotateCw
            className={`size-4 ${isFetching ? "animate-spin motion-reduce:animate-none" : ""}`}
            aria-hidden="true"
          />
        </Button>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto py-1">
        {refusal ? (
          <div className="p-3">
            <Refusal error={refusal}>
              <Button onClick={() => refetch()}>Try again</Button>
            </Refusal>
          </div>
        ) : null}
        {data?.length === 0 && !wake.error && (
          <div className="px-4 py-10 text-center">
            <p className="text-quiet">The files are those of a running sandbox, and this one is asleep.</p>
            <Button kind="main" className="mt-4" disabled={wake.isPending} onClick={() => wake.mutate()}>
              {wake.isPending ? "Waking…" : "Wake"}
            </Button>
          </div>
        )}
        {data && data.length > 0 && rows.length === 0 && (
          <p className="px-4 py-10 text-center text-quiet">No file has that name.</p>
        )}
        <ul aria-label="Files">
          {rows.map(({ path, name, depth, isFolder, isOpen }) => (
            <li key={path} style={{ contentVisibility: "auto", containIntrinsicSize: "auto 32px" }}>
              <button
                type="button"
                {...(isFolder ? { "aria-expanded": isOpen } : {})}
                onClick={() => (isFolder ? toggle(path) : show(path))}
                className="flex min-h-8 w-full items-center gap-1.5 pr-3 text-left text-ui hover:bg-sunk focus-visible:outline-offset-[-2px] pointer-coarse:min-h-11"
                style={{ paddingInlineStart: 12 + depth * 16 }}
              >
                {isFolder ? (
                  <ChevronRight
                    className={`size-4 shrink-0 text-quiet ${isOpen ? "rotate-90" : ""}`}
                    aria-hidden="true"
                  />
                ) : (
                  <File className="size-4 shrink-0 text-quiet" aria-hidden="true" />
                )}
                <Name className="min-w-0 truncate" title={path}>
                  {name}
                </Name>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
