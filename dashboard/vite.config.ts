// Builds the page as static files beside the command line. Nothing is inlined, so that the server's content policy stays strict.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const sources = fileURLToPath(new URL("../src/", import.meta.url));

export default defineConfig({
  // The page shares contracts, words and formats with the command line, and bundles their sources.
  resolve: { alias: [{ find: /^#(spec|text)\/(.+)$/, replacement: `${sources}$1/$2.ts` }] },
  build: {
    outDir: "../dist/dashboard",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
