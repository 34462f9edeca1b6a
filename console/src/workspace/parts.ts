// The parts of a workspace's settings, and who reads them. A new part is a row here and a route.
import { type Access, isAtLeast, type Role } from "./roles.ts";

interface Part {
  to: `/w/$workspace${string}`;
  title: string;
  access: Access;
}

const parts = [
  { to: "/w/$workspace", title: "General", access: "member" },
  { to: "/w/$workspace/members", title: "Members", access: "member" },
  { to: "/w/$workspace/models", title: "Models", access: "member" },
  { to: "/w/$workspace/usage", title: "Usage", access: "member" },
  { to: "/w/$workspace/keys", title: "Keys", access: "admin" },
  { to: "/w/$workspace/webhooks", title: "Webhooks", access: "admin" },
  { to: "/w/$workspace/skills", title: "Skills", access: "member" },
  { to: "/w/$workspace/sandboxes", title: "Sandboxes", access: "member" },
  { to: "/w/$workspace/audit", title: "Audit log", access: "owner" },
] as const satisfies Part[];

/** The parts that a role reads. */
export const listParts = (role: Role) => parts.filter(({ access }) => isAtLeast(role, access));
