// The tags of the OpenAPI document, which group its operations.

export const tags = {
  "Chat sessions":
    "Sessions: created, read, listed, changed and ended. Each works on a branch of its own, in a sandbox of its own.",
  Turns: "Messages to the agent, the jobs that track its turns, and the conversation.",
  "Up next": "The messages that wait while a turn runs: read, edited, moved, steered, sent and resumed.",
  "Live events": "The events of a session, as server-sent events.",
  Deploys: "Bringing up a project's main sandbox, and the Deploy Chat with the agent that does it.",
  "Review comments": "Comments on lines of a session's changes.",
  Artifacts: "Documents, mockups, images and videos that the agent wrote, and the Lead's Prototypes.",
  "Files and commits": "The files of a session's sandbox, its changes, commits and pushes.",
  Previews: "The running project: its addresses, its state and its public links.",
  Skills: "Skills and commands that messages can name.",
  Projects: "Code repositories of a workspace.",
  Workspaces: "Workspaces: their members, invitations, credentials, sandboxes and relay keys.",
  Triggers: "Messages that a project sends by itself, and their runs.",
  Webhooks: "Addresses that the service sends a workspace's events to, signed, and the log of what it sent.",
  Crons: "Prompts that are sent to projects on a schedule, and their runs.",
  Activity: "What members did and what the service observed, in every workspace of the caller.",
  Account: "Signing in and out, your profile, your subscriptions at the model providers, and API keys.",
  Models: "The models that turns can run on.",
  "Code host": "What the code host reports to the service.",
  Service: "The service itself.",
} as const;

export type Tag = keyof typeof tags;
