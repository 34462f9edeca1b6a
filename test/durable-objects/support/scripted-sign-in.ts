// A provider that exists in the test alone: its token endpoint rotates refresh tokens and refuses
// used ones, its model wire takes the newest access token and no other. It counts what it is asked,
// and answers as told.
import { standIn } from "./outside.ts";

export const tokenUrl = "https://sign-in.test/token";
const modelUrl = "https://api.anthropic.com/v1/messages";

export interface ScriptedSignIn {
  /** The number of the tokens that are good; a refresh counts it up. */
  number: number;
  /** The refresh tokens that were shown, in order. */
  shown: string[];
  /** The bodies of the model calls that were accepted. */
  accepted: string[];
  /** How many model calls were refused. */
  refused: number;
  /** Given in turn to the next requests for tokens, in place of what they would be answered. */
  nextAnswers: ((request: Request) => Response | Promise<Response>)[];
  forget(): void;
}

export const accessToken = (number: number) => `access-${number}`;
export const refreshToken = (number: number) => `refresh-${number}`;

/** Stands in for the provider. */
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
    // Whoever else meets the expired login has the time to ask meanwhile.
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
