// The settings of the adapter, and its clients of Slack and of the service.
import { Switchyard } from "@switchyard/client";
import { SlackAPIClient } from "slack-edge";

export interface Env {
  SLACK_SIGNING_SECRET: string;
  SLACK_BOT_TOKEN: string;
  SWITCHYARD_URL: string;
  SWITCHYARD_RELAY_KEY: string;
  SWITCHYARD_WEBHOOK_SECRET: string;
  /** The project of each channel, as JSON; `*` is every other channel. */
  PROJECTS: string;
  /** Another address of Slack's API, for tests. */
  SLACK_API_URL?: string;
}

/** The client of Slack. It does not wait for a limit to pass: the request is sent again. */
export function createSlack({ SLACK_BOT_TOKEN, SLACK_API_URL }: Env): SlackAPIClient {
  return new SlackAPIClient(SLACK_BOT_TOKEN, {
    retryHandlers: [],
    ...(SLACK_API_URL !== undefined && { baseUrl: SLACK_API_URL }),
  });
}

/** The client of the service. */
export function createSwitchyard({ SWITCHYARD_URL, SWITCHYARD_RELAY_KEY }: Env): Switchyard {
  const limits = { retries: 1, timeoutMs: 10_000 };
  return new Switchyard({ baseUrl: SWITCHYARD_URL, apiKey: SWITCHYARD_RELAY_KEY, client: "slack/1", ...limits });
}

/** The project of a channel; null for a channel without one. */
export function findProject({ PROJECTS }: Env, channel: string): string | null {
  const projects: Record<string, string> = JSON.parse(PROJECTS);
  return projects[channel] ?? projects["*"] ?? null;
}
