// A part of the settings that another role than the person's reads, with a sentence in its place.
import type { ReactNode } from "react";
import type { Access } from "./roles.ts";
import { useWorkspace } from "./use-workspace.ts";

const sentences: Record<Exclude<Access, "member">, string> = {
  admin: "Only owners and admins see and change this. Ask one of them.",
  owner: "Only the owner sees this. Ask them.",
};

export function ForAdmins({ only = "admin", children }: { only?: "admin" | "owner"; children: ReactNode }) {
  const { may } = useWorkspace();
  return may(only) ? children : <p className="text-quiet">{sentences[only]}</p>;
}
