// The size of the Worker as wrangler counts it: all modules of an upload, gzipped together.

/** The most that the Worker may have, in KB. */
export const uploadLimitKb = 512;

/** Reads the sum in the output of wrangler, in KB; NaN without one. */
export function readUploadKb(output: string): number {
  return Number(/\/ gzip: ([\d.]+) KiB/.exec(output)?.[1]);
}

/** Compares the sum in the output of wrangler with the limit. Without a sum, it does not fit. */
export function checkUploadSize(output: string): { isFit: boolean; text: string } {
  const sumKb = readUploadKb(output);
  const isFit = sumKb <= uploadLimitKb;
  const size = Number.isNaN(sumKb)
    ? "of an unknown size"
    : `${sumKb.toFixed(1)} KB gzipped, of ${uploadLimitKb} at most`;
  return { isFit, text: `${isFit ? "ok" : "FAILED"}: the Worker with all of its modules is ${size}` };
}
