// The sandboxes of sessions: how many may run, which run now, and how they are stopped.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { queryClient, service } from "../api.ts";
import { useTitle } from "../shell/title.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { useAct } from "../ui/use-act.ts";
import { toVisibleName } from "../ui/visible.ts";
import { Name } from "../ui/visible-text.tsx";
import { sandboxesQuery } from "./queries.ts";
import { describeSandboxes, describeStopped, splitStops } from "./sandbox-words.ts";
import { useWorkspace } from "./use-workspace.ts";

export function SandboxesPage() {
  const { workspace } = useWorkspace();
  useTitle(`Sandboxes · ${workspace.name}`);
  const query = sandboxesQuery(workspace.id);
  const { data: limit, error: unread } = useQuery(query);
  const { act, error, isBusy } = useAct();
  const [isAsking, setIsAsking] = useState(false);
  const [said, setSaid] = useState<string | null>(null);
  const running = limit?.runningSessions ?? [];

  function stop(sessionIds: string[]): void {
    setIsAsking(false);
    setSaid(null);
    act(async () => {
      const operation = "POST /api/organizations/{workspaceId}/stop-sandboxes";
      const outcomes: boolean[] = [];
      for (const part of splitStops(sessionIds)) {
        const path = { workspaceId: workspace.id };
        const { sessions } = await service.request(operation, { path, body: { sessionIds: part } });
        outcomes.push(...sessions.map(({ stopped }) => stopped));
      }
      setSaid(describeStopped(outcomes));
      await queryClient.invalidateQueries({ queryKey: query.queryKey });
    });
  }

  return (
    <Section
      title="Sandboxes"
      text="Each session works in a sandbox of its own. A stopped one keeps its work, and its place is free for another."
    >
      {[unread, error].map(
        (one, index) =>
          one !== null && (
            // biome-ignore lint/suspicious/noArrayIndexKey: there are always these two.
            <div key={index} className="mb-4">
              <Refusal error={one} />
            </div>
          ),
      )}
      {limit && (
        <div className="flex flex-wrap items-center gap-3">
          <span className="min-w-48 flex-1">
            {describeSandboxes(limit).map((sentence) => (
              <span key={sentence} className="block">
                {sentence}
              </span>
            ))}
          </span>
          {running.length > 1 && (
            <Button kind="danger" disabled={isBusy} onClick={() => setIsAsking(true)}>
              Stop all
            </Button>
          )}
        </div>
      )}
      <p role="status" className={said === null ? "" : "mt-2 text-quiet"}>
        {said}
      </p>
      <ul className="mt-2 divide-y divide-line">
        {running.map(({ sessionId, title, projectName, branch }) => (
          <li key={sessionId} className="flex items-center gap-3 py-2">
            <span className="min-w-0 flex-1">
              <Link
                to="/s/$session"
                params={{ session: sessionId }}
                className="block font-medium hover:text-accent"
                title={toVisibleName(title)}
              >
                <Name className="block truncate">{title}</Name>
              </Link>
              <span className="block truncate text-meta text-quiet">
                <Name>{projectName}</Name>
                {branch && (
                  <>
                    {" "}
                    · <Name className="font-mono">{branch}</Name>
                  </>
                )}
              </span>
            </span>
            <Button disabled={isBusy} onClick={() => stop([sessionId])}>
              Stop<span className="sr-only"> the sandbox of {title}</span>
            </Button>
          </li>
        ))}
      </ul>
      <Confirm
        isOpen={isAsking}
        title={`Stop all ${running.length} sandboxes?`}
        word="Stop all"
        kind="danger"
        onConfirm={() => stop(running.map(({ sessionId }) => sessionId))}
        onClose={() => setIsAsking(false)}
      >
        Turns that run in them are stopped first. Their work is saved, and the next message starts each one again.
      </Confirm>
    </Section>
  );
}
