// The menu of the person at the foot of the rail: their account, the keys, and the sign-out.
import { useNavigate } from "@tanstack/react-router";
import { CircleUser, Keyboard, LogOut } from "lucide-react";
import type { ReactElement } from "react";
import { useSignOut } from "../account/sign-out.tsx";
import { Menu, MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { Refusal } from "../ui/refusal.tsx";

export function AccountMenu({ trigger, onHelp }: { trigger: ReactElement; onHelp: () => void }) {
  const navigate = useNavigate();
  const { ask, asking, error } = useSignOut();
  return (
    <div className="min-w-0 flex-1">
      {error !== null && <Refusal error={error} />}
      <Menu trigger={trigger}>
        <MenuItem onClick={() => navigate({ to: "/account" })}>
          <CircleUser className="size-4 text-quiet" aria-hidden="true" /> Your account
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
