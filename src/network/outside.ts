// Requests of the service to addresses that people gave: where they may lead, and how they leave.
import type { Env } from "../env.ts";
import { mayReachLoopback } from "../one-machine.ts";
import { type AddressFacts, isAtLoopback } from "../webhook/rules/address.ts";

type AddressEnv = Pick<Env, "PUBLIC_URL" | "PREVIEW_DOMAIN" | "SANDBOX_HOST_URL" | "WEBHOOKS_TO_LOOPBACK">;
export type NetworkEnv = Pick<Env, "PUBLIC_NETWORK" | "PUBLIC_URL" | "SANDBOX_HOST_URL" | "WEBHOOKS_TO_LOOPBACK">;

/** By what an address is judged. */
export function getAddressFacts(env: AddressEnv): AddressFacts {
  return {
    serviceHost: new URL(env.PUBLIC_URL).host,
    previewDomain: env.PREVIEW_DOMAIN,
    allowsLoopback: mayReachLoopback(env),
  };
}

/**
 * The `fetch` that reaches an address. On one machine the network service judges each address that
 * it connects to, so a name cannot lead into the machine's network. On the platform, requests reach
 * only the internet.
 */
export function getOutsideFetch(env: NetworkEnv, url: string): typeof fetch {
  const { PUBLIC_NETWORK } = env;
  if (!PUBLIC_NETWORK || (mayReachLoopback(env) && isAtLoopback(url))) return (...call) => fetch(...call);
  return (...call) => PUBLIC_NETWORK.fetch(...call);
}
