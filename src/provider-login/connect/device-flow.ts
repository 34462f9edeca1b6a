// A sign-in by device code (RFC 8628): the code that a person types at the provider, and the poll
// whether they have approved it.
import * as oauth from "oauth4webapi";
import { log } from "../../lib/log.ts";
import { readResponseText } from "../../lib/response-body.ts";
import { withDeadline } from "../../lib/timeout.ts";
import { serviceResponseBytes } from "../../rules/limits.ts";
import { getRequestParts, type SignInClient } from "./oauth-client.ts";
import { requestTokens, type TokenResult } from "./token-endpoint.ts";

export interface DeviceCode {
  deviceCode: string;
  userCode: string;
  verificationUrl: string;
  intervalSeconds: number;
  /** Milliseconds. */
  lifetimeMs: number;
}

const waitMs = 10_000;
/** RFC 8628, section 3.5. */
const usualIntervalSeconds = 5;

/** Starts a sign-in; null if the provider does not start one. */
export async function startOnDevice(client: SignInClient<"device">): Promise<DeviceCode | null> {
  try {
    return await withDeadline(waitMs, async (signal) => {
      const { server, client: id, authentication, options } = getRequestParts(client, signal);
      const asked: Record<string, string> = client.scopes?.length ? { scope: client.scopes.join(" ") } : {};
      const response = await oauth.deviceAuthorizationRequest(server, id, authentication, asked, options);
      // The library has no size limit, so the body is read here.
      const text = await readResponseText(response, serviceResponseBytes);
      const whole = new Response(text, { status: response.status, headers: response.headers });
      const code = await oauth.processDeviceAuthorizationResponse(server, id, whole);
      return {
        deviceCode: code.device_code,
        userCode: code.user_code,
        verificationUrl: code.verification_uri,
        intervalSeconds: Math.max(1, Math.ceil(code.interval ?? usualIntervalSeconds)),
        lifetimeMs: code.expires_in * 1_000,
      };
    });
  } catch (error) {
    log.warn("provider_login.device_flow_failed", { error });
    return null;
  }
}

export type DeviceAnswer =
  | Exclude<TokenResult, { type: "refused" }>
  /** Nobody has approved the code yet. */
  | { type: "pending" }
  /** Still pending, and the poll came too soon. */
  | { type: "slow-down" }
  /** The code was denied or has expired. */
  | { type: "over" };

/** Polls whether the code was approved. */
export async function pollDevice(client: SignInClient<"device">, deviceCode: string): Promise<DeviceAnswer> {
  const type = "urn:ietf:params:oauth:grant-type:device_code";
  const answer = await requestTokens(client, { type, device_code: deviceCode });
  if (answer.type !== "refused") return answer;
  switch (answer.error) {
    case "authorization_pending":
      return { type: "pending" };
    case "slow_down":
      return { type: "slow-down" };
    default:
      return { type: "over" };
  }
}
