// Requests as they are made, for `--debug`. Their headers and bodies are left out: the key is in a
// header, and a body may have a secret.
let isTracing = false;

/** From now on, each request is a line on stderr. */
export function startTracing(): void {
  isTracing = true;
}

/** Makes a request, and prints it if requests are traced. */
export const fetchTraced: typeof globalThis.fetch = async (input, init) => {
  if (!isTracing) return await fetch(input, init);
  const asked = `${init?.method ?? "GET"} ${input instanceof Request ? input.url : input}`;
  const startedAt = performance.now();
  const print = (outcome: string) =>
    process.stderr.write(`${asked} → ${outcome}, ${Math.round(performance.now() - startedAt)} ms\n`);
  try {
    const response = await fetch(input, init);
    const id = response.headers.get("x-request-id");
    print(`${response.status}${id === null ? "" : `, request ${id}`}`);
    return response;
  } catch (error) {
    print(error instanceof Error ? error.message : String(error));
    throw error;
  }
};
