// Starts one sandbox, asks its program for its status, and stops it: shows that the image starts
// here. It belongs to nobody and contains nothing.
import type { Env } from "../env.ts";
import { getErrorMessage } from "../lib/error-text.ts";
import { createName, createSecret } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { openInForce } from "../network/rules/network.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { getSandboxDriver } from "../sandbox/program/choose-driver.ts";
import { createProgramClient } from "../sandbox/program/client.ts";

/** What was started, as texts for the operator. */
export interface TriedSandbox {
  /** The tag of the image; that of this version's program where there is no image. */
  image: string;
  ms: string;
  protocol: string;
}

const keyCharacters = 16;

/** Tries a sandbox. Refuses with the reason if it does not start. */
export async function trySandbox(env: Env): Promise<TriedSandbox | Refusal> {
  // No sandbox has this key, so the container's own alarm ends it if the stop fails.
  const driver = getSandboxDriver(env, `s${createName(keyCharacters)}`);
  const secret = createSecret();
  const startedAt = Date.now();
  try {
    await driver.start(secret, openInForce);
    const status = await createProgramClient(driver, { secret }).status();
    if (!status.ok) throw new Error(`its program answers ${status.refusal.code}`);
    const { imageTag: image = env.SANDBOX_PROGRAM, protocolVersion: protocol } = status.value;
    const ms = Date.now() - startedAt;
    log.info("sandbox.tried", { image, ms });
    return { image, ms: String(ms), protocol: String(protocol) };
  } catch (error) {
    log.error("sandbox.try_failed", { error });
    return refuse("SERVICE_UNAVAILABLE", `A sandbox does not start: ${getErrorMessage(error)}`);
  } finally {
    await driver.stop().catch((error: unknown) => log.warn("sandbox.stop_failed", { error }));
  }
}
