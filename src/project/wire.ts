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
  description: `Variables, at most ${variablesMax}, with values of ${amount(variableValueBytes)} bytes. No name begins with \`SWITCHYARD_\`. Values are answered as \`${mask}\`; sent back, that keeps the value.`,
});

const endpointSchema = z.strictObject({
  name: name.optional().describe("Distinguishes it from the service's other endpoints."),
  port: z.int().min(1).max(65_535).describe("The port that the service listens on. No other endpoint has it."),
  public: z.boolean().describe("True for one that a preview shows."),
  healthPath: z
    .string()
    .max(filePathCharacters)
    .regex(/^\/[!-~]*$/, "must begin with `/`, in printable ASCII characters without spaces")
    .optional()
    .describe("The path that says whether it is up. Without one, it is up when it takes a connection."),
});

const serviceSchema = z.strictObject({
  name: name.describe("Its name, which is a part of its preview's host name."),
  command: command.describe("The shell command that runs it."),
  cwd: z
    .string()
    .max(filePathCharacters)
    .optional()
    .describe("The folder that it runs in, relative to the project's root; the root by default."),
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
    setup: z.array(command).max(setupCommandsMax).describe("The shell commands that prepare a fresh checkout."),
    services: z.array(serviceSchema).max(servicesMax).describe("What runs beside the agent."),
    env: environment.describe("The variables of setup, services and the agent's commands."),
    warmPool: z.boolean().optional().describe("False keeps no spare sandboxes for new sessions."),
  })
  .meta({ examples: [exampleSettings] });

export const projectSettingsSchema = settingsBody.meta({
  id: "ProjectSettings",
  description: "How a project is set up, and what it runs.",
  examples: [exampleSettings],
});
