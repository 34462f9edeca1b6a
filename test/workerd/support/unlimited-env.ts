// The bindings of the Worker for a test that calls routes: nothing limits its requests.
import { env } from "cloudflare:workers";
import type { Env } from "../../../src/env.ts";

const unlimited = { limit: async () => ({ success: true }) };

/** A test may call only routes that use none of the missing bindings. */
export const unlimitedEnv = {
  ...env,
  KEY_REQUESTS: unlimited,
  USER_REQUESTS: unlimited,
  FAILED_CREDENTIALS: unlimited,
} as unknown as Env;
