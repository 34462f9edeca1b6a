// The operator's commands and the health of the service, for anyone who has the secret
// OPERATOR_KEY. `npm run operator` sends the commands. They use the same rules as the routes.
import * as z from "zod";
import { recordAuditEvent } from "../audit/record.ts";
import type { Env } from "../env.ts";
import { readJson } from "../http/body.ts";
import { checkBarred, countFailure } from "../http/failed-credentials.ts";
import { findCallerAddress } from "../http/rate-limit.ts";
import { ok, toRefusalResponse, toResponse } from "../http/response.ts";
import { check } from "../http/validation.ts";
import { keyName } from "../key/wire/key.ts";
import { providerIds } from "../model/rules/provider.ts";
import { operatorKeyCharactersMin } from "../rules/limits.ts";
import { parkingObjects } from "../rules/parking.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { planNames } from "../workspace/rules/billing-plan.ts";
import { workspaceName, workspaceSlug } from "../workspace/wire.ts";
import { readHealth } from "./health.ts";
import { findAuditScope, type OperatorCommand, runCommand, toAuditTarget } from "./run-command.ts";

const login = z.string().min(1);
const workspace = z.string().min(1);
const command: z.ZodType<OperatorCommand> = z.discriminatedUnion("command", [
  z.strictObject({ command: z.literal("owner"), login, name: workspaceName, slug: workspaceSlug.optional() }),
  z.strictObject({ command: z.literal("plan"), workspace, plan: z.enum(planNames) }),
  z.strictObject({
    command: z.literal("credential"),
    workspace,
    provider: z.enum(providerIds),
    apiKey: z.string().min(1),
  }),
  z.strictObject({ command: z.literal("key"), login, name: keyName }),
  z.strictObject({ command: z.literal("try") }),
  z.strictObject({ command: z.literal("workspaces") }),
  z.strictObject({ command: z.literal("people") }),
  z.strictObject({
    command: z.literal("delete-person"),
    person: z.string().min(1),
    isConfirmed: z.boolean(),
    withWorkspaces: z.boolean(),
  }),
  z.strictObject({
    command: z.literal("restore-session"),
    session: z.string().min(1),
    at: z.iso.datetime({ offset: true }),
    isConfirmed: z.boolean(),
  }),
  z.strictObject({ command: z.literal("parked") }),
  z.strictObject({ command: z.literal("retry"), object: z.enum(parkingObjects), name: z.string().min(1) }),
  z.strictObject({
    command: z.enum(["suspend", "resume"]),
    type: z.enum(["workspace", "person"]),
    name: z.string().min(1),
  }),
]);

/** Responds to `POST /internal/operator`. Without the secret, the path does not exist. */
export async function handleOperatorCommand(request: Request, env: Env): Promise<Response> {
  const answer = await run(request, env);
  return isRefusal(answer) ? toRefusalResponse(answer) : toResponse(ok(answer));
}

/**
 * Responds to `GET /internal/health` with 200, or with 503 where something is wrong, so that a
 * probe need not read the body.
 */
export async function handleHealthProbe(request: Request, env: Env): Promise<Response> {
  const now = Date.now();
  const caller = await authenticate(request, env, now);
  if (isRefusal(caller)) return toRefusalResponse(caller);
  if (caller !== "operator") return toRefusalResponse(refuse("UNAUTHORIZED"));
  const health = await readHealth(env, now);
  return Response.json({ data: health }, { status: health.problems.length === 0 ? 200 : 503 });
}

async function run(request: Request, env: Env): Promise<object | Refusal> {
  const now = Date.now();
  const caller = await authenticate(request, env, now);
  if (isRefusal(caller)) return caller;
  const read = await readJson(request);
  if (isRefusal(read)) return read;
  const body = check(command, read.json, "VALIDATION_ERROR");
  if (isRefusal(body)) return body;
  if (caller === "deployment" && body.value.command !== "try") return refuse("UNAUTHORIZED");
  const outcome = await runCommand(env, body.value, now);
  if (!isRefusal(outcome)) await audit(env, request, { command: body.value, outcome, at: now });
  return outcome;
}

/** Records a command in the workspaces that it concerns. */
async function audit(
  env: Env,
  request: Request,
  { command, outcome, at }: { command: OperatorCommand; outcome: object; at: number },
): Promise<void> {
  const scope = await findAuditScope(env, command, outcome);
  if (scope === null) return;
  await recordAuditEvent(env, scope, {
    ...{ at, operation: `operator.${command.command}`, actor: { kind: "operator" }, via: "operator", keyId: null },
    ...{ target: toAuditTarget(command), address: findCallerAddress(request) },
  });
}

async function authenticate(request: Request, env: Env, now: number): Promise<"operator" | "deployment" | Refusal> {
  const keys = [env.OPERATOR_KEY, env.DEPLOYMENT_KEY];
  if (!keys.some((key = "") => key.length >= operatorKeyCharactersMin))
    return refuse("NOT_FOUND", "There is no such path.");
  const barred = checkBarred(env, request, now);
  if (barred) return barred;
  if (await hasKey(request, env.OPERATOR_KEY)) return "operator";
  if (await hasKey(request, env.DEPLOYMENT_KEY)) return "deployment";
  return (await countFailure(env, request, now)) ?? refuse("UNAUTHORIZED");
}

/** Compares hashes, in constant time. A key that is too short, or not set, is nobody's. */
async function hasKey({ headers }: Request, key = ""): Promise<boolean> {
  if (key.length < operatorKeyCharactersMin) return false;
  const [given, wanted] = await Promise.all(
    [headers.get("authorization") ?? "", `Bearer ${key}`].map((text) =>
      crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)),
    ),
  );
  return given !== undefined && wanted !== undefined && crypto.subtle.timingSafeEqual(given, wanted);
}
