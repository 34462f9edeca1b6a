// The variables by which development servers let the hosts of previews through. Many answer a
// request for a host that they do not know with a refusal, because a hostile name could lead to a
// server on somebody's own machine. A sandbox is reached through its preview hosts alone.

/** Each variable with what reads it, and its value for the domain of previews. */
const allowances: Record<string, { readBy: string; value(domain: string): string }> = {
  __VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS: {
    readBy: "Vite, and what builds on it: https://vite.dev/config/server-options#server-allowedhosts",
    value: (domain) => `.${domain}`,
  },
  RAILS_DEVELOPMENT_HOSTS: {
    readBy: "Rails in development: https://guides.rubyonrails.org/configuring.html#actiondispatch-hostauthorization",
    value: (domain) => `.${domain}`,
  },
  // Django itself reads no variable. Its projects name theirs so, with a list that a single host
  // suits whatever separates it.
  ALLOWED_HOSTS: { readBy: "settings of Django projects: ALLOWED_HOSTS", value: (domain) => `.${domain}` },
  DJANGO_ALLOWED_HOSTS: { readBy: "settings of Django projects: ALLOWED_HOSTS", value: (domain) => `.${domain}` },
  NG_ALLOWED_HOSTS: {
    readBy: "Angular's server: https://angular.dev/best-practices/security",
    value: (domain) => `*.${domain}`,
  },
  // It knows no list of hosts.
  DANGEROUSLY_DISABLE_HOST_CHECK: {
    readBy: "Create React App with a proxy: https://create-react-app.dev/docs/proxying-api-requests-in-development",
    value: () => "true",
  },
};

/**
 * The variables for previews below a domain. None for `.localhost`, which development servers let
 * through by themselves: there a service is on somebody's own machine, and its check has a purpose.
 */
export function allowedHostVariables(previewDomain: string): Record<string, string> {
  const domain = previewDomain.replace(/:\d+$/, "");
  if (domain === "localhost" || domain.endsWith(".localhost")) return {};
  return Object.fromEntries(Object.entries(allowances).map(([name, { value }]) => [name, value(domain)]));
}
