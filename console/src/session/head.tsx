// The head of a session: title, state, branch, pull request and model.
import type { LineState } from "@switchyard/client";
import { ExternalLink, GitBranch } from "lucide-react";
import { markOf, StateMark } from "../ui/state-mark.tsx";
import type { Session } from "./queries.ts";

export function SessionHead({ session, line }: { session: Session; line: LineState | null }) {
  const { title, branch, targetBranch, prUrl, prNumber, prState, model, latestChatJob } = session;
  return (
    <header className="border-line border-b px-4 py-3">
      <div className="flex items-center gap-3">
        <h1 className="min-w-0 truncate font-bold text-title" title={title}>
          <bdi>{title}</bdi>
        </h1>
        <StateMark mark={markOf(latestChatJob)} />
        {line !== null && line !== "live" && <span className="text-meta text-quiet">{line}</span>}
      </div>
      <div className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1 text-meta text-quiet">
        {branch && (
          <span className="inline-flex min-w-0 items-center gap-1">
            <GitBranch className="size-3.5 shrink-0" aria-hidden="true" />
            <bdi className="truncate font-mono">{branch}</bdi> → <bdi className="font-mono">{targetBranch}</bdi>
          </span>
        )}
        {prUrl && (
          <a href={prUrl} rel="noopener" target="_blank" className="inline-flex items-center gap-1 hover:text-ink">
            #{prNumber} {prState} <ExternalLink className="size-3" aria-hidden="true" />
          </a>
        )}
        {model && <span>{model}</span>}
      </div>
    </header>
  );
}
