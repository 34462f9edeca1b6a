// The public API: all endpoints, and their OpenAPI document.

import * as z from "zod";
import { version } from "../package.json";
import { profileImageRoutes, profileRoutes } from "./account/routes/profile.ts";
import { codeHostRepositoryRoutes } from "./account/routes/repositories.ts";
import { codeHostAccountRoutes, signOutRoutes } from "./account/routes/sign-in.ts";
import { activityRoutes } from "./activity/routes.ts";
import { artifactRoutes } from "./artifact/routes/artifacts.ts";
import { prototypeRoutes } from "./artifact/routes/prototypes.ts";
import { auditRoutes } from "./audit/routes.ts";
import { changeRoutes } from "./checkout/routes/changes.ts";
import { fileRoutes } from "./checkout/routes/files.ts";
import { gitRoutes } from "./checkout/routes/git.ts";
import { pullRequestRoutes } from "./checkout/routes/pull-request.ts";
import { reviewCommentRoutes } from "./checkout/routes/review-comments.ts";
import { workRoutes } from "./checkout/routes/work.ts";
import { codeHostWebhookRoutes } from "./code-host/webhook-route.ts";
import { cronRoutes } from "./cron/routes/crons.ts";
import { cronRunRoutes } from "./cron/routes/runs.ts";
import { deployEventRoutes, deployMessageRoutes, deployRoutes } from "./deploy/routes/deploys.ts";
import { deployFileRoutes } from "./deploy/routes/files.ts";
import { deployQueueRoutes } from "./deploy/routes/queue.ts";
import { type Endpoint, publicEndpoint } from "./http/endpoint.ts";
import { loadOpenApiDocument } from "./http/openapi/document.ts";
import { bare, ok } from "./http/response.ts";
import { apiKeyRoutes } from "./key/routes/api-keys.ts";
import { deviceSignInRoutes } from "./key/routes/device-sign-in.ts";
import { relayKeyRoutes } from "./key/routes/relay-keys.ts";
import { modelRoutes } from "./model/routes.ts";
import { networkRoutes } from "./network/routes.ts";
import { networkSecretRoutes } from "./network/secret-routes.ts";
import { pushDeviceRoutes } from "./notification/routes.ts";
import { notificationSettingRoutes } from "./notification/settings-routes.ts";
import { findWebPushKey } from "./notification/web-push.ts";
import { connectedAgentRoutes } from "./oauth/routes.ts";
import { isOneMachine } from "./one-machine.ts";
import { pluginRoutes } from "./plugin/routes.ts";
import { previewRoutes } from "./preview/routes/preview.ts";
import { serviceRoutes } from "./preview/routes/services.ts";
import { shareLinkRoutes } from "./preview/routes/share-link.ts";
import { sharedPreviewRoutes } from "./preview/routes/shared-preview.ts";
import { choiceRoutes } from "./project/routes/choices.ts";
import { projectRoutes } from "./project/routes/projects.ts";
import { projectSettingsRoutes } from "./project/routes/settings.ts";
import { credentialSignInRoutes, signInRoutes } from "./provider-login/routes/connect.ts";
import { credentialRoutes } from "./provider-login/routes/credentials.ts";
import { subscriptionRoutes, subscriptionUsageRoutes } from "./provider-login/routes/subscriptions.ts";
import { isRefusal } from "./rules/refusal.ts";
import { workspaceSandboxRoutes } from "./sandbox/routes.ts";
import { eventRoutes } from "./session/routes/events.ts";
import { sessionListRoutes } from "./session/routes/lists.ts";
import { messageSearchRoutes } from "./session/routes/message-search.ts";
import { sessionQueueRoutes } from "./session/routes/queue.ts";
import { sessionSeenRoutes } from "./session/routes/seen.ts";
import { sessionRoutes } from "./session/routes/sessions.ts";
import { attachmentRoutes, outputRoutes, turnRoutes } from "./session/routes/turns.ts";
import { sessionChangeRoutes } from "./session/routes/update.ts";
import { personalSkillRoutes } from "./skill/routes/personal-skills.ts";
import { skillRoutes } from "./skill/routes/session-skills.ts";
import { workspaceSkillRoutes } from "./skill/routes/workspace-skills.ts";
import { terminalRoutes } from "./terminal/routes.ts";
import { triggerRoutes } from "./trigger/routes.ts";
import { usageRoutes } from "./usage/routes.ts";
import { webhookRoutes } from "./webhook/routes.ts";
import { workspaceEventRoutes } from "./workspace/routes/events.ts";
import { invitationRoutes } from "./workspace/routes/invitations.ts";
import { logoRoutes } from "./workspace/routes/logo.ts";
import { memberRoutes } from "./workspace/routes/members.ts";
import { workspaceRoutes } from "./workspace/routes/workspaces.ts";

