// The size of the Worker as wrangler counts it: all modules of an upload, gzipped together.

/** The most that the Worker may have, in KB. */
const limitKb = 512;

/** Compares the sum in the output of wrangler with the limit. Without a sum, it does not fit. */
export function checkUploadSize(output: string): { isFit: boolean; text: string } {
  const sumKb = Number(/\/ gzip: ([\d.]+) KiB/.exec(output)?.[1]);
  const isFit = sumKb <= limitKb;
  const size = Number.isNaN(sumKb) ? "of an unknown size" : `${sumKb.toFixed(1)} KB gzipped, of ${limitKb} at most`;
  return { isFit, text: `${isFit ? "ok" : "FAILED"}: the Worker with all of its modules is ${size}` };
}
