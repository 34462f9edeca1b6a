// A model call whose turn's object is reset as the call starts, as each is at a deployment.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { forwardModelCall } from "../../../src/model-gateway/gateway-route.ts";
import { gatewayHeader } from "../../../src/model-gateway/rules/service-absence.ts";
import { saveWorkspaceCredential } from "../../../src/provider-login/workspace-credential.ts";
import { issueToken } from "../../../src/sandbox/token.ts";
import { opusGrant } from "../support/opus-grant.ts";
import { standIn } from "../support/outside.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { beginSession } from "../support/session-driver.ts";

const product = env as unknown as Env;
const usage = { input_tokens: 500, output_tokens: 400 };

/** The bindings, with a session's object that is reset when it has started a call. */
function resetting(resets: number): Env {
  let opened = 0;
  const SESSION = {
    getByName: (id: string) => {
      const stub = env.SESSION.getByName(id);
      return {
        async startModelCall(...claim: Parameters<typeof stub.startModelCall>) {
          const call = await stub.startModelCall(...claim);
          if (++opened <= resets) throw Object.assign(new Error("the object was reset"), { retryable: true });
          return call;
        },
      };
    },
  };
  return { ...product, SESSION } as unknown as Env;
}

test.each([
  ["once: the call is opened again, and counts once", 1, 200, "1", 1],
  ["twice: it is left to the sandbox, as of a service that is away, and no provider has it", 2, 503, null, 0],
])("%s", async (_, resets, status, header, answers) => {
  const { workspaceId } = await addWorkspaceWith({ mia: "member" });
  let answered = 0;
  const end = standIn("https://api.anthropic.com", () => {
    answered += 1;
    return Response.json({ type: "message", usage });
  });
  await saveWorkspaceCredential(
    product,
    { workspaceId, provider: "anthropic", apiKey: "sk-key-of-a-workspace-001" },
    0,
  );
  const driver = await beginSession(null, { workspaceId, model: "anthropic:opus__high" });
  const turnId = await driver.startTurn("hello");
  await driver.settled();
  answered = 0;
  const owner = { type: "session", id: driver.id } as const;
  const claims = { workspaceId, projectId: "p", owner, sandboxKey: "s", git: "push", branch: "b" } as const;
  const token = await issueToken(product, { ...claims, ...opusGrant, generation: 1, turnId }, Date.now() + 60_000);
  const call = { method: "POST", headers: { "x-api-key": token }, body: '{"model":"opus"}' };
  const request = new Request("http://service.test", call);
  const response = await forwardModelCall(request, resetting(resets), "anthropic", "/v1/messages");
  await response.text();
  expect([response.status, response.headers.get(gatewayHeader), answered]).toEqual([status, header, answers]);
  expect((await driver.session().turn(turnId))?.usage?.outputTokens ?? 0).toBe(answers * usage.output_tokens);
  end();
});
