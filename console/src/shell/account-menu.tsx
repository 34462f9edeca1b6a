// The menu of the person at the foot of the rail: their account, their workspaces, the keys, and
// the sign-out.

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { BookOpen, Building2, CircleUser, Keyboard, LogOut } from "lucide-react";
import type { ReactElement } from "react";
import { useSignOut } from "../account/sign-out.tsx";
import { Menu, MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Name } from "../ui/visible-text.tsx";
import { openDocs } from "./open-docs.ts";
import { workspacesQuery } from "./profile.ts";

export function AccountMenu({ trigger, onHelp }: { trigger: ReactElement; onHelp: () => void }) {
  const navigate = useNavigate();
  const { ask, asking, error } = useSignOut();
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  return (
    <div className="min-w-0 flex-1">
      {error !== null && <Refusal error={error} />}
      <Menu trigger={trigger}>
        <MenuItem onClick={() => navigate({ to: "/account" })}>
          <CircleUser className="size-4 text-quiet" aria-hidden="true" /> Your account
        </MenuItem>
        {workspaces.map(({ id, name }) => (
          <MenuItem key={id} onClick={() => navigate({ to: "/w/$workspace", params: { workspace: id } })}>
            <Building2 className="size-4 shrink-0 text-quiet" aria-hidden="true" />
            <Name className="max-w-56 truncate">{name}</Name>
          </MenuItem>
        ))}
        <MenuItem onClick={openDocs}>
          <BookOpen className="size-4 text-quiet" aria-hidden="true" /> Docs
        </MenuItem>
        <MenuItem onClick={onHelp}>
          <Keyboard className="size-4 text-quiet" aria-hidden="true" /> Keys
        </MenuItem>
        <MenuSeparator />
        <MenuItem onClick={ask}>
          <LogOut className="size-4 text-quiet" aria-hidden="true" /> Sign out
        </MenuItem>
      </Menu>
      {asking}
    </div>
  );
}
