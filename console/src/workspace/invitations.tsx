// The open invitations to a workspace: made by address, sent as a link, and revoked.

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { queryClient, service } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Select, TextInput } from "../ui/field.tsx";
import { clearSent, useKeptChoice, useKeptText } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { Ago } from "../ui/time.tsx";
import { useAct } from "../ui/use-act.ts";
import { Name } from "../ui/visible-text.tsx";
import { invitationsQuery, type Workspace } from "./queries.ts";
import { type GivenRole, roleHints, roleNames } from "./roles.ts";

export function Invitations({ workspace }: { workspace: Workspace }) {
  const query = invitationsQuery(workspace.id);
  const { data: invitations, error: unread } = useQuery(query);
  const [email, setEmail] = useKeptText(`invitation-address:${workspace.id}`);
  const [chosen, setChosen] = useKeptChoice(`invitation-role:${workspace.id}`);
  const role: GivenRole = chosen === "admin" ? "admin" : "member";
  const [madeId, setMadeId] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<{ id: string; email: string } | null>(null);
  const { act, error, isBusy } = useAct();
  const path = { workspaceId: workspace.id };
  const refresh = () => queryClient.invalidateQueries({ queryKey: query.queryKey });

  function invite(event: FormEvent): void {
    event.preventDefault();
    act(async () => {
      const body = { email: email.trim(), role };
      const { id } = await service.request("POST /api/organizations/{workspaceId}/invitations", { path, body });
      setMadeId(id);
      setEmail(clearSent(email));
      await refresh();
    });
  }

  function revoke(invitationId: string): void {
    setRevoking(null);
    act(async () => {
      await service.request("DELETE /api/organizations/{workspaceId}/invitations/{invitationId}", {
        path: { ...path, invitationId },
      });
      await refresh();
    });
  }

  return (
    <>
      <form onSubmit={invite} className="flex flex-wrap gap-2">
        <TextInput
          type="email"
          value={email}
          onChange={({ target }) => setEmail(target.value)}
          aria-label="Email address"
          placeholder="Email address"
          autoComplete="off"
          required
          className="w-auto! min-w-48 flex-1"
        />
        <Select aria-label="Role of the person" value={role} onChange={({ target }) => setChosen(target.value)}>
          <option value="member">{roleNames.member}</option>
          <option value="admin">{roleNames.admin}</option>
        </Select>
        <Button type="submit" disabled={isBusy || email.trim() === ""}>
          Invite
        </Button>
      </form>
      <p className="mt-1 text-meta text-quiet">{roleHints[role]}</p>
      {[unread, error].map(
        (one, index) =>
          one !== null && (
            // biome-ignore lint/suspicious/noArrayIndexKey: there are always these two.
            <div key={index} className="mt-4">
              <Refusal error={one} />
            </div>
          ),
      )}
      {invitations?.length === 0 && <p className="mt-4 text-quiet">No invitation is open.</p>}
      <ul className="mt-4 divide-y divide-line">
        {invitations?.map(({ id, email: invited, role: offered, url, expiresAt }) => (
          <li key={id} className={`py-3 ${id === madeId ? "-mx-3 rounded-control bg-accent-tint px-3" : ""}`}>
            <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
              <span className="min-w-40 flex-1">
                <Name className="block truncate font-medium" title={invited}>
                  {invited}
                </Name>
                <span className="flex flex-wrap gap-x-2 text-meta text-quiet">
                  <span>{roleNames[offered]}</span>
                  <span>
                    expires <Ago at={expiresAt} />
                  </span>
                </span>
              </span>
              <CopyButton text={url} word="Copy the link" about={invited} />
              <Button kind="bare" disabled={isBusy} onClick={() => setRevoking({ id, email: invited })}>
                Revoke<span className="sr-only"> the invitation of {invited}</span>
              </Button>
            </div>
            {id === madeId && (
              <p role="status" className="mt-2 text-ui">
                Send this link to <Name>{invited}</Name>:{" "}
                <span className="select-all font-mono text-code [overflow-wrap:anywhere]">{url}</span>
              </p>
            )}
          </li>
        ))}
      </ul>
      <Confirm
        isOpen={revoking !== null}
        title={`Revoke the invitation of “${revoking?.email}”?`}
        word="Revoke"
        kind="danger"
        onConfirm={() => revoking && revoke(revoking.id)}
        onClose={() => setRevoking(null)}
      >
        Nobody can accept it afterwards.
      </Confirm>
    </>
  );
}
