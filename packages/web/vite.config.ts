import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import type { Plugin, Rolldown } from "vite";
import { defaultClientConditions, defineConfig } from "vite";

const server = "http://localhost:8080";

/**
 * Few and large chunks, so that a screen takes a handful of files and all code can be fetched ahead. Each takes what is named
 * here, and whatever that needs and no chunk above it has: so no chunk needs one that is only loaded after it.
 */
const chunks: readonly (readonly [name: string, modules: RegExp])[] = [
  ["start", /src\/main\.tsx$/],
  ["live", /socket\.io-client/],
  [
    "shell",
    /src\/app\/shell\/shell\.tsx|src\/app\/shell\/live-data|src\/ui\/(load-failed|notice-strip|queue-dot|app-avatar|list-skeleton|empty-state|status-pill)/,
  ],
  [
    "common",
    /features\/messages\/(formatted-text|signature|whatsapp-text|media-labels)|src\/api\/(use-pages|upload|download)|src\/ui\/(copy-text|matches|theme-toggle|color-scheme|logo|clock)|use-(debounced|mounted|media)|(users|queues|connections|tags|contacts|quick-messages)\/api\.ts|tabler\/icons-react\/dist\/esm\/icons\/Icon(?!Calendar|Adjust|Mood|Brand|Qrcode|Plug|Robot|Chart|Webhook|Key|Lock|Grip|Player|Device|Steer|Rotate|Bold|Link|World|Shield|Building)/,
  ],
  ["tables", /src\/ui\/page\//],
  ["fields", /@mantine\/hooks\/|@mantine\/core\/esm\/components\/(Input|InputBase|TextInput)\//],
  [
    "inputs",
    /src\/ui\/styles\/|InlineInput|@mantine\/core\/esm\/components\/(Input|InputBase|TextInput|Textarea|PasswordInput|NativeSelect|Switch|Tabs|InlineInput|Checkbox|Radio)\/|src\/ui\/(opening-hours|field-group)|contract\/src\/hours-at/,
  ],
  [
    "menus",
    /@mantine\/core\/esm\/components\/(Menu|Popover)\/|app\/shell\/(top-bar-tools|account-section)/,
  ],
  ["lists", /features\/(quick-messages|tags)\/[a-z-]+-page/],
  ["virtual", /tanstack\/(virtual-core|react-virtual)/],
  ["inbox", /features\/tickets\/tickets-page/],
  ["conversation", /features\/tickets\/conversation-pane/],
  [
    "modals",
    /src\/ui\/dialogs\/(dialog-frame|question|form-dialog)|@mantine\/core\/esm\/components\/(Modal|ScrollArea)\//,
  ],
  [
    "tools",
    /tickets\/(more-commands|queue-filter|search-panel)|composer\/(tool-popover|variables|send-menu|suggestions|tray|drop-overlay|quick-message-picker)|messages\/(message-menu|delete-message)|templates\/window-chip|tickets\/hours-notice|features\/tags\/tag-strip/,
  ],
  ["sign-in", /auth\/login-page/],
  [
    "forms",
    /react-hook-form|src\/ui\/(dialogs|queue-choice|field-group|attachment-field|opening-hours)|@mantine\/core\/esm\/components\/(Modal|Combobox|Select|TextInput|Textarea|Switch|Checkbox|Radio|Tabs|NumberInput|SegmentedControl|MultiSelect|PasswordInput|ScrollArea)\//,
  ],
  ["toasts", /src\/ui\/toast-host/],
  ["connections", /features\/connections\/connections-(health-)?page/],
  ["queues", /features\/queues\/queues-page/],
  ["users", /features\/users\/users-page/],
  ["settings", /features\/settings\//],
  ["simulator", /features\/simulator\/simulator-page/],
  [
    "dialogs",
    /features\/(contacts|notes|schedules|templates|palette|tickets|notifications|tags|quick-messages|users)\/|features\/messages\/(?!media-viewer)|profile-dialog/,
  ],
  ["admin-dialogs", /features\/(queues|connections|simulator)\//],
  ["texts-pt-first", /src\/i18n\/pt\/first\.ts/],
  ["texts-pt-pages", /src\/i18n\/pt\/pages\.ts/],
  ["texts-en-first", /src\/i18n\/en\/first\.ts/],
  ["texts-en-pages", /src\/i18n\/en\/pages\.ts/],
  ["texts-es-first", /src\/i18n\/es\/first\.ts/],
  ["texts-es-pages", /src\/i18n\/es\/pages\.ts/],
];

export default defineConfig({
  plugins: [react(), fetchBeforeImport(), pageHead(), listFiles(), compressOnce()],
  // The contract is read from its source; without this a stale build of it would quietly be used.
  resolve: { conditions: ["source", ...defaultClientConditions] },
  build: {
    outDir: "dist/app",
    emptyOutDir: true,
    target: "es2023",
    cssCodeSplit: false,
    rolldownOptions: {
      preserveEntrySignatures: false,
      output: { codeSplitting: { groups: chunks.map(([name, test]) => ({ name, test })) } },
    },
  },
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

/** Puts `src/api/code-files.ts` in the place of the bundler's own helper around every `import()`. */
function fetchBeforeImport(): Plugin {
  const helper = resolve(import.meta.dirname, "src/api/code-files.ts");
  return {
    name: "balcao:fetch-before-import",
    apply: "build",
    enforce: "pre",
    load(id) {
      if (!id.endsWith("vite/preload-helper.js")) return null;
      return `export { importFetched as __vitePreload } from ${JSON.stringify(helper)};`;
    },
  };
}

/** Part of the address → the module of its page; those of the second list also need the texts that only pages have. */
const pages = {
  login: "auth/login-page.tsx",
  tickets: "tickets/tickets-page.tsx",
  "quick-messages": "quick-messages/quick-messages-page.tsx",
  tags: "tags/tags-page.tsx",
  connections: "connections/connections-page.tsx",
  "connections-health": "connections/connections-health-page.tsx",
  queues: "queues/queues-page.tsx",
  users: "users/users-page.tsx",
  settings: "settings/settings-page.tsx",
  simulator: "simulator/simulator-page.tsx",
} as const;
const withoutPageTexts: ReadonlySet<string> = new Set([
  "login",
  "tickets",
  "quick-messages",
  "tags",
]);

/**
 * Tells the script of `index.html` which files each page needs, and puts the styles behind the splash, which so is painted
 * before they have come.
 */
function pageHead(): Plugin {
  return {
    name: "balcao:page-head",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        const all = Object.values(bundle ?? {}).filter((file) => file.type === "chunk");
        const needs = (module: string): string[] => {
          const found = all.find((chunk) => chunk.moduleIds.some((id) => id.endsWith(module)));
          if (!found) throw new Error(`no chunk has ${module}`);
          return closure(found, all);
        };
        const shell = needs("/app/shell/shell.tsx");
        const files = new Map<string, string[]>();
        for (const [page, module] of Object.entries(pages)) {
          files.set(page, [...(page === "login" ? [] : shell), ...needs(`/features/${module}`)]);
          if (!withoutPageTexts.has(page)) files.set(`${page} texts`, []);
        }
        files.set("tickets one", needs("/features/tickets/conversation-pane.tsx"));
        for (const name of ["pt", "en", "es"].flatMap((one) => [`${one}/first`, `${one}/pages`])) {
          files.set(`texts-${name.replace("/", "-")}`, needs(`/i18n/${name}.ts`));
        }
        const styles = html.match(/ *<link rel="stylesheet"[^>]*>\n/g) ?? [];
        const preloaded = new Set(
          [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, file]) => file),
        );
        const late = Object.fromEntries(
          [...files].map(([name, list]) => [
            name,
            [...new Set(list)].filter((file) => !preloaded.has(file)),
          ]),
        );
        if (!html.includes("const files = {}")) throw new Error("index.html names no files");
        return styles
          .reduce((text, link) => text.replace(link, ""), html)
          .replace("const files = {}", `const files = ${JSON.stringify(late)}`)
          .replace("  </body>", `${styles.join("")}  </body>`);
      },
    },
  };
}

/** A chunk's file with those of everything that it imports. */
function closure(
  { fileName, imports }: Rolldown.OutputChunk,
  all: readonly Rolldown.OutputChunk[],
): string[] {
  const imported = all.filter((chunk) => imports.includes(chunk.fileName));
  return [fileName, ...imported.flatMap((chunk) => closure(chunk, all))];
}

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
