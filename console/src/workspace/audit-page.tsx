// The audit log of a workspace, for its owner: who changed what, from where and when.

import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { service } from "../api.ts";
import { useTitle } from "../shell/title.ts";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { Ago } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import { describeActor, describeOperation, describeVia, listTargets } from "./audit-words.ts";
import { ForAdmins } from "./for-admins.tsx";
import { membersQuery } from "./queries.ts";
import { usePages } from "./use-pages.ts";
import { useWorkspace } from "./use-workspace.ts";

const pageSize = 50;

export function AuditPage() {
  const { workspace } = useWorkspace();
  useTitle(`Audit log · ${workspace.name}`);
  return (
    <Section title="Audit log" text="Who changed what in the last 400 days. Nobody can change the log.">
      <ForAdmins only="owner">
        <Log workspaceId={workspace.id} />
      </ForAdmins>
    </Section>
  );
}

function Log({ workspaceId }: { workspaceId: string }) {
  const { items, error, hasOlder, isReading, readOlder, refetch } = usePages({
    queryKey: ["audit", workspaceId],
    size: pageSize,
    open: () =>
      service.pages("GET /api/organizations/{workspaceId}/audit", {
        path: { workspaceId },
        query: { limit: pageSize },
      }),
  });
  // Somebody who has left is known by their id only.
  const { data: members = [] } = useQuery(membersQuery(workspaceId));
  const names = new Map(members.map(({ userId, name }) => [userId, name]));
  return (
    <>
      {error != null && (
        <Refusal error={error}>
          <Button onClick={() => refetch()}>Try again</Button>
        </Refusal>
      )}
      {items?.length === 0 && <p className="text-quiet">Nothing was changed yet.</p>}
      <ol className="divide-y divide-line">
        {items?.map((event) => (
          <Row key={event.id} event={event} workspaceId={workspaceId} whom={names.get(event.target.userId ?? "")} />
        ))}
      </ol>
      {hasOlder && (
        <Button className="mt-4" disabled={isReading} onClick={readOlder}>
          {isReading ? "Reading…" : "Older"}
        </Button>
      )}
    </>
  );
}

interface RowProps {
  event: Schemas["AuditEvent"];
  workspaceId: string;
  /** The name of the member that was changed, where one was. */
  whom: string | undefined;
}

function Row({ event, workspaceId, whom }: RowProps) {
  const { actor, operation, via, address, requestId, target, at } = event;
  const sessionId = actor.kind === "agent" ? actor.sessionId : (target.sessionId ?? null);
  const targets = listTargets(target, workspaceId);
  return (
    <li className="py-2">
      <p className="[overflow-wrap:anywhere]">
        <Name className="font-medium">{describeActor(actor)}</Name> {describeOperation(operation)}
        {whom !== undefined && (
          <>
            : <Name>{whom}</Name>
          </>
        )}
      </p>
      <div className="flex flex-wrap items-center gap-x-3 text-meta text-quiet">
        <Ago at={at} />
        <span>{describeVia(via)}</span>
        {address && <span className="font-mono [overflow-wrap:anywhere]">{address}</span>}
        {sessionId && (
          <Link to="/s/$session" params={{ session: sessionId }} className="underline underline-offset-2">
            session
          </Link>
        )}
        <details className="open:w-full">
          <summary className="inline-flex cursor-pointer items-center underline decoration-dotted underline-offset-2 pointer-coarse:min-h-11">
            Details
            <span className="sr-only">
              {" "}
              of {describeActor(actor)} {describeOperation(operation)}
            </span>
          </summary>
          <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3">
            {[["operation", operation], ...targets, ...(requestId ? [["request", requestId]] : [])].map(
              ([name, value]) => (
                <div key={name} className="contents">
                  <dt>{name}</dt>
                  <dd className="font-mono [overflow-wrap:anywhere]">{value}</dd>
                </div>
              ),
            )}
          </dl>
        </details>
      </div>
    </li>
  );
}
