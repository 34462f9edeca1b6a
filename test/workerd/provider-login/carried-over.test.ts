// The credentials of workspaces from before `provider_logins`: a migration carries them over, and a
// sweep empties the table where they were.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { readCredential, sealTokens } from "../../../src/provider-login/credentials.ts";
import { credentialsOf } from "../../../src/provider-login/queries/logins.ts";
import { sealingIdentity, workspaceLogin } from "../../../src/provider-login/rules/login.ts";
import { seal } from "../../../src/storage/sealing.ts";
import { sweepStaleSeals } from "../../../src/sweeps/stale-seals.ts";

// What the sweep takes of the product's bindings is among those of the tests.
const settings = env as unknown as Env;
const key = workspaceLogin("ws_before", "zai");
const login = workspaceLogin("ws_before", "openai");
const tokens = { accessToken: "access", refreshToken: "refresh" };

test("what was sealed for a workspace opens, is listed as it was, and rests at one place only", async () => {
  const insert = env.DB.prepare(
    `INSERT INTO workspace_credentials (workspace_id, provider, kind, sealed, last_four, masked_key, expires_at, needs_reauth, created_at)
     VALUES ('ws_before', ?1, ?2, ?3, ?4, ?5, ?6, ?7, 1000)`,
  );
  await env.DB.batch([
    insert.bind(
      "zai",
      "key",
      await seal(settings.SEALING_KEYS, sealingIdentity(key), "sk-1234"),
      "1234",
      "s…",
      null,
      0,
    ),
    insert.bind("openai", "login", await sealTokens(settings, login, tokens), "", null, 5_000, 1),
  ]);
  const carryOver = env.MIGRATIONS.flatMap(({ queries }) => queries).find((query) =>
    query.includes("INSERT INTO `provider_logins`"),
  );
  await env.DB.prepare(carryOver ?? "").run();
  expect(await readCredential(settings, key)).toEqual({ kind: "key", apiKey: "sk-1234" });
  expect(await readCredential(settings, login)).toMatchObject({ ...tokens, expiresAt: 5_000, needsReauth: true });
  const [ofKey] = (await credentialsOf(env.DB, "ws_before")).filter(({ kind }) => kind === "key");
  expect(ofKey).toMatchObject({ id: key.id, label: "1234", maskedKey: "s…", authenticatedAt: 1_000, place: 0 });

  // The first page empties the table. The others are about rows that other files leave.
  await sweepStaleSeals(settings, { now: 0, after: "" });
  expect(await env.DB.prepare("SELECT count(*) AS count FROM workspace_credentials").first("count")).toBe(0);
  expect(await readCredential(settings, key)).toMatchObject({ apiKey: "sk-1234" });
});
