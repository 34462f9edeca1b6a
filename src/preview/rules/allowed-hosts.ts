// The variables that make development servers accept the hosts of previews. Many refuse unknown
// hosts, because a hostile name could lead to a server on somebody's own machine. A sandbox is
// reached only through its preview hosts.

/** Each variable, what reads it, and its value for the domain of previews. */
const allowances: Record<string, { readBy: string; value(domain: string): string }> = {
  __VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS: {
    readBy: "Vite, and what builds on it: https://vite.dev/config/server-options#server-allowedhosts",
    value: (domain) => `.${domain}`,
  },
  RAILS_DEVELOPMENT_HOSTS: {
    readBy: "Rails in development: https://guides.rubyonrails.org/configuring.html#actiondispatch-hostauthorization",
    value: (domain) => `.${domain}`,
  },
  // Django itself reads no variable. Its projects use this name, with a list; a single host fits
  // every separator.
  ALLOWED_HOSTS: { readBy: "settings of Django projects: ALLOWED_HOSTS", value: (domain) => `.${domain}` },
  DJANGO_ALLOWED_HOSTS: { readBy: "settings of Django projects: ALLOWED_HOSTS", value: (domain) => `.${domain}` },
  NG_ALLOWED_HOSTS: {
    readBy: "Angular's server: https://angular.dev/best-practices/security",
    value: (domain) => `*.${domain}`,
  },
  // It has no list of hosts.
  DANGEROUSLY_DISABLE_HOST_CHECK: {
    readBy: "Create React App with a proxy: https://create-react-app.dev/docs/proxying-api-requests-in-development",
    value: () => "true",
  },
};

/**
 * The variables for previews below a domain. None for `.localhost`, which development servers
 * accept by default. There a service is on somebody's own machine, and its check is useful.
 */
export function getAllowedHostVariables(previewDomain: string): Record<string, string> {
  const domain = previewDomain.replace(/:\d+$/, "");
  if (domain === "localhost" || domain.endsWith(".localhost")) return {};
  return Object.fromEntries(Object.entries(allowances).map(([name, { value }]) => [name, value(domain)]));
}
