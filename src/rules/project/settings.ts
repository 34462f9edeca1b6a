// Project settings: how a checkout is prepared, which services run in it, and which of their endpoints serve a preview.

export interface Endpoint {
  name?: string | undefined;
  port: number;
  public: boolean;
  healthPath?: string | undefined;
}

export interface ServiceSettings {
  name: string;
  command: string;
  cwd?: string | undefined;
  env?: Record<string, string> | undefined;
  endpoints: Endpoint[];
}

export interface ProjectSettings {
  setup: string[];
  services: ServiceSettings[];
  env: Record<string, string>;
}

export interface Frontend {
  /** The service name, or `<service>-<endpoint>` for its second and later endpoints. */
  key: string;
  /** The key as it stands in a host name. */
  hostLabel: string;
  service: string;
  port: number;
}

/** The endpoints that serve a preview (Part 1, "Preview answer"). */
export function frontendsOf(settings: ProjectSettings): Frontend[] {
  return settings.services.flatMap(({ name, endpoints }) =>
    endpoints.flatMap((endpoint, place) => {
      if (!endpoint.public) return [];
      const key = place === 0 ? name : `${name}-${endpoint.name ?? endpoint.port}`;
      return [{ key, hostLabel: hostLabelOf(key), service: name, port: endpoint.port }];
    }),
  );
}

/** Lower case, and without the `--` that ends a frontend key in a host name. */
function hostLabelOf(key: string): string {
  return key
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
