// Every route of the contract that requires a credential, with its action. `{session}`,
// `{project}`, `{workspace}` and `{cron}` abbreviate their paths; a `*` is an id.
import type { Action } from "../../../src/access/rules/permission-table.ts";

export interface Route {
  method: string;
  path: string;
  action: Action;
}

const lines = `
session.read             GET    {session}
session.read             GET    /api/chat-sessions/*
session.read             GET    {session}/jobs/chat
session.read             GET    {session}/jobs/chat/*
session.read             GET    {session}/messages
session.read             GET    {session}/queue
session.read             GET    {session}/events
session.read             GET    {session}/attachments/*
session.read             GET    {session}/jobs/chat/*/outputs/*
place.read               GET    {project}/places/*/*
session.list             GET    {project}/chat-sessions
session.search           GET    /api/chat-sessions
session.search           GET    /api/message-search
session.create           POST   {project}/chat-sessions
session.send             POST   {session}/jobs/chat
session.update           PUT    {session}
session.mark-seen        PUT    {session}/seen
session.activate         POST   {session}/activate
session.delete           DELETE {session}
runtime-command.run      POST   {session}/runtime-commands
turn.stop                POST   {session}/jobs/chat/*/cancel
up-next.change           PATCH  {session}/queue/*
up-next.change           POST   {session}/queue/*/move
up-next.change           POST   {session}/queue/*/send
up-next.change           POST   {session}/queue/*/steer
up-next.delete           DELETE {session}/queue/*
up-next.resume           POST   {session}/queue/resume
stream.read              GET    /api/streams/*

sandbox.use              GET    {project}/preview
sandbox.read             GET    {project}/preview/health
sandbox.use              POST   {project}/preview/reset
sandbox.read             GET    {project}/preview/services
sandbox.read             GET    {project}/preview/services/*/log
share-link.read          GET    {project}/preview/share
share-link.create        POST   {project}/preview/share
share-link.revoke        DELETE {project}/preview/share
sandbox.read             GET    {workspace}/sandbox-limit
sandbox.stop             POST   {workspace}/stop-sandboxes
terminal.open            GET    {session}/preview/terminal
files.read               GET    {session}/preview/files
files.read               GET    {session}/preview/files/content
files.read               GET    {session}/preview/git-state
files.read               GET    {session}/preview/changed-files
files.read               GET    {session}/preview/commits
files.read               GET    {session}/preview/diff
files.read               GET    {session}/pull-request
files.write              PUT    {session}/preview/files/content
files.read               GET    {session}/preview/work
git.commit               PUT    {session}/preview/work
git.commit               POST   {session}/preview/git/commit
git.commit               POST   {session}/preview/git/commit-message
git.push                 POST   {session}/preview/git/push
review-comment.read      GET    {session}/review-comments
review-comment.change    POST   {session}/review-comments
review-comment.change    PATCH  {session}/review-comments/*
review-comment.delete    DELETE {session}/review-comments/*
artifact.read            GET    {session}/artifacts
artifact.read            GET    {session}/artifacts/*
artifact.copy            POST   {session}/artifacts
prototype.read           GET    {project}/prototypes
prototype.read           GET    {project}/prototypes/*
prototype.create         POST   {project}/prototypes
prototype.delete         DELETE {project}/prototypes/*

project.list             GET    /api/projects
project.read             GET    {workspace}/projects
project.read             GET    {project}
project.read             GET    {project}/reviewers
project.read             GET    {project}/branches
project.read             GET    {project}/settings
project.create           POST   /api/projects
project.change           PATCH  {project}
project.change           PUT    {project}/settings
project.delete           DELETE {project}
network.read             GET    {project}/network
network.change           PUT    {project}/network
trigger.read             GET    {project}/triggers
trigger.change           PUT    {project}/triggers
trigger.read             GET    {project}/trigger-runs
trigger.change           POST   {project}/triggers/*/key
trigger.read             POST   {project}/triggers/try
network.read             GET    {project}/network/secrets
network-secret.change    PUT    {project}/network/secrets/*
network-secret.change    DELETE {project}/network/secrets/*
network.read             GET    {workspace}/network
workspace-network.change PUT    {workspace}/network
project-skill.read       GET    {project}/skills
deploy.read              GET    {project}/deploy-messages
deploy.read              GET    {project}/deploys
deploy.read              GET    {project}/deploy-messages/events
deploy.read              GET    {project}/deploy-messages/attachments/*
deploy.read              GET    {project}/deploy-messages/streams/*/outputs/*
deploy.read              GET    {project}/settings/agentic-deploy/queue
deploy.use               POST   {project}/settings/agentic-deploy
deploy.use               POST   {project}/settings/agentic-deploy/cancel
deploy.use               PUT    {project}/settings/agentic-deploy/model
deploy-queue.change      PATCH  {project}/settings/agentic-deploy/queue/*
deploy-queue.change      POST   {project}/settings/agentic-deploy/queue/*/move
deploy-queue.change      POST   {project}/settings/agentic-deploy/queue/*/send
deploy-queue.change      POST   {project}/settings/agentic-deploy/queue/*/steer
deploy-queue.delete      DELETE {project}/settings/agentic-deploy/queue/*
deploy.use               POST   {project}/settings/agentic-deploy/queue/resume

cron.read                GET    {workspace}/cron-preview
cron.read                GET    {workspace}/crons
cron.create              POST   {workspace}/crons
cron.read                GET    {cron}
cron.change              PATCH  {cron}
cron.delete              DELETE {cron}
cron.read                GET    {cron}/artifacts
cron.change              POST   {cron}/projects/*/resume
cron.change              POST   {cron}/run
cron.read                GET    {cron}/runs
cron.read                GET    {cron}/runs/*
cron.read                GET    {cron}/runs/*/artifacts
cron.read                GET    {cron}/runs/*/artifacts/*
cron.change              POST   {cron}/runs/*/cancel
cron.diagnostics         GET    {cron}/runs/*/diagnostics
cron.read                GET    {cron}/runs/*/messages
cron.read                GET    {cron}/runs/*/events

models.read              GET    /api/models
activity.mark-seen       PUT    /api/activity/seen
activity.read            GET    /api/activity
workspace.list           GET    /api/events

workspace.list           GET    /api/organizations
workspace.create         POST   /api/organizations
workspace.read           GET    {workspace}
workspace.read           GET    {workspace}/access-status
usage.read               GET    {workspace}/usage
audit.read               GET    {workspace}/audit
workspace.follow         GET    {workspace}/events
workspace.change         PATCH  {workspace}
workspace.change         PUT    {workspace}/timezone
workspace.logo           PUT    {workspace}/logo
workspace.logo           DELETE {workspace}/logo
workspace.delete         DELETE {workspace}
workspace.transfer       POST   {workspace}/transfer-ownership
workspace-credential.manage GET {workspace}/credentials
workspace-credential.manage PUT {workspace}/credentials/*
workspace-credential.delete DELETE {workspace}/credentials/*
workspace-credential.manage POST {workspace}/credentials/login/*
workspace-credential.manage POST {workspace}/credentials/login/*/complete
workspace-skill.read     GET    {workspace}/skills
workspace-skill.read     GET    {workspace}/skills/*
workspace-skill.change   POST   {workspace}/skills
workspace-skill.change   PATCH  {workspace}/skills/*
workspace-skill.delete   DELETE {workspace}/skills/*
relay-key.manage         GET    {workspace}/relay-keys
relay-key.manage         POST   {workspace}/relay-keys
relay-key.manage         DELETE {workspace}/relay-keys/*
webhook.manage           GET    {workspace}/webhooks
webhook.manage           POST   {workspace}/webhooks
webhook.manage           GET    {workspace}/webhooks/*
webhook.manage           PATCH  {workspace}/webhooks/*
webhook.manage           DELETE {workspace}/webhooks/*
webhook.manage           POST   {workspace}/webhooks/*/rotate-secret
webhook.manage           POST   {workspace}/webhooks/*/test
webhook.manage           POST   {workspace}/webhooks/*/recover
webhook.manage           GET    {workspace}/webhooks/*/deliveries
webhook.manage           GET    {workspace}/webhooks/*/deliveries/*
webhook.manage           POST   {workspace}/webhooks/*/deliveries/*/resend
member.read              GET    {workspace}/members
membership.change        PATCH  {workspace}/members/*
membership.change        DELETE {workspace}/members/*
membership.leave         POST   {workspace}/leave
invitation.manage        GET    {workspace}/invitations
invitation.manage        POST   {workspace}/invitations
invitation.manage        DELETE {workspace}/invitations/*
invitation.accept        POST   /api/invitations/*/accept

profile.read             GET    /api/user/profile
profile.change           PUT    /api/user/profile
profile.change           PUT    /api/user/profile-image
profile.change           POST   /api/user/complete-onboarding
sign-out                 POST   /api/auth/sign-out
code-host.connect        GET    /api/auth/github/connect
code-host.connect        GET    /api/auth/github/callback
code-host.connect        POST   /api/auth/github/disconnect
code-host.connect        GET    /api/user/code-host
code-host.connect        GET    /api/user/code-host/repositories
api-key.manage           GET    /api/user/api-keys
api-key.manage           POST   /api/user/api-keys
api-key.manage           DELETE /api/user/api-keys/*
api-key.manage           GET    /api/user/connected-agents
api-key.manage           DELETE /api/user/connected-agents/*
api-key.read-itself      GET    /api/user/api-keys/current
api-key.revoke-itself    DELETE /api/user/api-keys/current
push-device.list         GET    /api/push/devices
push-device.list         GET    /api/user/notifications
push-device.register     POST   /api/push/devices
push-device.register     PUT    /api/user/notifications
push-device.remove       DELETE /api/push/devices
personal-skill.list      GET    /api/user/skills
personal-skill.read      GET    /api/user/skills/*
personal-skill.change    POST   /api/user/skills
personal-skill.change    PATCH  /api/user/skills/*
personal-skill.delete    DELETE /api/user/skills/*
plugin.list              GET    /api/user/plugins
plugin.change            PATCH  /api/user/plugins/*
default-model.change     PATCH  /api/user/subscriptions
subscription.read        GET    /api/user/subscriptions
subscription.read        GET    /api/user/subscriptions/usage
subscription.change      PUT    /api/user/subscriptions/*
subscription.change      DELETE /api/user/subscriptions/*
subscription.change      DELETE /api/user/subscriptions/*/logins/*
subscription.change      PUT    /api/user/subscriptions/*/logins/order
subscription.change      POST   /api/user/subscriptions/login/*
subscription.change      POST   /api/user/subscriptions/login/*/complete
`;

export const routes: Route[] = lines
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => {
    const [action, method, path] = line.split(/\s+/) as [Action, string, string];
    return { method, path, action };
  });

const abbreviations = {
  "/api/projects/{projectId}/chat-sessions/{sessionId}": "{session}",
  "/api/projects/{projectId}": "{project}",
  "/api/organizations/{workspaceId}/crons/{cronId}": "{cron}",
  "/api/organizations/{workspaceId}": "{workspace}",
};

/** The action of a route by its documented path. */
export function getAction(method: string, documentedPath: string): Action {
  const [start = "", short = ""] =
    Object.entries(abbreviations).find(([long]) => `${documentedPath}/`.startsWith(`${long}/`)) ?? [];
  const path = short + documentedPath.slice(start.length).replaceAll(/\{\w+\}/g, "*");
  const route = routes.find((one) => one.method === method && one.path === path);
  if (!route) throw new Error(`no route ${method} ${path}`);
  return route.action;
}
