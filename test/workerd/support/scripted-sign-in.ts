// A simulated provider: its token endpoint rotates refresh tokens and refuses used ones, and its
// model API accepts only the newest access token. It counts the calls, and responds as the test
// says.
import { standIn } from "./outside.ts";

export const tokenUrl = "https://sign-in.test/token";
const modelUrl = "https://api.anthropic.com/v1/messages";

export interface ScriptedSignIn {
  /** The number of the valid tokens; a refresh increases it. */
  number: number;
  /** The refresh tokens that were used, in order. */
  shown: string[];
  /** The bodies of the model calls that were accepted. */
  accepted: string[];
  /** How many model calls were refused. */
  refused: number;
  /** Returned in turn to the next requests for tokens, instead of the normal response. */
  nextAnswers: ((request: Request) => Response | Promise<Response>)[];
  forget(): void;
}

export const accessToken = (number: number) => `access-${number}`;
export const refreshToken = (number: number) => `refresh-${number}`;

/** Replaces the provider. */
export function openScriptedSignIn(): ScriptedSignIn {
  const provider: ScriptedSignIn = {
    number: 0,
    shown: [],
    accepted: [],
    refused: 0,
    nextAnswers: [],
    forget() {
      Object.assign(provider, { number: 0, shown: [], accepted: [], refused: 0, nextAnswers: [] });
    },
  };

  async function token(request: Request): Promise<Response> {
    const asked = await request.clone().formData();
    const shown = String(asked.get("refresh_token"));
    provider.shown.push(shown);
    const told = provider.nextAnswers.shift();
    if (told) return await told(request);
    // Another caller with the expired login has time to call meanwhile.
    await scheduler.wait(20);
    if (shown !== refreshToken(provider.number)) return Response.json({ error: "invalid_grant" }, { status: 400 });
    provider.number += 1;
    return Response.json({
      access_token: accessToken(provider.number),
      refresh_token: refreshToken(provider.number),
      expires_in: 3600,
    });
  }

  async function model(request: Request): Promise<Response> {
    const body = await request.text();
    const isGood = request.headers.get("authorization") === `Bearer ${accessToken(provider.number)}`;
    if (isGood) provider.accepted.push(body);
    else provider.refused += 1;
    return isGood ? Response.json({ type: "message" }) : Response.json({ type: "error" }, { status: 401 });
  }

  standIn(tokenUrl, token);
  standIn(modelUrl, model);
  return provider;
}
