// The one `fetch` of the object tests. Files follow each other in one process: a file that put a
// `fetch` of its own in place, and the old one back, would take away what the files behind it count
// on.
type Answer = (request: Request) => Response | Promise<Response>;

const standIns: { address: string; answer: Answer }[] = [];

globalThis.fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
  const request = new Request(input, init);
  const one = standIns.find(({ address }) => request.url.startsWith(address));
  if (!one) throw new TypeError(`No test answers ${request.method} ${request.url}.`);
  return await one.answer(request);
};

/**
 * Answers what is asked of the addresses that begin so, before any earlier one does. Returns how to
 * end it: `beforeEach(() => standIn(…))`.
 */
export function standIn(address: string, answer: Answer): () => void {
  const one = { address, answer };
  standIns.unshift(one);
  return () => void standIns.splice(standIns.indexOf(one), 1);
}
