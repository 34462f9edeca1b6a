// A member of a workspace on the wire.
import * as z from "zod";
import { roles } from "../access/rules/membership.ts";
import { exampleAuthor, exampleTimes } from "../resources/example-values.ts";
import { time, timestamp } from "../resources/wire-values.ts";
import type { Member } from "./queries/members.ts";
import { grantedRoles } from "./rules/member.ts";

/** A role that a request can assign. */
export const grantedRole = z.enum(grantedRoles).describe("What they may do: `admin` or `member`.");

export const memberSchema = z
  .object({
    userId: z.string().describe("The user's id."),
    name: z.string().describe("The user's name."),
    email: z.string().describe("The user's email address."),
    imageUrl: z.string().nullable().describe("The user's picture; null where they have none."),
    role: z.enum(roles).describe("What they may do in the workspace."),
    joinedAt: timestamp.describe("When they became a member."),
  })
  .meta({
    id: "Member",
    description: "A member of a workspace.",
    examples: [{ ...exampleAuthor, role: "member", joinedAt: exampleTimes.begun }],
  });

export function memberOnWire({ joinedAt, ...member }: Member): z.infer<typeof memberSchema> {
  return { ...member, joinedAt: time(joinedAt) };
}
