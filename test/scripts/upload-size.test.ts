// The size of the Worker, from what wrangler prints of a build.
import { expect, test } from "vitest";
import { checkUploadSize } from "../../scripts/upload-size.ts";

test.each([
  ["fits", "Total Upload: 2437.12 KiB / gzip: 512.00 KiB\n", true, "ok: … is 512.0 KB gzipped, of 512 at most"],
  [
    "is too large",
    "gzip\nTotal Upload: 2.00 KiB / gzip: 512.01 KiB",
    false,
    "FAILED: … is 512.0 KB gzipped, of 512 at most",
  ],
  ["is not printed", "Building failed.", false, "FAILED: … is of an unknown size"],
  [
    "has a color",
    "Total Upload: \u001b[32m9.1 KiB / gzip: 7.25 KiB\u001b[39m",
    true,
    "ok: … is 7.3 KB gzipped, of 512 at most",
  ],
])("a sum that %s", (_, output, isFit, text) => {
  const checked = checkUploadSize(output);
  expect({ ...checked, text: checked.text.replace("the Worker with all of its modules", "…") }).toEqual({
    isFit,
    text,
  });
});
