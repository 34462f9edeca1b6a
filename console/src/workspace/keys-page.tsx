// The relay keys of a workspace.
import { useQuery } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";
import { useTitle } from "../shell/title.ts";
import { KeyList } from "../ui/key-list.tsx";
import { Section } from "../ui/section.tsx";
import { ForAdmins } from "./for-admins.tsx";
import { relayKeysQuery } from "./queries.ts";
import { useWorkspace } from "./use-workspace.ts";

export function KeysPage() {
  const { workspace } = useWorkspace();
  useTitle(`Keys · ${workspace.name}`);
  return (
    <Section
      title="Relay keys"
      text="A relay brings the messages of a chat tool to this workspace. It starts sessions and sends messages, and no more."
    >
      <ForAdmins>
        <RelayKeys workspaceId={workspace.id} />
      </ForAdmins>
    </Section>
  );
}

function RelayKeys({ workspaceId }: { workspaceId: string }) {
  const query = relayKeysQuery(workspaceId);
  const { data: keys, error } = useQuery(query);
  const refresh = () => queryClient.invalidateQueries({ queryKey: query.queryKey });
  const path = { workspaceId };
  return (
    <KeyList
      keptAs={`new-relay-key:${workspaceId}`}
      keys={keys}
      error={error}
      empty="There are no relay keys. Make one for each chat tool."
      warning="The relay that uses this key loses access with its next request."
      onMake={(name) =>
        service.request("POST /api/organizations/{workspaceId}/relay-keys", { path, body: { name } }).finally(refresh)
      }
      onRevoke={(relayKeyId) =>
        service
          .request("DELETE /api/organizations/{workspaceId}/relay-keys/{relayKeyId}", { path: { ...path, relayKeyId } })
          .finally(refresh)
      }
    />
  );
}
