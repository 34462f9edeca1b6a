// Networks on the wire.
import * as z from "zod";
import { exampleSandboxKey, formatTime, timestamp } from "../lib/wire.ts";
import {
  networkHostsMax,
  networkSecretHostsMax,
  networkSecretMaxCharacters,
  networkSecretMinCharacters,
  networkSeenMax,
} from "../rules/limits.ts";
import { networkModes } from "./rules/network.ts";
import { type ShownSecret, secretPlaces } from "./rules/network-secret.ts";
import { presetNames } from "./rules/presets.ts";

const mode = z.enum(networkModes).meta({
  id: "NetworkMode",
  description: "`open`: everything. `hosts`: the service and the listed hosts. `closed`: only the service.",
});

const exampleNetwork = { mode: "hosts" as const, presets: ["npm" as const], hosts: ["*.example.com"], strict: false };

const networkFields = {
  mode,
  presets: z.array(z.enum(presetNames)).max(presetNames.length).default([]).describe("Named lists of hosts."),
  hosts: z
    .array(z.string())
    .default([])
    .describe(
      `More hosts, at most ${networkHostsMax}: a name, or \`*.\` and a name for all below it; with \`:80\` or \`:443\` for only that port.`,
    ),
  strict: z.boolean().default(false).describe("True if other names do not resolve."),
};

/** A network, which a PUT replaces. */
export const networkBody = z.strictObject(networkFields).meta({
  id: "NetworkSettings",
  description: "What sandboxes may reach.",
  examples: [{ mode: "hosts", presets: ["npm"], hosts: ["*.example.com"] }],
});

const networkSchema = z.object(networkFields).meta({
  id: "Network",
  description: "What sandboxes may reach, as it was set.",
  examples: [exampleNetwork],
});

const seenHostSchema = z.object({
  host: z.string().describe("The host's name."),
  port: z.int().describe("The port, 80 or 443 for an allowed one."),
  isAllowed: z.boolean().describe("False for one that was refused."),
  count: z.int().describe("The number of requests for it."),
});

const exampleInForce = { mode: "hosts" as const, hosts: ["*.example.com", "registry.npmjs.org"], strict: false };

export const projectNetworkSchema = z
  .object({
    network: networkSchema.describe("The project's or the workspace's network."),
    inForce: z
      .object({
        mode,
        hosts: z.array(z.string()).describe("All patterns, with those of presets."),
        strict: z.boolean().describe("As in the network."),
      })
      .describe("The network of the next sandbox, under the workspace's ceiling."),
    isEnforced: z.boolean().describe("True if it is enforced here. If it is not, no sandbox starts."),
    outdated: z.array(z.string()).describe("The keys of running sandboxes with an older network."),
    seen: z
      .array(seenHostSchema)
      .describe(`The hosts that running sandboxes asked for, at most ${networkSeenMax}. None with the mode \`open\`.`),
    proposal: networkSchema
      .nullable()
      .describe("What the deploy agent proposed. It changes no sandbox until a member sets it."),
  })
  .meta({
    id: "ProjectNetwork",
    description: "What the sandboxes of a project may reach.",
    examples: [
      {
        network: exampleNetwork,
        inForce: exampleInForce,
        isEnforced: true,
        outdated: [exampleSandboxKey],
        seen: [{ host: "registry.npmjs.org", port: 443, isAllowed: true, count: 12 }],
        proposal: { ...exampleNetwork, presets: ["npm", "github"] },
      },
    ],
  });

export const workspaceNetworkBody = z
  .strictObject({
    default: networkBody.describe("The network of projects without their own."),
    ceiling: mode.describe("The widest mode of a project."),
  })
  .meta({ examples: [{ default: { mode: "open" }, ceiling: "open" }] });

export const workspaceNetworkSchema = z
  .object({
    default: networkSchema.describe("The network of projects without their own."),
    ceiling: mode.describe("No project can have a wider one."),
    isEnforced: z.boolean().describe("True if it is enforced here."),
  })
  .meta({
    id: "WorkspaceNetwork",
    description: "What the sandboxes of a workspace may reach.",
    examples: [{ default: exampleNetwork, ceiling: "hosts", isEnforced: true }],
  });

/** A network secret, which a PUT replaces. */
export const networkSecretBody = z
  .strictObject({
    value: z
      .string()
      .describe(
        `The value: ${networkSecretMinCharacters} to ${networkSecretMaxCharacters.toLocaleString("en-US")} visible ASCII characters. No response contains it.`,
      ),
    onlyTo: z
      .array(z.string())
      .describe(
        `The hosts that may receive it, 1 to ${networkSecretHostsMax}: whole names, without wildcards and ports.`,
      ),
    as: z
      .enum(secretPlaces)
      .default("header")
      .describe(
        "Where requests contain it. `header`: in any header. `basic`: in the user name or password of Basic authorization. `query`: in the query.",
      ),
  })
  .meta({ examples: [{ value: "sk-proj-8f2c41d97a", onlyTo: ["api.openai.com"], as: "header" }] });

export const networkSecretSchema = z
  .object({
    name: z.string().describe("The name of the variable."),
    onlyTo: z.array(z.string()).describe("The hosts that may receive the value."),
    as: z.enum(secretPlaces).describe("Where requests contain it."),
    placeholder: z.string().describe("What the variable contains in sandboxes. It stays when the value is replaced."),
    createdAt: timestamp.describe("When the secret was first set."),
    updatedAt: timestamp.describe("When its value was last set."),
  })
  .meta({
    id: "NetworkSecret",
    description: "A variable whose value no sandbox contains.",
    examples: [
      {
        name: "OPENAI_API_KEY",
        onlyTo: ["api.openai.com"],
        as: "header",
        placeholder: "sk-proj-svc_held_k3v9x0q2m7t1b8c5z4n6p0d2f8h1j7w3",
        createdAt: "2026-01-31T09:00:00.000Z",
        updatedAt: "2026-01-31T09:00:00.000Z",
      },
    ],
  });

export const networkSecretsMeta = z
  .object({ isEnforced: z.boolean().describe("True if it is enforced here.") })
  .describe("How far the service enforces them.");

/** A network secret in its wire format. */
export function toNetworkSecretWire({ createdAt, updatedAt, ...secret }: ShownSecret) {
  return { ...secret, createdAt: formatTime(createdAt), updatedAt: formatTime(updatedAt) };
}
