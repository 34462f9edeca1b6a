// One member: who they are, their role, and what the person may do to them.

import type { Schemas } from "@switchyard/client";
import { MoreHorizontal } from "lucide-react";
import { useState } from "react";
import { service } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Select } from "../ui/field.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Ago } from "../ui/time.tsx";
import { useAct } from "../ui/use-act.ts";
import { Name } from "../ui/visible-text.tsx";
import { LeaveButton } from "./leave-button.tsx";
import { refreshMembers, type Workspace } from "./queries.ts";
import { type GivenRole, listMemberRights, type Role, roleNames } from "./roles.ts";

interface MemberRowProps {
  workspace: Workspace;
  member: Schemas["Member"];
  me: { userId: string; role: Role };
}

export function MemberRow({ workspace, member, me }: MemberRowProps) {
  const { act, error, isBusy } = useAct();
  const [asking, setAsking] = useState<"remove" | "transfer" | null>(null);
  const [isSaved, setIsSaved] = useState(false);
  const { isSelf, mayChangeRole, mayRemove, mayTransfer, mayLeave } = listMemberRights(me, member);
  const { userId, name, email, role } = member;
  const path = { workspaceId: workspace.id, userId };

  function change(make: () => Promise<unknown>): void {
    setAsking(null);
    setIsSaved(false);
    act(async () => {
      await make();
      await refreshMembers(workspace.id);
    });
  }

  const changeRole = (given: GivenRole) =>
    change(async () => {
      await service.request("PATCH /api/organizations/{workspaceId}/members/{userId}", { path, body: { role: given } });
      setIsSaved(true);
    });
  const remove = () =>
    change(() => service.request("DELETE /api/organizations/{workspaceId}/members/{userId}", { path }));
  const transfer = () =>
    change(() =>
      service.request("POST /api/organizations/{workspaceId}/transfer-ownership", { path, body: { userId } }),
    );

  return (
    <li className="py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="min-w-28 flex-1">
          <span className="flex items-baseline gap-2">
            <Name className="truncate font-medium" title={name}>
              {name}
            </Name>
            {isSelf && <span className="shrink-0 text-meta text-quiet">you</span>}
          </span>
          <span className="flex flex-wrap gap-x-2 text-meta text-quiet">
            <Name className="[overflow-wrap:anywhere]">{email}</Name>
            <span>
              joined <Ago at={member.joinedAt} />
            </span>
          </span>
        </span>
        <span role="status" className="text-quiet">
          {isSaved ? "Saved" : ""}
        </span>
        {mayChangeRole ? (
          <Select
            aria-label={`Role of ${name}`}
            value={role}
            disabled={isBusy}
            onChange={({ target }) => changeRole(target.value as GivenRole)}
          >
            <option value="admin">{roleNames.admin}</option>
            <option value="member">{roleNames.member}</option>
          </Select>
        ) : (
          <span className="text-quiet">{roleNames[role]}</span>
        )}
        {mayLeave && <LeaveButton workspace={workspace} />}
        {(mayRemove || mayTransfer) && (
          <Menu
            trigger={
              <Button kind="bare" aria-label={`Actions for ${name}`} className="px-2!" disabled={isBusy}>
                <MoreHorizontal className="size-4" aria-hidden="true" />
              </Button>
            }
          >
            {mayTransfer && <MenuItem onClick={() => setAsking("transfer")}>Make the owner</MenuItem>}
            {mayRemove && <MenuItem onClick={() => setAsking("remove")}>Remove</MenuItem>}
          </Menu>
        )}
      </div>
      {error !== null && (
        <div className="mt-2">
          <Refusal error={error} />
        </div>
      )}
      <Confirm
        isOpen={asking === "remove"}
        title={`Remove “${name}”?`}
        word="Remove"
        kind="danger"
        onConfirm={remove}
        onClose={() => setAsking(null)}
      >
        They have no access from their next request on{member.role === "admin" && ", and their invitations end"}. What
        they made stays in the workspace.
      </Confirm>
      <Confirm
        isOpen={asking === "transfer"}
        title={`Make “${name}” the owner?`}
        word="Transfer the ownership"
        kind="danger"
        onConfirm={transfer}
        onClose={() => setAsking(null)}
      >
        You become an admin. Only the new owner can give the ownership back.
      </Confirm>
    </li>
  );
}
