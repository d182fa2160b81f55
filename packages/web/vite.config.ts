import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defaultClientConditions, defineConfig } from "vite";

const server = "http://localhost:8080";

export default defineConfig({
  plugins: [react(), listFiles(), compressOnce()],
  // The contract is read from its source; without this a stale build of it would quietly be used.
  resolve: { conditions: ["source", ...defaultClientConditions] },
  build: { outDir: "dist/app", emptyOutDir: true, target: "es2023" },
  server: {
    port: 5173,
    strictPort: true,
    proxy: {
      "/api": { target: server },
      "/metrics": { target: server },
      "/public": { target: server },
      "/socket.io": { target: server, ws: true },
    },
  },
});

/** Leaves a list of all code and styles beside the page, for `src/app/fetch-ahead.ts`. */
function listFiles(): Plugin {
  return {
    name: "balcao:list-files",
    apply: "build",
    enforce: "post",
    generateBundle(_options, bundle) {
      const files = Object.keys(bundle).filter((file) => /\.(js|css)$/.test(file));
      this.emitFile({ type: "asset", fileName: "files.json", source: JSON.stringify(files) });
    },
  };
}

/** Leaves a .br and a .gz beside each text file, so that the server compresses nothing while it serves. */
function compressOnce(): Plugin {
  let outDir = "";
  return {
    name: "balcao:compress-once",
    apply: "build",
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir);
    },
    async closeBundle() {
      const files = await readdir(outDir, { recursive: true });
      await Promise.all(
        files
          .filter((file) => /\.(js|css|html|svg|json|wasm)$/.test(file))
          .map((file) => compressFile(join(outDir, file))),
      );
    },
  };
}

async function compressFile(path: string): Promise<void> {
  const content = await readFile(path);
  const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
  await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, brotliOptions));
}
