// The build of the console: hashed files below `/_sy/`, which are immutable, and one page.
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The service that `npm run console` works on. */
const service = process.env.SERVICE_URL ?? "http://localhost:8787";
const served = ["/api", "/pictures", "/previews", "/shared", "/invitations", "/cli", "/dev", "/docs"];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind()],
  resolve: {
    // HTML in Markdown is shown as text: its parser is left out.
    alias: { "rehype-raw": `${import.meta.dirname}/src/conversation/no-raw-html.ts` },
    conditions: ["switchyard-source", "module", "browser", "development|production"],
  },
  server: {
    // The service takes changes only from its own pages.
    proxy: Object.fromEntries(
      served.map((path) => [path, { target: service, headers: { origin: service }, ws: true }]),
    ),
  },
  build: {
    assetsDir: "_sy",
    target: "es2022",
    // The policy of the page allows no `data:` scripts and fonts.
    assetsInlineLimit: 0,
    // Each entry of a chunk is loaded by `import()` itself.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // A page is named after its folder.
        chunkFileNames: ({ facadeModuleId, name }) =>
          `_sy/${/\/([^/]+)\/page\.tsx$/.exec(facadeModuleId ?? "")?.[1] ?? name}-[hash].js`,
      },
    },
  },
});
