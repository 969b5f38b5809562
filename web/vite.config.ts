import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  base: "/app/",
  resolve: { alias: { "@loci-memory/sdk": fileURLToPath(new URL("../sdk/typescript/src/index.ts", import.meta.url)) } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2023",
    assetsDir: "assets",
    assetsInlineLimit: 0, // the policy of the page admits no data: URLs but pictures
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // The pages and the API come from a server that runs: npm run dev, then open the address that it prints.
  server: { proxy: { "^/(api|oauth)/": "http://localhost:5624", "^/app/(static|sign-|step-up|link|keys)": "http://localhost:5624" } },
});
