// The Deploy Chat: how the newest Deploy stands, and its messages.
import { projectObject } from "../../../durable-objects/address.ts";
import { streamed } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { deployFacts } from "../facts.ts";
import { deployChatOnWire, deployChatSchema } from "../wire/chat.ts";

const read = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/deploy-messages",
  operation: "readDeployChat",
  summary: "Read the Deploy Chat: how the newest Deploy stands, and every message since a member last started one.",
  tag: "Deploys",
  access: "deploy.read",
  noun: "project",
  with: ["workspaceCredentials"],
  answers: { status: 200, data: deployChatSchema },
  async handle({ env, found }) {
    const { view, messages } = await projectObject(env, found.project.id).deployChat(deployFacts(found));
    return streamed("messages", messages, deployChatOnWire(found.project.id, view, found.workspaceCredentials));
  },
});

export const deployMessageRoutes = [read];
