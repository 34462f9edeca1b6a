// The frontends of a project: the endpoints that serve its preview, and their keys (Part 1,
// "Preview answer").
import type { Endpoint, ServiceLayout } from "./settings.ts";

export interface Frontend {
  /** The service name for its first endpoint, `<service>-<endpoint>` for the others. */
  key: string;
  /** The key as part of a host name. */
  hostLabel: string;
  service: string;
  port: number;
}

/** The public endpoints, which serve a preview (Part 1, "Preview answer"). */
export function listFrontends(services: ServiceLayout[]): Frontend[] {
  return services.flatMap(({ name, endpoints }) =>
    endpoints.flatMap((endpoint, index) => {
      if (!endpoint.public) return [];
      const key = getFrontendKey(name, endpoint, index);
      return [{ key, hostLabel: toHostLabel(key), service: name, port: endpoint.port }];
    }),
  );
}

/** The key of a service's endpoint. The first endpoint has index 0. */
export function getFrontendKey(
  service: string,
  { name, port }: Pick<Endpoint, "name" | "port">,
  index: number,
): string {
  return index === 0 ? service : `${service}-${name ?? port}`;
}

/**
 * Lower case, and without `--`, which separates the frontend key from the sandbox key in a host
 * name.
 */
export function toHostLabel(key: string): string {
  return key
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
