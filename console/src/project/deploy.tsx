// The Deploy page of a project: the state of the Deploy, the chat with its agent, and all Deploys.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { useKeptText } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { Ago, formatDuration } from "../ui/time.tsx";
import { useProject } from "./current.ts";
import { DeployChat } from "./deploy-chat.tsx";
import { DeployMark } from "./deploy-mark.tsx";
import { DeployState } from "./deploy-state.tsx";
import { useLiveDeploys } from "./live-deploys.ts";
import { deploysQuery } from "./queries.ts";

export function Deploy() {
  const { id } = useProject();
  const live = useLiveDeploys(id);
  const draft = useKeptText(`deploy-message-${id}`);
  return (
    <>
      {live.error !== null && live.chat === null && (
        <div className="mt-6">
          <Refusal error={live.error} />
        </div>
      )}
      {live.chat && <DeployState projectId={id} chat={live.chat} draft={draft} />}
      {live.chat && <DeployChat projectId={id} chat={live.chat} live={live} draft={draft} />}
      <Deploys projectId={id} />
    </>
  );
}

const shownAtFirst = 10;
const shownMax = 100;

function Deploys({ projectId }: { projectId: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const { data: deploys, error } = useQuery(deploysQuery(projectId, isWhole ? shownMax : shownAtFirst));
  return (
    <Section title="Deploys" text="Newest first, each with its newest run.">
      {error && <Refusal error={error} />}
      {deploys?.length === 0 && <p className="text-quiet">Nothing has been deployed yet.</p>}
      <ul className="divide-y divide-line">
        {deploys?.map(({ id, trigger, status, error: why, createdAt, startedAt, completedAt }) => (
          <li key={id} className="py-2">
            <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
              <DeployMark status={status} />
              {trigger === "system" && <span className="text-meta text-quiet">started by the service</span>}
              <span className="flex-1" />
              {startedAt !== null && completedAt !== null && (
                <span className="text-meta text-quiet tabular-nums">
                  {formatDuration(Date.parse(completedAt) - Date.parse(startedAt))}
                </span>
              )}
              <span className="w-24 text-right text-meta text-quiet">
                <Ago at={createdAt} />
              </span>
            </div>
            {why !== null && <p className="mt-1 text-meta text-red-ink [overflow-wrap:anywhere]">{why}</p>}
          </li>
        ))}
      </ul>
      {!isWhole && deploys?.length === shownAtFirst && (
        <Button kind="bare" className="mt-2" onClick={() => setIsWhole(true)}>
          Older
        </Button>
      )}
    </Section>
  );
}
