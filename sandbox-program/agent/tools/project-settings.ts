// The project_settings tool: reads the project's settings, or writes them and applies them here.
// Setup runs, the services restart, and the agent gets the result of each command and each
// endpoint.
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod/mini";
import { networkModes } from "../../../src/network/rules/network.ts";
import { presetNames } from "../../../src/network/rules/presets.ts";
import { listVariableValues, mask } from "../../../src/project/rules/settings.ts";
import type { Redaction } from "../../../src/rules/redaction.ts";
import type { ServicePlan } from "../../../src/sandbox-protocol/protocol.ts";
import { environmentSchema, serviceSchema } from "../../../src/sandbox-protocol/schemas.ts";
import type { Folders } from "../../folders.ts";
import { readAs } from "../../http/body.ts";
import { isRefusal } from "../../http/refusal.ts";
import { toFields } from "../../http/unknown-fields.ts";
import type { Environment } from "../../process/environment.ts";
import { requireCheckout, writeCheckout } from "../../project/checkout-record.ts";
import { runSetup } from "../../project/setup.ts";
import type { Services } from "../../services/services.ts";
import type { AgentTool } from "../agent.ts";
import { callService, type ServiceEndpoint } from "./service-task.ts";

export interface SettingsAccess {
  folders: Folders;
  endpoint: ServiceEndpoint;
  services: Pick<Services, "apply" | "status" | "log">;
  redaction: Redaction;
}

interface AnsweredSettings {
  shown: string;
  plan: { setup: string[]; services: ServicePlan[]; env: Environment; hostEnv?: Environment | undefined } | null;
}

const answerSchema: z.ZodMiniType<AnsweredSettings> = z.object({
  shown: z.string(),
  plan: z.nullable(
    z.object({
      setup: z.array(z.string()),
      services: z.array(serviceSchema),
      env: environmentSchema,
      hostEnv: z.optional(environmentSchema),
    }),
  ),
});

/** Services that do not all respond within this time are reported as they are. */
const servicesWaitMs = 60_000;
const lookEveryMs = 200;
/** A service that was restarted this often will not recover by itself. */
const restartsGivenUp = 2;
const shownLogCharacters = 2_000;

export const projectSettingsTool = "project_settings";

/** The project_settings tool of a turn. */
export function createProjectSettingsTool({ folders, endpoint, services, redaction }: SettingsAccess): AgentTool {
  return {
    name: projectSettingsTool,
    label: "Project settings",
    description:
      "Read the project's settings, without any field; or write the fields given, each as a whole. Written settings are applied here immediately: " +
      "setup runs and the services restart. The result reports on each command and endpoint. Values of variables are shown masked; a " +
      "mask that is sent back keeps its value.",
    parameters: {
      type: "object",
      properties: {
        setup: {
          type: "array",
          items: { type: "string" },
          description: "Shell commands that prepare a fresh checkout",
        },
        services: {
          type: "array",
          description: "What runs beside the agent",
          items: {
            type: "object",
            properties: {
              name: { type: "string", description: "Letters, digits, `-` and `_`" },
              command: { type: "string", description: "The shell command; its first endpoint's port is in PORT" },
              cwd: { type: "string", description: "A folder relative to the project's root" },
              env: { type: "object", additionalProperties: { type: "string" } },
              endpoints: {
                type: "array",
                items: {
                  type: "object",
                  properties: {
                    name: { type: "string" },
                    port: { type: "integer" },
                    public: { type: "boolean", description: "True for what people open in a browser" },
                    healthPath: { type: "string", description: "A path that answers once the service is up" },
                  },
                  required: ["port", "public"],
                },
              },
            },
            required: ["name", "command", "endpoints"],
          },
        },
        env: {
          type: "object",
          additionalProperties: { type: "string" },
          description: "Variables of setup, services and commands",
        },
        proposedNetwork: {
          type: "object",
          description:
            "What the project's sandboxes should be able to reach, for a member to decide. It changes no network and restarts nothing, so send it by itself.",
          properties: {
            mode: { type: "string", enum: [...networkModes], description: "`closed` reaches only the service" },
            presets: { type: "array", items: { type: "string", enum: [...presetNames] } },
            hosts: { type: "array", items: { type: "string", description: "A name, or `*.` and a name" } },
          },
          required: ["mode"],
        },
      },
    },
    async run(input, signal) {
      const { shown, plan } = readAs(
        answerSchema,
        await callService(endpoint, "project-settings", toFields(input), signal),
      );
      if (plan === null) return { text: shown, endsTurn: false, event: null };
      redaction.add(listVariableValues(plan));
      const setup = await setUpWith(folders, plan, signal);
      signal.throwIfAborted();
      await services.apply({ ...plan, restart: true });
      const answers = await watched(services, plan.services, signal);
      return { text: ["The settings are written.", setup, ...answers].join("\n"), endsTurn: false, event: null };
    },
  };
}

