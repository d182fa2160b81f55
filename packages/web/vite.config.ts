import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { minify } from "@swc/core";
import react from "@vitejs/plugin-react";
import type { Plugin, Rolldown } from "vite";
import { build, defaultClientConditions, defineConfig } from "vite";
import { admin } from "./src/i18n/pt/admin.ts";
import { auth } from "./src/i18n/pt/auth.ts";
import { campaigns } from "./src/i18n/pt/campaigns.ts";
import { figures } from "./src/i18n/pt/figures.ts";
import { provider } from "./src/i18n/pt/provider.ts";
import { kanban } from "./src/i18n/pt/kanban.ts";
import { later } from "./src/i18n/pt/later.ts";
import { operation } from "./src/i18n/pt/operation.ts";
import { programs } from "./src/i18n/pt/programs.ts";
import { rare } from "./src/i18n/pt/rare.ts";
import { teamwork } from "./src/i18n/pt/teamwork.ts";
import { trust } from "./src/i18n/pt/trust.ts";
import { isRare } from "./src/app/rare-files.ts";
import { themeVariables } from "./src/ui/theme-variables.ts";

const server = "http://localhost:8080";

/**
 * Few and large chunks, so that a screen takes a handful of files and all code can be fetched ahead. Each takes what is named
 * here, and whatever that needs and no chunk above it has: so no chunk needs one that is only loaded after it.
 */
