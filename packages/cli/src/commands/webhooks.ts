// Webhooks: addresses that get a workspace's events, and what was sent to them.

import type { Command } from "@commander-js/extra-typings";
import type { Schemas, Switchyard } from "@switchyard/client";
import { createAction } from "../action.ts";
import { type Output, parseCount, parseSince } from "../command.ts";
import { NotFoundError } from "../exit.ts";
import { findWorkspace } from "../find.ts";
import { formatTable, toLine } from "../print/text.ts";
import { formatTime } from "../print/time.ts";

const all = "/api/organizations/{workspaceId}/webhooks";
const one = "/api/organizations/{workspaceId}/webhooks/{webhookId}";
const workspaceFlag = ["-w, --workspace <name>", "the workspace, where you have several"] as const;

/** Adds `webhooks`. */
export function addWebhooksCommands(program: Command, output: () => Output): void {
  const webhooks = program.command("webhooks").description("manage the addresses that get a workspace's events");
  const action = createAction(output);

  webhooks
    .command("ls")
    .description("list the webhooks with their state")
    .option(...workspaceFlag)
    .action(
      action(async (sy, { workspace }) => {
        const { id: workspaceId } = await findWorkspace(sy, workspace);
        const data = await sy.request(`GET ${all}`, { path: { workspaceId } });
        const rows = data.map(({ id, status, disabledReason, waiting, events, url }) => [
          id.slice(-6),
          disabledReason === null ? status : `${status}: ${disabledReason}`,
          waiting === 0 ? "" : `${waiting} wait`,
          events.map(toLine).join(" "),
          toLine(url),
        ]);
        return { data, lines: formatTable(rows) };
      }),
    );

  webhooks
    .command("new <url> [events...]")
    .description("create a webhook for these events, or all, and print its secret, which is shown only this time")
    .option(...workspaceFlag)
    .option("--text", "also send titles, questions, answers and errors")
    .option("--name <name>", "a name for people")
    .action(
      action(async (sy, url, events, { workspace, text, name }) => {
        const { id: workspaceId } = await findWorkspace(sy, workspace);
        const body = {
          url,
          events: events.length === 0 ? ["*"] : events,
          ...(text && { includeText: true }),
          ...(name !== undefined && { name }),
        };
        const data = await sy.request(`POST ${all}`, { path: { workspaceId }, body });
        return { data, lines: [data.secret] };
      }),
    );

  webhooks
    .command("rm <webhook>")
    .description("delete a webhook, by the end of its id")
    .option(...workspaceFlag)
    .action(
      action(async (sy, named, { workspace }) => {
        const { path, webhook } = await findWebhook(sy, workspace, named);
        await sy.request(`DELETE ${one}`, { path });
        return { data: webhook, lines: [`The webhook to ${toLine(webhook.url)} is deleted.`] };
      }),
    );

  webhooks
    .command("enable <webhook>")
    .description("enable a disabled webhook")
    .option(...workspaceFlag)
    .option(
      "--recover <time>",
      "also send the events that failed or were dropped since a date, a time, or a span back such as 24h or 7d",
      parseSince,
    )
    .action(
      action(async (sy, named, { workspace, recover: since }) => {
        const { path } = await findWebhook(sy, workspace, named);
        const webhook = await sy.request(`PATCH ${one}`, { path, body: { enabled: true } });
        if (since === undefined) return { data: { webhook }, lines: ["It is enabled."] };
        const { count } = await sy.request(`POST ${one}/recover`, { path, body: { since } });
        return { data: { webhook, count }, lines: [`It is enabled. ${count} events are sent again.`] };
      }),
    );

  webhooks
    .command("test <webhook>")
    .description("send a test event, and show the response")
    .option(...workspaceFlag)
    .action(
      action(async (sy, named, { workspace }) => {
        const { path } = await findWebhook(sy, workspace, named);
        const data = await sy.request(`POST ${one}/test`, { path });
        const [attempt] = data.delivery.tried;
        const outcome = attempt?.error ?? `HTTP ${attempt?.status}`;
        const answer = attempt?.answer ? [toLine(attempt.answer)] : [];
        return { data, lines: [`${outcome}, after ${attempt?.milliseconds ?? 0} ms`, ...answer] };
      }),
    );

  webhooks
    .command("deliveries <webhook>")
    .description("list the deliveries of a webhook, newest first")
    .option(...workspaceFlag)
    .option("--status <status>", "waiting, succeeded, failed or dropped")
    .option("-n, --limit <count>", "the maximum number", parseCount, 100)
    .action(
      action(async (sy, named, { workspace, status, limit }) => {
        const { path } = await findWebhook(sy, workspace, named);
        const query = { pageSize: Math.min(limit, 100), ...(status !== undefined && { status: status as "failed" }) };
        const data: Schemas["WebhookDeliveryRow"][] = [];
        for await (const delivery of sy.pages(`GET ${one}/deliveries`, { path, query })) {
          data.push(delivery);
          if (data.length >= limit) break;
        }
        const rows = data.map(({ id, type, status, attempts, answerStatus, createdAt }) => [
          formatTime(createdAt),
          type,
          status,
          `${attempts} ×`,
          answerStatus === null ? "" : `HTTP ${answerStatus}`,
          id,
        ]);
        return { data, lines: formatTable(rows) };
      }),
    );
}

async function findWebhook(sy: Switchyard, workspace: string | undefined, named: string) {
  const { id: workspaceId } = await findWorkspace(sy, workspace);
  const listed = await sy.request(`GET ${all}`, { path: { workspaceId } });
  const [webhook, ...others] = listed.filter(({ id, name }) => id.endsWith(named) || name === named);
  if (!webhook) throw new NotFoundError(`There is no webhook ${named}.`, "sy webhooks ls");
  if (others.length > 0) throw new NotFoundError(`${named} means several webhooks.`, "sy webhooks ls");
  return { webhook, path: { workspaceId, webhookId: webhook.id } };
}
