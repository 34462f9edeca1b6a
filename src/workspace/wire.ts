// Workspaces and projects on the wire, where a workspace is called an organization.
import * as z from "zod";
import { type Role, roles } from "../access/rules/membership.ts";
import { exampleAuthor, exampleIds, exampleTimes, formatTime, formatTimeOrNull, timestamp, uuid } from "../lib/wire.ts";
import type { ProjectRecord } from "../project/queries.ts";
import { workspaceNameCharactersMax, workspaceSlugCharactersMax, workspaceSlugCharactersMin } from "../rules/limits.ts";
import type { Invitation } from "./queries/invitations.ts";
import type { Member } from "./queries/members.ts";
import type { Workspace } from "./queries/workspaces.ts";
import { planNames, plans } from "./rules/billing-plan.ts";
import { grantedRoles } from "./rules/member.ts";
import { workspaceSlugPattern } from "./rules/workspace.ts";

export const workspaceName = z.string().trim().min(1).max(workspaceNameCharactersMax).describe("The name for people.");
export const workspaceSlug = z
  .string()
  .min(workspaceSlugCharactersMin)
  .max(workspaceSlugCharactersMax)
  .regex(workspaceSlugPattern, "must be lower-case Latin letters and digits, with hyphens between them")
  .describe("The unique name in addresses.");

/** A workspace beside what a person has in it. */
export const namedWorkspaceSchema = z
  .object({
    workspaceId: z.string().describe("The workspace's id."),
    workspaceName: z.string().describe("The workspace's name."),
  })
  .meta({ id: "NamedWorkspace", description: "A workspace, by its id and its name." });

export const workspaceItemSchema = z
  .object({
    id: z.string().describe("The workspace's id."),
    name: z.string().describe("The name for people."),
    slug: z.string().describe("The name for addresses."),
    logo: z.string().nullable().describe("The workspace's logo; null where it has none."),
    suspendedAt: timestamp.nullable().describe("When an operator suspended it. Its calls are refused. Else null."),
  })
  .meta({
    id: "Workspace",
    description: "A workspace.",
    examples: [{ id: exampleIds.workspace, name: "Switchyard Demo", slug: "demo", logo: null, suspendedAt: null }],
  });

const exampleWorkspace = {
  id: exampleIds.workspace,
  name: "Switchyard Demo",
  slug: "demo",
  logo: null,
  suspendedAt: null,
  timezone: "Europe/Berlin",
  defaultModel: "anthropic:opus__high",
  spendLimitUsd: 500,
  generatedTitles: false,
  role: "owner",
  plan: "team",
  storage: { usedBytes: 48_234_496, maxBytes: 214_748_364_800 },
};

export const workspaceSchema = workspaceItemSchema
  .extend({
    timezone: z.string().describe("The name of the timezone that its crons follow."),
    defaultModel: z.string().nullable().describe("The default model of its sessions."),
    spendLimitUsd: z
      .number()
      .nullable()
      .describe("What model calls on its credentials may cost a month, in US dollars; null for no limit."),
    generatedTitles: z.boolean().describe("True if a model writes the titles of sessions."),
    role: z.enum(roles).nullable().describe("The caller's role in it; null for an agent."),
    plan: z.enum(planNames).describe("Its plan."),
    storage: z
      .object({
        usedBytes: z.int().describe("Attachments, artifacts, Prototypes, skills, long outputs and saved work."),
        maxBytes: z.int().describe("What its plan allows. Uploads above it are refused; saved work is not."),
      })
      .describe("What the workspace stores, in bytes."),
  })
  .meta({
    id: "WorkspaceRecord",
    description: "A workspace with its settings.",
    examples: [exampleWorkspace],
  });

export function toWireWorkspace(
  {
    id,
    name,
    slug,
    logo,
    timezone,
    defaultModel,
    spendLimitUsd,
    generatedTitles,
    plan,
    storedBytes,
    suspendedAt,
  }: Omit<Workspace, "createdAt" | "network">,
  role: Role | null,
): z.infer<typeof workspaceSchema> {
  const storage = { usedBytes: storedBytes, maxBytes: plans[plan].maxStorageBytes };
  const item = toWireWorkspaceItem({ id, name, slug, logo, suspendedAt });
  return { ...item, timezone, defaultModel, spendLimitUsd, generatedTitles, role, plan, storage };
}

export function toWireWorkspaceItem({
  id,
  name,
  slug,
  logo,
  suspendedAt,
}: Pick<Workspace, "id" | "name" | "slug" | "logo" | "suspendedAt">): z.infer<typeof workspaceItemSchema> {
  return { id, name, slug, logo, suspendedAt: formatTimeOrNull(suspendedAt) };
}

export const projectSchema = z
  .object({
    id: uuid.describe("The project's id."),
    orgId: z.string().describe("The id of its workspace."),
    name: z.string().describe("The name for people."),
    repository: z.string().describe("Its repository at the code host, as `owner/name`."),
    targetBranch: z.string().describe("The branch of new pull requests."),
    deployStatus: z.string().describe("The state of the project's Deploy."),
    createdAt: timestamp.describe("When it was added."),
    updatedAt: timestamp.describe("When it was last changed."),
  })
  .meta({
    id: "Project",
    description: "A code repository of a workspace.",
    examples: [
      {
        id: exampleIds.project,
        orgId: exampleIds.workspace,
        name: "departures",
        repository: "demo/departures",
        targetBranch: "main",
        deployStatus: "deployed",
        createdAt: exampleTimes.started,
        updatedAt: exampleTimes.started,
      },
    ],
  });

export function toWireProject(project: ProjectRecord): z.infer<typeof projectSchema> {
  const { id, workspaceId, name, repository, targetBranch, deployStatus, createdAt, updatedAt } = project;
  return {
    id,
    orgId: workspaceId,
    name,
    repository,
    targetBranch,
    deployStatus,
    createdAt: formatTime(createdAt),
    updatedAt: formatTime(updatedAt),
  };
}

/** A role that a request can assign. */
export const grantedRole = z.enum(grantedRoles).describe("The new role.");

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
    examples: [{ ...exampleAuthor, role: "member", joinedAt: exampleTimes.started }],
  });

export function toWireMember({ joinedAt, ...member }: Member): z.infer<typeof memberSchema> {
  return { ...member, joinedAt: formatTime(joinedAt) };
}

const exampleToken = "bT3xQ9a1.eyJ2YWx1ZSI6eyJpZCI6IjAxOWExYzVkIn19.3kJ9vT0bYcR5mW8pL1nZ6dF2gH4sA7eUqXoIyBtx7Qa";

/** An invitation to a workspace on the wire, with its token and the URL of its page. */
export const invitationSchema = z
  .object({
    id: uuid.describe("The invitation's id."),
    email: z.string().describe("The invited address, in lower case."),
    role: z.enum(grantedRoles).describe("The role that is offered."),
    token: z.string().describe("What the invited person accepts it with."),
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

export function toWireInvitation(
  { id, email, role, expiresAt }: Invitation,
  token: string,
  publicUrl: string,
): z.infer<typeof invitationSchema> {
  return { id, email, role, token, url: `${publicUrl}${getInvitationPath(token)}`, expiresAt: formatTime(expiresAt) };
}

/** The path of an invitation's page. */
export function getInvitationPath(token: string): string {
  return `/invitations/${token}`;
}
