// The page as static files beside the command line; nothing is inlined, so that the server's content policy can stay strict.
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    outDir: "../dist/dashboard",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
