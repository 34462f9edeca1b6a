// The page's policy for what scripts assign as HTML or load as scripts. React builds the page from
// elements, so no script assigns HTML, and scripts come only from the console's own files, with its
// service worker.
interface TrustedTypes {
  createPolicy(name: string, rules: Record<string, (input: string) => string | null>): unknown;
}

const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
trustedTypes?.createPolicy("default", {
  createHTML: () => null,
  createScriptURL(url) {
    const { href } = new URL(url, location.href);
    const isOwn = href.startsWith(`${location.origin}/_sy/`) || href === `${location.origin}/sw.js`;
    return isOwn ? url : null;
  },
});
