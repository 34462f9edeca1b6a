// What sandboxes may reach: of a project, and of a workspace.
import { endpoint } from "../http/endpoint.ts";
import { ok } from "../http/response.ts";
import { isRefusal } from "../rules/refusal.ts";
import { readNetwork, readWorkspaceNetwork, updateNetwork, updateWorkspaceNetwork } from "./settings.ts";
import { networkBody, projectNetworkSchema, workspaceNetworkBody, workspaceNetworkSchema } from "./wire.ts";

const ofProject = {
  path: "/api/projects/{projectId}/network",
  tag: "Projects",
  noun: "project",
  response: { status: 200, data: projectNetworkSchema },
} as const;

const read = endpoint({
  ...ofProject,
  method: "GET",
  operation: "readNetwork",
  summary: "Read what a project's sandboxes may reach, and what the deploy agent proposes.",
  access: "network.read",
  async handle({ env, found }) {
    const network = await readNetwork(env, found.project.id);
    return isRefusal(network) ? network : ok(network);
  },
});

const put = endpoint({
  ...ofProject,
  method: "PUT",
  operation: "putNetwork",
  summary:
    "Set what a project's sandboxes may reach. They always reach the service. A proposal of the deploy agent is cleared.",
  access: "network.change",
  body: { schema: networkBody },
  refusals: ["BAD_REQUEST"],
  async handle({ env, now, found, body }) {
    const network = await updateNetwork(env, { projectId: found.project.id, network: body }, now);
    return isRefusal(network) ? network : ok(network);
  },
});

const ofWorkspace = {
  path: "/api/organizations/{workspaceId}/network",
  tag: "Workspaces",
  noun: "workspace",
  response: { status: 200, data: workspaceNetworkSchema },
} as const;

const readOfWorkspace = endpoint({
  ...ofWorkspace,
  method: "GET",
  operation: "readWorkspaceNetwork",
  summary: "Read what a workspace's sandboxes may reach by default, and at most.",
  access: "network.read",
  async handle({ env, found }) {
    return ok(await readWorkspaceNetwork(env, found.workspace.id));
  },
});

const putOfWorkspace = endpoint({
  ...ofWorkspace,
  method: "PUT",
  operation: "putWorkspaceNetwork",
  summary:
    "Set what a workspace's sandboxes may reach by default, and at most. A lower ceiling narrows every project, from the next start of each sandbox. Only the owner.",
  access: "workspace-network.change",
  body: { schema: workspaceNetworkBody },
  async handle({ env, found, body }) {
    const network = await updateWorkspaceNetwork(env, { workspaceId: found.workspace.id, network: body });
    return isRefusal(network) ? network : ok(network);
  },
});

export const networkRoutes = [read, put, readOfWorkspace, putOfWorkspace];