/** The public liveness check. */
const meta = publicEndpoint({
  method: "GET",
  path: "/api/meta",
  operation: "readMeta",
  summary: "Read the version of the service.",
  tag: "Service",
  // Monitors and caches add their own parameters.
  query: z.looseObject({}),
  response: {
    status: 200,
    data: z
      .object({
        version: z.string().describe("The version of the service."),
        cli: z
          .object({
            version: z.string().describe("Its version."),
            url: z.string().describe("The script that installs it."),
          })
          .describe("The command line that the service serves."),
        webPushKey: z.string().nullable().describe("The key of browser notifications; null if there are none."),
      })
      .meta({ examples: [{ version, cli: { version, url: "https://switchyard.example.com/cli" }, webPushKey: null }] }),
  },
  async handle({ env }) {
    // The Worker and the program that it serves are deployed together, from one checkout.
    const cli = { version, url: `${new URL(env.PUBLIC_URL).origin}/cli` };
    return ok({ version, cli, webPushKey: await findWebPushKey(env) });
  },
});

const metaRoutes = [meta];

const documentSchema = z
  .record(z.string(), z.unknown())
  .meta({ description: "An OpenAPI 3.1 document.", examples: [{ openapi: "3.1.0" }] });

const documents = new Map<string, object>();

const openApi = publicEndpoint({
  method: "GET",
  path: "/api/openapi.json",
  operation: "readOpenApi",
  summary: "This document.",
  tag: "Service",
  hasETag: true,
  response: { status: 200, isBare: true, data: documentSchema },
  async handle({ env }) {
    // In one-machine mode the URL may be on loopback, which is useless in a document that is read
    // elsewhere.
    const serverUrl = isOneMachine(env) ? "/" : env.PUBLIC_URL;
    const document = documents.get(serverUrl) ?? (await loadOpenApiDocument(env, endpoints, serverUrl));
    if (isRefusal(document)) return document;
    documents.set(serverUrl, document);
    return bare(document);
  },
});

/** All endpoints of the public API. */
export const endpoints: Endpoint[] = [
  ...sessionRoutes,
  ...sessionListRoutes,
  ...sessionChangeRoutes,
  ...sessionSeenRoutes,
  ...messageSearchRoutes,
  ...turnRoutes,
  ...sessionQueueRoutes,
  ...reviewCommentRoutes,
  ...attachmentRoutes,
  ...outputRoutes,
  ...artifactRoutes,
  ...eventRoutes,
  ...fileRoutes,
  ...workRoutes,
  ...terminalRoutes,
  ...changeRoutes,
  ...pullRequestRoutes,
  ...gitRoutes,
  ...projectRoutes,
  ...choiceRoutes,
  ...projectSettingsRoutes,
  ...networkRoutes,
  ...networkSecretRoutes,
  ...deployRoutes,
  ...deployMessageRoutes,
  ...deployQueueRoutes,
  ...deployEventRoutes,
  ...deployFileRoutes,
  ...prototypeRoutes,
  ...previewRoutes,
  ...serviceRoutes,
  ...shareLinkRoutes,
  ...skillRoutes,
  ...sharedPreviewRoutes,
  ...codeHostWebhookRoutes,
  ...workspaceRoutes,
  ...workspaceEventRoutes,
  ...usageRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...credentialRoutes,
  ...credentialSignInRoutes,
  ...logoRoutes,
  ...profileRoutes,
  ...profileImageRoutes,
  ...subscriptionRoutes,
  ...subscriptionUsageRoutes,
  ...personalSkillRoutes,
  ...pluginRoutes,
  ...pushDeviceRoutes,
  ...notificationSettingRoutes,
  ...workspaceSkillRoutes,
  ...signInRoutes,
  ...workspaceSandboxRoutes,
  ...relayKeyRoutes,
  ...triggerRoutes,
  ...webhookRoutes,
  ...apiKeyRoutes,
  ...deviceSignInRoutes,
  ...connectedAgentRoutes,
  ...signOutRoutes,
  ...codeHostAccountRoutes,
  ...codeHostRepositoryRoutes,
  ...cronRoutes,
  ...cronRunRoutes,
  ...activityRoutes,
  ...auditRoutes,
  ...modelRoutes,
  ...metaRoutes,
  openApi,
];
