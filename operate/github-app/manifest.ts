// The manifest of the service's GitHub App: its permissions, the events it receives, and the URLs
// that people return to.

export interface AppWanted {
  /** The name at GitHub, which must not be taken. */
  name: string;
  /** The host of the service. */
  publicHost: string;
  /** True if sessions may push workflows. */
  withWorkflows: boolean;
  /** The URL to which GitHub redirects the browser once the App is created. */
  madeUrl: string;
}

/** The permissions that every App of the service needs. */
export const appPermissions = {
  contents: "write",
  pull_requests: "write",
  issues: "write",
  checks: "read",
  statuses: "read",
  metadata: "read",
  emails: "read",
} as const;

/** The events that the service receives. */
export const appEvents = [
  ...["push", "pull_request", "pull_request_review", "pull_request_review_comment", "issues", "issue_comment"],
  ...["check_run", "check_suite", "status", "repository"],
];

/** Builds the manifest in GitHub's format. */
export function createAppManifest({ name, publicHost, withWorkflows, madeUrl }: AppWanted): object {
  const service = `https://${publicHost}`;
  return {
    name,
    url: service,
    redirect_url: madeUrl,
    callback_urls: [`${service}/api/auth/github/callback`],
    hook_attributes: { url: `${service}/api/webhooks/github`, active: true },
    public: false,
    default_permissions: { ...appPermissions, ...(withWorkflows && { workflows: "write" }) },
    default_events: appEvents,
  };
}

/**
 * The URL where a person, or an organization, submits a manifest. GitHub returns `state` together
 * with the code.
 */
export function createAppUrl(gitUrl: string, organization: string | null, state: string): string {
  const owner = organization === null ? "" : `/organizations/${encodeURIComponent(organization)}`;
  return `${gitUrl}${owner}/settings/apps/new?state=${state}`;
}
