// The agents that the person connected over MCP, and their end.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, service } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Ago } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import { connectedAgentsQuery } from "./queries.ts";

export function ConnectedAgents() {
  const { data: agents, error } = useQuery(connectedAgentsQuery);
  const [ending, setEnding] = useState<{ id: string; name: string } | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);

  async function disconnect(id: string): Promise<void> {
    setEnding(null);
    setRefusal(null);
    await service
      .request("DELETE /api/user/connected-agents/{agentId}", { path: { agentId: id } })
      .catch((thrown: unknown) => setRefusal(thrown));
    queryClient.invalidateQueries({ queryKey: connectedAgentsQuery.queryKey });
  }

  return (
    <>
      {error !== null && <Refusal error={error} />}
      {refusal !== null && <Refusal error={refusal} />}
      {agents?.length === 0 && <p className="text-quiet">No agent is connected.</p>}
      <ul className="divide-y divide-line">
        {agents?.map(({ id, name, redirectHost, scopes, createdAt, lastUsedAt }) => (
          <li key={id} className="flex items-center gap-3 py-2">
            <span className="min-w-0 flex-1">
              <Name className="block truncate font-medium" title={name}>
                {name}
              </Name>
              <span className="flex flex-wrap gap-x-2 text-meta text-quiet">
                <span>{scopes.includes("work") ? "reads and works" : "reads"}</span>
                <span className="font-mono">{redirectHost}</span>
                <span>
                  connected <Ago at={createdAt} />
                </span>
                <span>
                  {lastUsedAt === null ? (
                    "never used"
                  ) : (
                    <>
                      used <Ago at={lastUsedAt} />
                    </>
                  )}
                </span>
              </span>
            </span>
            <Button kind="bare" onClick={() => setEnding({ id, name })}>
              Disconnect<span className="sr-only"> {name}</span>
            </Button>
          </li>
        ))}
      </ul>
      <Confirm
        isOpen={ending !== null}
        title={`Disconnect “${ending?.name}”?`}
        word="Disconnect"
        kind="danger"
        onConfirm={() => ending && disconnect(ending.id)}
        onClose={() => setEnding(null)}
      >
        The agent loses access immediately. Its sessions continue.
      </Confirm>
    </>
  );
}
