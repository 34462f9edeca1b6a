// The media types of files that the service sends from its bucket.

/** The ending of a file's name → the value of `Content-Type`. */
export const mediaTypes = {
  html: "text/html; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  webmanifest: "application/manifest+json",
  png: "image/png",
  svg: "image/svg+xml",
};

/** Immutable files have names that change with their content. */
export const immutable = "public, max-age=31536000, immutable";
