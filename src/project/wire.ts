// Project settings on the wire. Environment values are masked in responses.
import * as z from "zod";
import {
  endpointsPerServiceMax,
  filePathCharacters,
  projectCommandCharactersMax,
  serviceNameCharactersMax,
  servicesMax,
  setupCommandsMax,
  variablesMax,
  variableValueBytes,
} from "../rules/limits.ts";
import { mask } from "./rules/settings.ts";

const name = z
  .string()
  .min(1)
  .max(serviceNameCharactersMax)
  .regex(/^[A-Za-z0-9_-]+$/, "must be letters, digits, `-` and `_`");

const command = z.string().min(1).max(projectCommandCharactersMax);

const amount = (count: number) => count.toLocaleString("en-US");
const environment = z.record(z.string(), z.string()).meta({
  id: "Environment",
  description: `Variables, at most ${variablesMax}, with values of ${amount(variableValueBytes)} bytes. No name begins with \`SWITCHYARD_\`. Values are returned as \`${mask}\`; sent back, that keeps the value.`,
});

const endpointSchema = z.strictObject({
  name: name.optional().describe("Unique in the service."),
  port: z.int().min(1).max(65_535).describe("The unique port on which it listens."),
  public: z.boolean().describe("True for one that a preview shows."),
  healthPath: z
    .string()
    .max(filePathCharacters)
    .regex(/^\/[!-~]*$/, "must begin with `/`, in printable ASCII characters without spaces")
    .optional()
    .describe("The path of its health check. By default, a connection is enough."),
});

const serviceSchema = z.strictObject({
  name: name.describe("It is a part of its preview's host name."),
  command: command.describe("The shell command that runs it."),
  cwd: z.string().max(filePathCharacters).optional().describe("Its folder, relative to the project's root."),
  env: environment.optional().describe("The variables of only this service."),
  endpoints: z.array(endpointSchema).max(endpointsPerServiceMax).describe("Where it listens."),
});

const exampleSettings = {
  setup: ["npm ci"],
  services: [
    {
      name: "web",
      command: "npm run dev",
      env: { NODE_ENV: "development" },
      endpoints: [{ port: 3_000, public: true, healthPath: "/health" }],
    },
  ],
  env: { DATABASE_URL: mask },
};

/** All settings, which a PUT replaces. */
export const settingsBody = z
  .strictObject({
    setup: z
      .array(command)
      .max(setupCommandsMax)
      .describe("The commands that prepare a checkout, in 8 minutes together."),
    services: z.array(serviceSchema).max(servicesMax).describe("What runs beside the agent."),
    env: environment.describe("Variables of setup, services and the agent."),
    warmPool: z.boolean().optional().describe("False: no spare sandboxes for new sessions."),
  })
  .meta({ examples: [exampleSettings] });

export const projectSettingsSchema = settingsBody.meta({
  id: "ProjectSettings",
  description: "How a project is set up and runs.",
  examples: [exampleSettings],
});
