// The page's policy for HTML that scripts assign. The viewer of diffs assigns highlighted lines;
// nothing else may, and no HTML may bring a script, a frame or a handler with it.
interface TrustedTypes {
  createPolicy(name: string, rules: Record<string, (input: string) => string | null>): unknown;
}

const forbidden = /<\s*\/?\s*(script|iframe|frame|object|embed|link|meta|base|form)\b|\son\w+\s*=|javascript:/i;

const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
trustedTypes?.createPolicy("default", {
  createHTML: (html) => (forbidden.test(html) ? null : html),
  createScriptURL: (url) => (new URL(url, location.href).href.startsWith(`${location.origin}/_sy/`) ? url : null),
});
