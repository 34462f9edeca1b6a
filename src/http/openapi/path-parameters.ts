// What the document says of the parameters of paths. A name means the same in every path.
import { exampleIds } from "../../lib/wire.ts";

export interface PathParameter {
  description: string;
  example: string;
}

const toParameter = (description: string, example: string): PathParameter => ({ description, example });

const pathParameters: Partial<Record<string, PathParameter>> = {
  workspaceId: toParameter("The workspace's id.", exampleIds.workspace),
  userId: toParameter("The user's id.", exampleIds.user),
  projectId: toParameter("The project's id.", exampleIds.project),
  sessionId: toParameter("The session's id.", exampleIds.session),
  jobId: toParameter("The job's id.", exampleIds.job),
  streamId: toParameter("The stream's id, which is the id of the turn's job.", exampleIds.job),
  queuedMessageId: toParameter("The waiting message's id.", exampleIds.queuedMessage),
  attachmentId: toParameter("The attachment's id.", exampleIds.attachment),
  artifactId: toParameter("The artifact's id.", exampleIds.artifact),
  prototypeId: toParameter("The Prototype's id.", exampleIds.prototype),
  commentId: toParameter("The review comment's id.", exampleIds.comment),
  invitationId: toParameter("The invitation's id.", exampleIds.invitation),
  token: toParameter("The token of the invitation.", "eyJ2YWx1ZSI6e30.3kJ9vT0bYcR5"),
  provider: toParameter("The model provider.", "anthropic"),
  loginId: toParameter("The login's id.", exampleIds.login),
  skillId: toParameter("The skill's id.", exampleIds.skill),
  pluginId: toParameter("The plugin's id.", "timetable@claude-plugins"),
  keyId: toParameter("The API key's id.", exampleIds.key),
  agentId: toParameter("The connected agent's id.", exampleIds.key),
  triggerId: toParameter("The trigger's id.", exampleIds.event),
  webhookId: toParameter("The webhook's id.", exampleIds.webhook),
  deliveryId: toParameter("The delivery's id, which is the id of its event.", exampleIds.event),
  relayKeyId: toParameter("The relay key's id.", exampleIds.key),
  cronId: toParameter("The cron's id.", exampleIds.cron),
  runId: toParameter("The run's id.", exampleIds.run),
  serviceName: toParameter("The service's name in the settings.", "web"),
  secretName: toParameter("The name of the variable.", "OPENAI_API_KEY"),
  slug: toParameter("The secret part of the public link.", "q8Zt3vLw0bXc5mRk"),
  placeKind: toParameter("The place's kind.", "slack"),
  placeId: toParameter("The place's id.", "C1:1764000000.1"),
  place: toParameter("The block's `index` within the job.", "3"),
};

/** The description of a parameter. Throws for one that is not in the table. */
export function getPathParameter(name: string): PathParameter {
  const parameter = pathParameters[name];
  if (!parameter) throw new Error(`The path parameter ${name} is not described.`);
  return parameter;
}
