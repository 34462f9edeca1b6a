// The manifest of the service's GitHub App: what it may do there, what it hears of, and where
// people come back to.

export interface AppWanted {
  /** The name at GitHub, which has to be free there. */
  name: string;
  /** The host of the service. */
  publicHost: string;
  /** True if sessions may push workflows. */
  withWorkflows: boolean;
  /** Where GitHub leads the browser once the App is made. */
  madeUrl: string;
}

/** The manifest, as GitHub reads it. */
export function appManifest({ name, publicHost, withWorkflows, madeUrl }: AppWanted): object {
  const service = `https://${publicHost}`;
  return {
    name,
    url: service,
    redirect_url: madeUrl,
    callback_urls: [`${service}/api/auth/github/callback`],
    hook_attributes: { url: `${service}/api/webhooks/github`, active: true },
    public: false,
    default_permissions: {
      contents: "write",
      pull_requests: "write",
      checks: "read",
      statuses: "read",
      metadata: "read",
      emails: "read",
      ...(withWorkflows && { workflows: "write" }),
    },
    default_events: ["push", "pull_request", "check_run", "check_suite", "status", "repository"],
  };
}

/**
 * Where GitHub takes a manifest: for a person, or for an organization. `state` comes back with the
 * code.
 */
export function newAppUrl(gitUrl: string, organization: string | null, state: string): string {
  const owner = organization === null ? "" : `/organizations/${encodeURIComponent(organization)}`;
  return `${gitUrl}${owner}/settings/apps/new?state=${state}`;
}
