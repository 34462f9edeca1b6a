// A personal plugin on the wire.
import * as z from "zod";
import { exampleIds, exampleTimes, formatTime, timestamp } from "../lib/wire.ts";
import { namedWorkspaceSchema } from "../workspace/wire.ts";
import type { OfferedPlugin } from "./queries/plugins.ts";
import { pluginProviders } from "./rules/plugin.ts";

const workspacesSchema = z.array(namedWorkspaceSchema);
const named = (parts: string) => z.array(z.string()).describe(`The names of its ${parts}.`);

export const pluginSchema = z
  .object({
    id: z.string().describe("`<plugin>@<marketplace>`."),
    provider: z.enum(pluginProviders).describe("Whose marketplace offers it."),
    name: z.string().describe("Its name in messages: `/<name>:<skill>`."),
    marketplace: z.string().describe("The marketplace's own name."),
    description: z.string().nullable().describe("What it is for."),
    category: z.string().nullable().describe("The marketplace's category."),
    author: z.string().nullable().describe("Who made it."),
    version: z.string().nullable().describe("Its own version."),
    components: z
      .object({
        skills: named("skills"),
        commands: named("commands"),
        agents: named("agents"),
        hooks: named("hooks"),
        lspServers: named("language servers"),
      })
      .describe("The names of the parts that it has."),
    enabled: z.boolean().describe("True if you have it on."),
    lastInstallFailure: z
      .object({
        message: z.string().describe("What went wrong."),
        failedAt: timestamp.describe("When it did."),
        workspaceId: z.string().describe("The workspace of the session."),
        sessionId: z.string().describe("The session in whose sandbox it did."),
      })
      .nullable()
      .describe("Why its last install failed; null after a success or a switch."),
    workspaces: workspacesSchema.describe("The workspaces in whose sessions you have it."),
  })
  .meta({
    id: "PersonalPlugin",
    description: "A plugin of the Official Marketplaces.",
    examples: [
      {
        ...{ id: "timetable@claude-plugins", provider: "anthropic", name: "timetable", marketplace: "claude-plugins" },
        ...{ description: "Knows the timetable.", category: "data", author: "Acme", version: "1.2.0" },
        components: { skills: ["departures"], commands: ["stops"], agents: [], hooks: [], lspServers: [] },
        enabled: true,
        lastInstallFailure: {
          message: "The service answered 503.",
          failedAt: exampleTimes.later,
          workspaceId: exampleIds.workspace,
          sessionId: exampleIds.session,
        },
        workspaces: [{ workspaceId: exampleIds.workspace, workspaceName: "Acme" }],
      },
    ],
  });

/** `workspaces` are those of the caller. */
export function toWirePlugin(
  { isEnabled, failure, ...plugin }: OfferedPlugin,
  workspaces: z.infer<typeof workspacesSchema>,
): z.infer<typeof pluginSchema> {
  return {
    ...plugin,
    enabled: isEnabled,
    lastInstallFailure: failure && { ...failure, failedAt: formatTime(failure.failedAt) },
    workspaces: isEnabled ? workspaces : [],
  };
}
