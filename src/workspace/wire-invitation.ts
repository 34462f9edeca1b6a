// An invitation to a workspace on the wire, with its token and the URL of its page.
import * as z from "zod";
import { exampleIds } from "../resources/example-values.ts";
import { time, timestamp, uuid } from "../resources/wire-values.ts";
import type { Invitation } from "./queries/invitations.ts";
import { grantedRoles } from "./rules/member.ts";

const exampleToken = "bT3xQ9a1.eyJ2YWx1ZSI6eyJpZCI6IjAxOWExYzVkIn19.3kJ9vT0bYcR5mW8pL1nZ6dF2gH4sA7eUqXoIyBtx7Qa";

export const invitationSchema = z
  .object({
    id: uuid.describe("The invitation's id."),
    email: z.string().describe("The address that is invited, in lower case."),
    role: z.enum(grantedRoles).describe("The role that is offered."),
    token: z.string().describe("What the invitation is accepted with, by the user who has the address."),
    url: z.string().describe("The page on which it is accepted. Send it to them."),
    expiresAt: timestamp.describe("When it ends unless it is accepted."),
  })
  .meta({
    id: "Invitation",
    description: "An open invitation to a workspace.",
    examples: [
      {
        id: exampleIds.invitation,
        email: "mia@example.com",
        role: "member",
        token: exampleToken,
        url: `https://switchyard.example.com/invitations/${exampleToken}`,
        expiresAt: "2026-02-07T09:30:00.000Z",
      },
    ],
  });

export function invitationOnWire(
  { id, email, role, expiresAt }: Invitation,
  token: string,
  publicUrl: string,
): z.infer<typeof invitationSchema> {
  return { id, email, role, token, url: `${publicUrl}${invitationPath(token)}`, expiresAt: time(expiresAt) };
}

/** The path of an invitation's page. */
export function invitationPath(token: string): string {
  return `/invitations/${token}`;
}
