// The one `fetch` of the object tests. Files run after each other in one process: a file that
// replaced `fetch` and restored the old one would take away what the next files rely on.
type Answer = (request: Request) => Response | Promise<Response>;

const standIns: { address: string; answer: Answer }[] = [];

globalThis.fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
  const request = new Request(input, init);
  const one = standIns.find(({ address }) => request.url.startsWith(address));
  if (!one) throw new TypeError(`No test answers ${request.method} ${request.url}.`);
  return await one.answer(request);
};

/**
 * Serves the addresses that begin like this, before any earlier stand-in does. Returns how to end
 * it: `beforeEach(() => standIn(…))`.
 */
export function standIn(address: string, answer: Answer): () => void {
  const one = { address, answer };
  standIns.unshift(one);
  return () => void standIns.splice(standIns.indexOf(one), 1);
}