const chunks: readonly (readonly [name: string, modules: RegExp])[] = [
  // With the shell, which every page but the sign-in shows, and which is needed right after that. With the icons that several pages
  // have, too: a chunk that holds a page must not be needed by another page.
  [
    "start",
    /src\/(main\.tsx$|realtime\/socket)|rolldown\/runtime|src\/app\/shell\/shell\.tsx|src\/ui\/(states|marks|notice-strip|app-avatar|clock)|src\/realtime\/live-notice|features\/messages\/(bubble\/(bubble|formatted-text)|presence\/presence)\.tsx?|features\/(quick-messages|queues|settings|connections)\/api|schedules\/lazy-schedule-dialog|src\/api\/(use-pages|upload)|tabler\/icons-react\/dist\/esm\/(createReactComponent|defaultAttributes)|tabler\/icons-react\/dist\/esm\/icons\/Icon(AlertCircle|AlertTriangle|ArrowDown|ChartBar|Check|Checks|ChevronDown|ChevronLeft|CircleCheck|Clock|CloudCheck|CloudOff|DotsVertical|Download|Eye|EyeOff|File|FileOff|Filter|InfoCircle|MapPin|MessageCircle|Microphone|Paperclip|Pencil|Phone|Plus|Search|Send2|Trash|User|Users|Video)\.mjs/,
  ],
  [
    "sign-in",
    /src\/api\/download|features\/tags\/api|hooks\/esm\/use-debounced-value|icons\/Icon(ArrowLeft|BellOff|Copy|GripVertical|Logout|MessageOff|PlayerPause|PlayerPlay|UserPlus)\.mjs|ui\/(drafts|look|password-field|phone-number|theme-toggle|language-menu|page\/page\.tsx)|@mantine\/core\/esm\/components\/(Input|InputBase|TextInput|NativeSelect|Switch|InlineInput)\/|@mantine\/core\/styles\/(InlineInput|Switch)\./,
  ],
  // The table of records with its page, and the export button, which the dashboard uses too.
  [
    "table",
    /src\/ui\/(page\/(?!filter(-bar|ed)|selection|row-window)|export-button|segmented|ago-words)|src\/api\/keyset-pages|features\/campaigns\/(campaign-tabs|index)|icons\/IconTable\.mjs/,
  ],
  // What comes by itself once a first screen has shown; it needs no page.
  [
    "after",
    /app\/shell\/sign-out|ai-help\/offered-help|realtime\/ai-offer|ui\/use-is-touched|contract\/src\/(weekdays|hours-at|holidays|answer-targets)\.ts|auth\/subscription-warning|contact-imports\/import-news|connections\/connection(-alarms|s-warning)|contact-imports\/import-mark|features\/announcements\/(announcement-news|api)|features\/chats\/(chat-news|api)|features\/notifications\/(notifier|target-alarm)|messages\/presence\/viewers|src\/ui\/(tooltip-host|drawing)|list\/answer-target|icons\/Icon(DeviceMobile)\.mjs/,
  ],
  // Long lists and what the board knows of tickets.
  [
    "tickets",
    /@tanstack\/(react-virtual|virtual-core)|features\/tickets\/(api|shortcuts|list\/(ticket-pages|ticket-view|list-filter|card-texts))\.ts/,
  ],
  ["inbox", /features\/tickets\/tickets-page/],
  ["conversation", /features\/tickets\/conversation\/conversation-pane/],
  // The calendar without its library, which comes with the grid; and what the dialog of a message has of it.
  [
    "schedules",
    /contract\/src\/schedule-repeat|features\/(macros|plans)\/api|features\/schedules\/(schedules-page|schedule-words|schedule-styles)/,
  ],
  // For new companies, once the page has shown.
  ["steps", /features\/first-steps\/(first-steps|api)/],
  // For a page without a network: the worker puts it into a kept page by this name (`worker/pages.ts`).
  ["offline", /features\/offline\//],
  // Few open it; its checkout comes with the dialogs' code.
  ["invoices", /features\/invoices\/(?!index|checkout|pix-step|subscription-notice|visitor)/],
  // Pages that few open, all connections and macros, come with the dialogs that they need anyway.
  [
    "pages",
    /features\/(?!contact|file-lists|simulator|kanban|chats|announcements|helps|todolist|knowledge|prompts|integrations|operation|api\/)[a-z-]+\/(?!macros|schedules|campaign|dashboard|wall|reports|login|forgetpsw|sign-up)[a-z-]+-page\.tsx/,
  ],
  // Before signing in.
  ["login", /features\/(auth\/login-|invoices\/visitor-)/],
  ["visitors", /features\/auth\/(forgetpsw|sign-up)-page|contract\/src\/password-reset/],
  [
    "contacts",
    /src\/ui\/(page\/(filter|selection|cells)|sheet-drop)|features\/contacts\/(contacts-page|contact-filters|list-keys)|contract\/src\/contact-names|features\/(contact-lists\/(api|filter-words)|file-lists\/api)|tabler\/icons-react\/dist\/esm\/icons\/Icon(TableImport)\.mjs/,
  ],
  // The lists that campaigns use, and their pages beside that of the campaigns.
  ["lists", /features\/(contact-lists\/contact-list(s-page|-members)|file-lists\/files-page)/],
  // The agents with artificial intelligence; their dialogs need the page's code too.
  ["agents", /features\/(prompts\/(prompts-page|api)|knowledge\/(index|knowledge-page))/],
  // A tab that few open.
  ["macros", /features\/macros\/macros-page/],
  // The pages of the team's work; what they open comes in the chunks below.
  ["kanban", /features\/kanban\/kanban-page/],
  [
    "teamwork",
    /features\/(announcements\/announcements-page|chats\/chats-page|helps\/helps-page|todolist)/,
  ],
  ["imports", /features\/contact-imports\/import-wizard/],
  ["simulator", /features\/simulator\/simulator-page/],
  // By itself: it is fetched when the pointer or the focus reaches its button.
  ["emoji-picker", /features\/composer\/emoji/],
  [
    "menus",
    /api\/send-form|src\/ui\/page\/row-window|@mantine\/core\/esm\/components\/(Menu|Popover|Combobox)\/|app\/(not-found|refused|shell\/account)|notifications\/(volume|notifications)-popover|ui\/(choices|toast-host|variable-menu|menu-options|filter-menu)|first-steps\/hidden-steps|tickets\/(conversation\/(more-commands|notices)|list\/(filters|bulk-bar|view-strip)|search\/)|composer\/(answered-strip|composer-menus|tray|quick-messages)\.tsx|features\/ai-help\/(?!index|offered-help)|messages\/bubble\/(message-menu|cards|audio-player)|tags\/tag-picker|templates\/window-chip|contacts\/contact-menus|kanban\/kanban-menus|app\/fetch-ahead/,
  ],
  [
    "dialogs",
    /react-hook-form|src\/ui\/(dialogs|undo-bar|queue-choice|color-field|text-with-variables|field-group|attachment-field|opening-hours)|@mantine\/core\/esm\/components\/|features\/(?!(account-security|roles|audit|privacy|push)\/(?!index)|brands|companies|plans|mails|billing|invoices|operation|queues|connections|prompts|knowledge|integrations|settings\/billing-lookups|api\/|simulator|kanban|chats|announcements|helps|todolist|dashboard|reports|campaigns\/(?!campaign-tabs|index)|composer\/(emoji|team|recorder\/hold\.)|tickets\/conversation\/touch|schedules\/calendar)/,
  ],
  // Code for touch screens: swipes between tickets, and holding the microphone.
  ["touch", /features\/(tickets\/conversation\/touch|composer\/recorder\/hold)\./],
  ["kanban-panel", /features\/kanban\/ticket-panel/],
  ["calendar", /features\/schedules\/calendar-grid|@fullcalendar|@full-ui|temporal-/],
  // The list of campaigns and the frame of their settings; then what these open. The editor is a chunk of its own.
  [
    "campaign-parts",
    /features\/campaigns\/(campaign-(dates|pill|words)|settings-api)|contract\/src\/campaign-choices|icons\/Icon(ShieldCheck|Square)\.mjs/,
  ],
  ["campaign-list", /features\/campaigns\/(campaigns-|campaign-strip|list-api|protection)/],
  ["campaign-report", /features\/campaigns\/(campaign-page|report)/],
  [
    "campaign-more",
    /features\/campaigns\/(campaign-(menu|question)|config|holiday-note|leave-question)|contract\/src\/campaign-pace/,
  ],
  // The filter and the words that dashboard, wall and reports share; then each alone.
  ["figures", /features\/(reports\/(index|figure-)|dashboard\/now)/],
  ["wall", /features\/dashboard\/wall/],
  ["dashboard", /features\/dashboard\/(?!filter-sheet)/],
  ["dashboard-filter", /features\/dashboard\/filter-sheet/],
  ["reports", /features\/reports\/(?!report-menus)/],
  ["reports-filter", /features\/reports\/report-menus/],
  // The editor of a campaign.
  ["campaigns", /features\/campaigns\/(campaign-editor|draft|editor|message|test-send)/],
  ["chat", /features\/chats\/(chat-pane|messages)/],
  [
    "teamwork-more",
    /features\/(announcements\/announcement(-dialog|s-popover)|helps\/help-videos|chats\/chat(-dialog|s-popover)|composer\/team-composer)/,
  ],
  // The pages for other programs; then their dialogs and what shows code.
  ["api", /features\/api\/messages-api-page/],
  [
    "programs",
    /features\/(integrations\/(queue-integration-page|deliveries|integration-words|receiver-parts|api)|api\/api)|app\/plan-offer/,
  ],
  // The security of accounts and of the installation, roles, the audit and privacy: panels of other pages, each opened by few.
  [
    "trust",
    /features\/(account-security\/|(roles|audit|privacy|push)\/(?!index)|operation\/security-panel)|@simplewebauthn/,
  ],
  // What operates the whole installation, for super users.
  ["operation", /features\/operation\/operation-page/],
  ["operation-more", /features\/operation\//],
  ["programs-more", /features\/(integrations|api)\/|src\/ui\/code-block/],
  ["admin-dialogs", /features\/(?!composer|invoices\/(checkout|pix-step))|qrcode/],
  ["checkout", /features\/invoices\/(checkout|pix-step)/],
  ...["pt", "en", "es"].flatMap((language) =>
    [
      ...["first", "auth", "later", "rare", "admin", "campaigns", "figures", "kanban"],
      ...["operation", "programs", "provider", "teamwork", "trust"],
    ].map((part): [string, RegExp] => [
      `texts-${language}-${part}`,
      new RegExp(String.raw`src/i18n/${language}/${part}\.ts`),
    ]),
  ),
];

export default defineConfig({
  plugins: [
    react(),
    shortClassNames(),
    shortIcons(),
    writeVariables(),
    writeLimits(),
    fetchBeforeImport(),
    pageHead(),
    lateStyles(),
    checkFirstTexts(),
    minifyAgain(),
    checkAhead(),
    serviceWorker(),
    compressOnce(),
  ],
  // The contract is read from its source; without this a stale build of it would quietly be used.
  resolve: { conditions: ["source", ...defaultClientConditions] },
  build: {
    outDir: "dist/app",
    emptyOutDir: true,
    target: "es2023",
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      preserveEntrySignatures: false,
      output: {
        chunkFileNames: "assets/[name]-[hash:7].js",
        codeSplitting: { groups: chunks.map(([name, test]) => ({ name, test })) },
      },
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

/** Works out the variables of our theme once, for all pages. */
function writeVariables(): Plugin {
  return {
    name: "balcao:write-variables",
    enforce: "pre",
    load: (id) => (id.endsWith("/ui/styles/theme-variables.css") ? themeVariables() : null),
  };
}

/**
 * Gives classes short names, and makes each a constant of its own: scripts contain the names that they use, and neither those
 * of the sheets nor their objects. That is 3 kB less, most of it in the style sheet.
 */
function shortClassNames(): Plugin {
  const sheets = new Map<string, string[]>();
  return {
    name: "balcao:short-class-names",
    apply: "build",
    enforce: "pre",
    config: () => ({
      css: {
        modules: {
          generateScopedName: (name, file) => shortName(sheets, name, file),
          // `switch` and `new` are names of classes, but not of constants.
          localsConvention: (name) => `$${name}`,
        },
      },
    }),
    transform: {
      filter: { id: /\.tsx$/ },
      handler(code) {
        // A choice inside of the brackets would be taken apart below.
        const choice = /\bclasses\[[^\]"]*\?/i.exec(code);
        if (choice) this.error(`${choice[0]}: choose between two classes, not their names`);
        let changed = code;
        for (const [line, sheet = "", path = ""] of code.matchAll(
          /import (\w+) from ("\.[^"]+\.module\.css")/g,
        )) {
          changed = changed
            .replace(line, `import * as ${sheet} from ${path}`)
            .replace(new RegExp(`\\b${sheet}\\["(\\w+)"\\]`, "g"), `${sheet}.$$$1`)
            .replace(new RegExp(`\\b${sheet}\\[(?=\\w)`, "g"), `${sheet}["$$"+`);
        }
        return changed === code ? null : { code: changed, map: null };
      },
    },
  };
}

/** Four letters for the sheet, and the number of the name in it. */
function shortName(sheets: Map<string, string[]>, name: string, file: string): string {
  const path = relative(import.meta.dirname, file);
  const sheet = lettersOf(path);
  const known = sheets.get(sheet) ?? [path];
  if (known[0] !== path) throw new Error(`${path} and ${known[0]} have the same letters`);
  if (!known.includes(name, 1)) known.push(name);
  sheets.set(sheet, known);
  return sheet + (known.indexOf(name, 1) - 1).toString(36);
}

/** The letters with which the names of a sheet begin. */
function lettersOf(path: string): string {
  const hash = createHash("sha256").update(path).digest("base64");
  return hash.replaceAll(/[^a-z]/gi, "").slice(0, 4);
}

/** Leaves of an icon its lines, drawn by `src/ui/short-icon.ts`: 2 kB less for a first screen. The library keeps names and keys. */
function shortIcons(): Plugin {
  const drawer = JSON.stringify(resolve(import.meta.dirname, "src/ui/short-icon.ts"));
  return {
    name: "balcao:short-icons",
    apply: "build",
    transform: {
      filter: { id: /@tabler\/icons-react\/dist\/esm\/icons\/Icon\w+\.mjs$/ },
      handler(code) {
        const [, nodes = "[]", name = ""] =
          /__iconNode = (\[.*\]);\s*const (\w+) =/.exec(code) ?? [];
        const lines = JSON.parse(nodes.replaceAll(/([{,] ?)"?(\w+)"?:/g, '$1"$2":')) as IconLine[];
        // Lines that begin where another ends, and surfaces with holes, cannot be one path.
        const isPlain = lines.every(
          ([tag, { d, fill }]) => tag === "path" && d?.startsWith("M") && !fill,
        );
        if (lines.length === 0 || !isPlain || !code.includes('"outline"')) return null;
        const path = JSON.stringify(lines.map(([, { d }]) => d).join(""));
        return {
          code: `import { shortIcon } from ${drawer}; const ${name} = /* @__PURE__ */ shortIcon(${path}); export default ${name};`,
          map: null,
        };
      },
    },
  };
}

type IconLine = [tag: string, attributes: { d?: string; fill?: string }];

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

/** Pages that need no later texts. */
const firstPages: ReadonlySet<string> = new Set(["login", "sign-up", "forgetpsw", "tickets"]);
const withoutShell: ReadonlySet<string> = new Set(["login", "sign-up", "forgetpsw", "wall"]);
/** A page's file is called as its address (`src/app/pages.ts`). */
const pageFile = /\/src\/features\/[a-z-]+\/([a-z-]+)-page\.tsx$/;

/**
 * Tells the script of `index.html` which files each page needs, and puts the styles behind the splash, which so is painted
 * before they have come. The tab's icon and the list for `src/app/fetch-ahead.ts` are written into the page, since each of
 * their files would be a request of every first visit.
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
        for (const module of all.flatMap(({ moduleIds }) => moduleIds)) {
          const [, page] = pageFile.exec(module) ?? [];
          if (page === undefined) continue;
          const around = withoutShell.has(page) ? [] : shell;
          files.set(page, [...around, ...needs(module)]);
          if (firstPages.has(page)) continue;
          // The library's context comes with every other page (`ui/lazy-part.tsx`).
          files.set(page, [...around, ...needs(module), ...needs("/ui/look.tsx")]);
          files.set(`${page} texts`, []);
        }
        files.set("tickets one", needs("/features/tickets/conversation/conversation-pane.tsx"));
        for (const name of ["pt", "en", "es"].flatMap((one) => [
          `${one}/first`,
          `${one}/auth`,
          `${one}/later`,
        ])) {
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
        // The entry is empty: its chunks stand in the page.
        const isEntry = (file: string): boolean =>
          all.some((chunk) => chunk.fileName === file && chunk.isEntry);
        const ahead = Object.keys(bundle ?? {}).filter(
          (file) => isFetchedAhead(file) && !isEntry(file),
        );
        const list = `<script type="application/json" id="code-ahead">${JSON.stringify(ahead)}</script>`;
        return styles
          .reduce((text, link) => text.replace(link, ""), html)
          .replace('rel="icon" href="/icon.svg"', `rel="icon" href="${dataUrlOf("icon.svg")}"`)
          .replace("const files = {}", `const files = ${JSON.stringify(late)}`)
          .replace("  </body>", `${styles.join("")}    ${list}\n  </body>`);
      },
    },
  };
}

/** Style sheets that come with the texts of a part (`src/ui/lazy-part.tsx`), since no first screen uses them. */
const sheetsOfPart: Readonly<Record<string, RegExp>> = {
  figures: /^src\/features\/(dashboard|reports)\//,
  operation: /^src\/features\/operation\//,
  programs: /^src\/(ui\/code-block|features\/(integrations\/integrations|api\/api))\./,
  provider:
    /^src\/(ui\/page\/filtered-list|features\/(brands\/brands|companies\/compan(ies|y-sheet)|mails\/mails-panel|invoices\/(checkout|invoices)|first-steps\/first-steps))\./,
};

/** Puts the rules of these sheets into files of their own, with links in the page that are off until the part is wanted. */
function lateStyles(): Plugin {
  return {
    name: "balcao:late-styles",
    apply: "build",
    enforce: "post",
    generateBundle(_options, bundle) {
      const assets = Object.values(bundle).filter((file) => file.type === "asset");
      const styles = assets.find(({ fileName }) => /style-[\w-]+\.css$/.test(fileName));
      const html = assets.find(({ fileName }) => fileName === "index.html");
      if (!styles || !html) throw new Error("neither styles nor page");
      let links = "";
      for (const [part, sheets] of Object.entries(sheetsOfPart)) {
        const names = [...this.getModuleIds()]
          .map((id) => relative(import.meta.dirname, id))
          .filter((file) => file.endsWith(".module.css") && sheets.test(file))
          .map(lettersOf);
        const { taken, left } = splitRules(String(styles.source), names);
        if (taken === "") throw new Error(`no style sheet of ${part}`);
        const hash = createHash("sha256").update(taken).digest("hex").slice(0, 8);
        const fileName = `assets/${part}-${hash}.css`;
        styles.source = left;
        this.emitFile({ type: "asset", fileName, source: taken });
        links += `  <link rel="stylesheet" href="/${fileName}" data-part="${part}" disabled>\n`;
      }
      html.source = String(html.source).replace("  </body>", `${links}  </body>`);
    },
  };
}

/** The rules whose selectors all belong to sheets with these letters, also those inside of media queries; and all others. */
function splitRules(css: string, letters: readonly string[]): { taken: string; left: string } {
  const isOwn = (head: string): boolean =>
    head.split(",").every((selector) => letters.some((one) => selector.includes(one)));
  let [taken, left, at] = ["", "", 0];
  while (at < css.length) {
    const open = css.indexOf("{", at);
    const end = css.indexOf(";", at);
    if (open < 0 || (end >= 0 && end < open)) {
      // `@import …;`, or the end.
      const next = end < 0 ? css.length : end + 1;
      left += css.slice(at, next);
      at = next;
      continue;
    }
    const close = closingBrace(css, open);
    const [head, rule] = [css.slice(at, open), css.slice(at, close + 1)];
    if (/^\s*@(media|container|supports)/.test(head)) {
      const inside = splitRules(css.slice(open + 1, close), letters);
      if (inside.taken !== "") taken += `${head}{${inside.taken}}`;
      if (inside.left.trim() !== "") left += `${head}{${inside.left}}`;
    } else if (isOwn(head)) taken += rule;
    else left += rule;
    at = close + 1;
  }
  return { taken, left };
}

/** Where the block that begins there ends. Braces in texts of a sheet would be miscounted; there are none. */
function closingBrace(css: string, open: number): number {
  let depth = 0;
  for (let at = open; at < css.length; at += 1) {
    if (css[at] === "{") depth += 1;
    if (css[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error("a block of styles has no end");
}

function dataUrlOf(publicFile: string): string {
  const content = readFileSync(resolve(import.meta.dirname, "public", publicFile), "base64");
  return `data:image/svg+xml;base64,${content}`;
}

/** Ends the build when a first screen says a text that comes later: one would read the text's name instead. */
function checkFirstTexts(): Plugin {
  return {
    name: "balcao:check-first-texts",
    apply: "build",
    generateBundle(_options, bundle) {
      const all = Object.values(bundle).filter((file) => file.type === "chunk");
      const isFirst = /app\/shell\/shell|tickets\/(tickets-page|conversation\/conversation-pane)/;
      const firsts = all.filter(({ moduleIds }) => moduleIds.some((id) => isFirst.test(id)));
      const files = new Set(firsts.flatMap((chunk) => closure(chunk, all)));
      const late = [
        auth,
        later,
        rare,
        admin,
        campaigns,
        figures,
        kanban,
        operation,
        programs,
        provider,
        teamwork,
        trust,
      ];
      const names = new Set(late.flatMap((texts) => [...namesOf(texts)]));
      for (const { fileName, code } of all.filter((chunk) => files.has(chunk.fileName))) {
        const said = [...code.matchAll(/[`"]([a-z]\w*\.[\w.]+)[`"]/gi)].map(
          ([, name]) => name ?? "",
        );
        const early = said.filter((name) => names.has(name));
        if (early.length > 0) this.error(`${fileName} says ${early.join(", ")}, which come later`);
      }
    },
  };
}

type Texts = { readonly [key: string]: string | Texts };

/** The names by which texts are asked for. */
function namesOf(texts: Texts, path = ""): Set<string> {
  const names = Object.entries(texts).flatMap(([key, value]) =>
    typeof value === "string"
      ? [path + key.replace(/_(zero|one|other)$/, "")]
      : [...namesOf(value, `${path}${key}.`)],
  );
  return new Set(names);
}

/** A chunk's file with those of everything that it imports. */
function closure(
  { fileName, imports }: Rolldown.OutputChunk,
  all: readonly Rolldown.OutputChunk[],
): string[] {
  const imported = all.filter((chunk) => imports.includes(chunk.fileName));
  return [fileName, ...imported.flatMap((chunk) => closure(chunk, all))];
}

/** Writes the number in the place of `limits.name`: 1 kB less than all limits in the first file. */
function writeLimits(): Plugin {
  const numbers = new Map<string, unknown>();
  return {
    name: "balcao:write-limits",
    apply: "build",
    enforce: "pre",
    async buildStart() {
      const source = pathToFileURL(resolve(import.meta.dirname, "../contract/src/limits.ts"));
      const { limits } = (await import(source.href)) as { limits: object };
      for (const [name, value] of Object.entries(limits)) numbers.set(name, value);
    },
    transform: {
      filter: { id: /\/(web|contract)\/src\/.*\.tsx?$/, code: /limits(\.ts)?";/ },
      handler: (code) => ({
        code: code.replaceAll(/\blimits\.(\w+)\b/g, (text, name: string) => {
          const value = numbers.get(name);
          return typeof value === "number" ? String(value) : text;
        }),
        map: null,
      }),
    },
  };
}

/** What becomes of `async () => (await import("…")).Name`: it says the name three times, where the import alone is enough. */
const namedImport =
  /async\(\)=>\{let\{([\w$]+):([\w$]+)\}=await (import\("[^"]+"\)\.then\([\w$]+=>[\w$]+\.[\w$]+\));return\{\1:\2\}\}/g;

/** Lets another minifier go over what the bundler's has left: 1 to 3 % less of each file. */
function minifyAgain(): Plugin {
  return {
    name: "balcao:minify-again",
    apply: "build",
    enforce: "post",
    async generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      await Promise.all(
        chunks.map(async (chunk) => {
          const ecma = 2022;
          const compress = { ecma, module: true, passes: 3, toplevel: true } as const;
          const options = { module: true, ecma, compress, mangle: { toplevel: true } } as const;
          const { code } = await minify(chunk.code, options);
          chunk.code = code.replaceAll(namedImport, "()=>$3");
        }),
      );
    },
  };
}

const isFetchedAhead = (file: string): boolean =>
  /^assets\/.*\.(js|css)$/.test(file) && !isRare(file);

/** Ends the build when a file that is fetched ahead needs one that is not: what it opens would be missing without a network. */
function checkAhead(): Plugin {
  return {
    name: "balcao:check-ahead",
    apply: "build",
    enforce: "post",
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === "asset" || isRare(chunk.fileName)) continue;
        const rare = chunk.imports.filter(isRare);
        if (rare.length > 0) this.error(`${chunk.fileName} needs ${rare.join(", ")}`);
      }
    },
  };
}

/** Builds the service worker as one script beside the page: a worker is found by its address, which must not change. */
function serviceWorker(): Plugin {
  return {
    name: "balcao:service-worker",
    apply: "build",
    async generateBundle() {
      const entry = resolve(import.meta.dirname, "src/worker/service-worker.ts");
      const built = await build({
        ...{ configFile: false, logLevel: "error", root: import.meta.dirname },
        publicDir: false,
        build: {
          ...{ write: false, target: "es2023", minify: true },
          lib: { entry, formats: ["iife"], name: "worker", fileName: () => "sw.js" },
        },
      });
      const [output] = [built].flat();
      const script = output && "output" in output ? output.output[0] : undefined;
      if (!script) throw new Error("the service worker was not built");
      this.emitFile({ type: "asset", fileName: "sw.js", source: script.code });
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