type Plan = NonNullable<AnsweredSettings["plan"]>;

/**
 * Runs the setup and returns its result. The outcome is recorded, so that the next start does not
 * run a setup again that has run, and no earlier failure is reported.
 */
async function setUpWith(folders: Folders, { setup, env }: Plan, signal: AbortSignal): Promise<string> {
  const record = requireCheckout(folders);
  try {
    await runSetup(folders, setup, env, { signal });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await writeCheckout(folders, { ...record, isSetUp: false, setupFailure: error.message });
    return error.message;
  }
  await writeCheckout(folders, { ...record, isSetUp: true, setupFailure: undefined });
  return setup.length === 0 ? "There is no setup." : "Setup has run.";
}

/** Waits until every endpoint responds, and returns the state of each service. */
async function watched(
  services: SettingsAccess["services"],
  plans: ServicePlan[],
  signal: AbortSignal,
): Promise<string[]> {
  const givenUpAt = Date.now() + servicesWaitMs;
  for (;;) {
    signal.throwIfAborted();
    const statuses = await services.status();
    const open = statuses.filter(({ answers }) => answers === false);
    const isHopeless = open.length > 0 && open.every(({ run }) => (run?.restarts ?? 0) >= restartsGivenUp);
    if (open.length === 0 || isHopeless || Date.now() >= givenUpAt)
      return plans.flatMap((plan) => listReports(services, plan, statuses));
    await sleep(lookEveryMs);
  }
}

function listReports(
  services: Pick<Services, "log">,
  { name, endpoints }: ServicePlan,
  statuses: Awaited<ReturnType<Services["status"]>>,
): string[] {
  const status = statuses.find((one) => one.name === name);
  const reports = endpoints.map(({ port }) => {
    const answers = status?.answeringPorts?.includes(port) === true;
    return `${name}: port ${port} ${answers ? "answers" : "does not answer"}.`;
  });
  if (status?.answers !== false) return endpoints.length === 0 ? [`${name}: started.`] : reports;
  const how = status.run?.lastExit ? `It ${status.run.lastExit.how}. ` : "";
  return [...reports, `${how}The end of its log:\n${services.log(name).log.slice(-shownLogCharacters)}`];
}

/** The values of variables in the tool's input, which must not appear in an event. */
export function listWrittenValues(input: unknown): string[] {
  const { env, services } = toFields(input);
  const environments = [env, ...(Array.isArray(services) ? services.map((service) => toFields(service).env) : [])];
  return environments.flatMap((environment) =>
    Object.values(toFields(environment)).filter(
      (value): value is string => typeof value === "string" && value !== mask,
    ),
  );
}

/** The tool's input for display: every value of a variable is masked, even a short one. */
export function toMaskedInput(input: unknown): unknown {
  const fields = toFields(input);
  const masked = (environment: unknown) =>
    Object.fromEntries(Object.keys(toFields(environment)).map((name) => [name, mask]));
  const withMask = (holder: Record<string, unknown>) =>
    "env" in holder ? { ...holder, env: masked(holder.env) } : holder;
  const { services } = fields;
  const shown = withMask(fields);
  return Array.isArray(services)
    ? { ...shown, services: services.map((service) => withMask(toFields(service))) }
    : shown;
}
