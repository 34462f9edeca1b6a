// Sign-in from a terminal, whose program has no credential yet. The page `/device` asks a person.
import * as z from "zod";
import { readJson } from "../../http/body.ts";
import { publicEndpoint } from "../../http/endpoint.ts";
import { checkBarred, countFailure } from "../../http/failed-credentials.ts";
import { checkDevicePollLimit, checkVisitorLimit, findCallerAddress } from "../../http/rate-limit.ts";
import { ok } from "../../http/response.ts";
import { check } from "../../http/validation.ts";
import { getKeyHash } from "../../lib/base64url.ts";
import { deviceSignInSchema, toWireSignIn } from "../../provider-login/wire/connect.ts";
import { devicePollSeconds } from "../../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { findDeviceSignIn, issueDeviceKey, startDeviceSignIn } from "../queries/device-sign-ins.ts";
import { findDeviceAnswer } from "../rules/device-sign-in.ts";
import { deviceAnswerSchema, deviceCompletionSchema, deviceStartSchema, getDeviceUrl } from "../wire/device.ts";

const path = "/api/auth/device";
const tag = "Account";
const bodyBytes = 4_096;

const unknownToken = refuse("BAD_REQUEST", "This loginToken belongs to no sign-in. Start a new one.");

async function readFields<Body>(request: Request, schema: z.ZodType<Body>): Promise<Body | Refusal> {
  const read = await readJson(request, bodyBytes);
  if (isRefusal(read)) return read;
  const checked = check(schema, read.json, "VALIDATION_ERROR");
  return isRefusal(checked) ? checked : checked.value;
}

const begin = publicEndpoint({
  method: "POST",
  path,
  operation: "beginDeviceSignIn",
  summary: "Begin to sign in from a terminal. A person approves it in a browser, within 15 minutes.",
  tag,
  query: z.strictObject({}),
  body: { schema: deviceStartSchema },
  response: { status: 200, data: deviceSignInSchema },
  refusals: ["BAD_REQUEST", "PAYLOAD_TOO_LARGE", "TOO_MANY_REQUESTS"],
  async handle({ env, now, request }) {
    const excess = await checkVisitorLimit(env, "DEVICE_SIGN_INS", request, now);
    if (excess) return excess;
    const body = await readFields(request, deviceStartSchema);
    if (isRefusal(body)) return body;
    const { token, userCode, expiresAt } = await startDeviceSignIn(
      env.DB,
      { ...body, address: findCallerAddress(request) },
      now,
    );
    return ok(
      toWireSignIn({
        loginToken: token,
        userCode,
        verificationUrl: getDeviceUrl(env.PUBLIC_URL),
        intervalSeconds: devicePollSeconds,
        expiresAt,
      }),
    );
  },
});

const complete = publicEndpoint({
  method: "POST",
  path: `${path}/complete`,
  operation: "completeDeviceSignIn",
  summary: "Ask whether it is approved. The first response after that has the API key.",
  tag,
  query: z.strictObject({}),
  body: { schema: deviceCompletionSchema },
  response: { status: 200, data: deviceAnswerSchema },
  refusals: ["BAD_REQUEST", "PAYLOAD_TOO_LARGE", "TOO_MANY_REQUESTS"],
  async handle({ env, now, request }) {
    const barred = checkBarred(env, request, now);
    if (barred) return barred;
    const body = await readFields(request, deviceCompletionSchema);
    if (isRefusal(body)) return body;
    const hash = await getKeyHash(body.loginToken);
    const excess = await checkDevicePollLimit(env, hash, now);
    if (excess) return excess;
    const signIn = await findDeviceSignIn(env.DB, hash);
    if (!signIn) return (await countFailure(env, request, now)) ?? unknownToken;
    const answer = findDeviceAnswer(signIn, { now, intervalSeconds: devicePollSeconds });
    if (answer !== "issue") return ok(answer);
    const { token, isFetched } = await issueDeviceKey(env.DB, signIn, now);
    if (!isFetched) return ok({ authenticated: false, restart: true });
    return ok({ authenticated: true, ...(token !== null && { key: token }) });
  },
});

export const deviceSignInRoutes = [begin, complete];
