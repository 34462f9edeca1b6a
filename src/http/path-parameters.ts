// The parameters of paths. A name means the same in every path.
import { exampleIds } from "../lib/wire.ts";

export interface PathParameter {
  description: string;
  /**
   * True for UUIDs. The route then returns NOT_FOUND for a value that is not a UUID. Workspace ids
   * are opaque, and some parameters are not ids.
   */
  isUuid: boolean;
  example: string;
}

const id = (description: string, example: string): PathParameter => ({ description, isUuid: true, example });

const pathParameters: Partial<Record<string, PathParameter>> = {
  workspaceId: { description: "The workspace's id.", isUuid: false, example: exampleIds.workspace },
  userId: { description: "The user's id.", isUuid: false, example: exampleIds.user },
  projectId: id("The project's id.", exampleIds.project),
  sessionId: id("The session's id.", exampleIds.session),
  jobId: id("The job's id.", exampleIds.job),
  streamId: id("The stream's id, which is the id of the turn's job.", exampleIds.job),
  queuedMessageId: id("The waiting message's id.", exampleIds.queuedMessage),
  attachmentId: id("The attachment's id.", exampleIds.attachment),
  artifactId: id("The artifact's id.", exampleIds.artifact),
  prototypeId: id("The Prototype's id.", exampleIds.prototype),
  commentId: id("The review comment's id.", exampleIds.comment),
  invitationId: id("The invitation's id.", exampleIds.invitation),
  token: { description: "The token of the invitation.", isUuid: false, example: "eyJ2YWx1ZSI6e30.3kJ9vT0bYcR5" },
  provider: { description: "The model provider.", isUuid: false, example: "anthropic" },
  loginId: id("The login's id.", exampleIds.login),
  skillId: id("The skill's id.", exampleIds.skill),
  pluginId: { description: "The plugin's id.", isUuid: false, example: "timetable@claude-plugins" },
  keyId: id("The API key's id.", exampleIds.key),
  agentId: id("The connected agent's id.", exampleIds.key),
  triggerId: id("The trigger's id.", exampleIds.event),
  webhookId: id("The webhook's id.", exampleIds.webhook),
  deliveryId: id("The delivery's id, which is the id of its event.", exampleIds.event),
  relayKeyId: id("The relay key's id.", exampleIds.key),
  cronId: id("The cron's id.", exampleIds.cron),
  runId: id("The run's id.", exampleIds.run),
  serviceName: { description: "The service's name in the settings.", isUuid: false, example: "web" },
  secretName: { description: "The name of the variable.", isUuid: false, example: "OPENAI_API_KEY" },
  slug: { description: "The secret part of the public link.", isUuid: false, example: "q8Zt3vLw0bXc5mRk" },
  placeKind: { description: "The place's kind.", isUuid: false, example: "slack" },
  placeId: { description: "The place's id.", isUuid: false, example: "C1:1764000000.1" },
  place: { description: "The block's `index` within the job.", isUuid: false, example: "3" },
};

/** The declaration of a parameter. Throws for one that is not in the table. */
export function getPathParameter(name: string): PathParameter {
  const parameter = pathParameters[name];
  if (!parameter) throw new Error(`The path parameter ${name} is not described.`);
  return parameter;
}

/** The values of the parameters that a path names as `{name}`. */
export type PathParameters<Path extends string> = Record<ParameterName<Path>, string>;

type ParameterName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterName<Rest>
  : never;

/** The names of a path's parameters, in order. */
export function listParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}
