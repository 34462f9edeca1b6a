// Project settings: the setup of a checkout, its services, and the endpoints that serve previews.

export interface Endpoint {
  name?: string | undefined;
  port: number;
  public: boolean;
  healthPath?: string | undefined;
}

/** The stored value of an environment variable. A value of an earlier version may be unencrypted. */
export type StoredValue = { sealed: string } | string;

export interface ServiceSettings<Value = string> {
  name: string;
  command: string;
  cwd?: string | undefined;
  env?: Record<string, Value> | undefined;
  endpoints: Endpoint[];
}

/** A service as far as its addresses go. */
export type ServiceLayout = Pick<ServiceSettings<unknown>, "name" | "endpoints">;

export interface ProjectSettings<Value = string> {
  setup: string[];
  services: ServiceSettings<Value>[];
  env: Record<string, Value>;
  /** False keeps no spare sandboxes for new sessions. */
  warmPool?: boolean | undefined;
}

export interface Frontend {
  /** The service name for its first endpoint, `<service>-<endpoint>` for the others. */
  key: string;
  /** The key as part of a host name. */
  hostLabel: string;
  service: string;
  port: number;
}

/** The public endpoints, which serve a preview (Part 1, "Preview answer"). */
export function frontendsOf(services: ServiceLayout[]): Frontend[] {
  return services.flatMap(({ name, endpoints }) =>
    endpoints.flatMap((endpoint, index) => {
      if (!endpoint.public) return [];
      const key = frontendKey(name, endpoint, index);
      return [{ key, hostLabel: hostLabelOf(key), service: name, port: endpoint.port }];
    }),
  );
}

/** The key of a service's endpoint, the first of which has the index 0. */
export function frontendKey(service: string, { name, port }: Pick<Endpoint, "name" | "port">, index: number): string {
  return index === 0 ? service : `${service}-${name ?? port}`;
}

/** Lower case, and without `--`, which separates the frontend key from the sandbox key in a host name. */
export function hostLabelOf(key: string): string {
  return key
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
