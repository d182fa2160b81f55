// `npm run new:feature -- suppliers --pt=Fornecedores --en=Suppliers --es=Proveedores`: a list of records with a name, on
// both sides, from contract to page. It works and is tested as it stands; docs/how-to-add-a-feature.md says what is next.
// `--one=supplier` where the singular is not the plural without its s; `--into=DIR` writes into another copy.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { root } from "./lib/paths.mjs";
import { run } from "./lib/run.mjs";
import { Problem, runScript, say } from "./lib/script.mjs";

const contract = "packages/contract/src";
const server = "packages/server/src";
const web = "packages/web/src";
const guarantees = `${server}/testing/guarantees`;

/** Template of `scripts/feature` → the file that it becomes. */
const newFiles = {
  contract: `${contract}/sample-records.ts`,
  schema: `${server}/platform/db/schema/sample-records.ts`,
  server: `${server}/features/sample-records/index.ts`,
  "server-test": `${server}/features/sample-records/sample-records.test.ts`,
  "web-api": `${web}/features/sample-records/api.ts`,
  "web-page": `${web}/features/sample-records/sample-records-page.tsx`,
  "web-dialog": `${web}/features/sample-records/sample-record-dialog.tsx`,
  "web-test": `${web}/features/sample-records/sample-records-page.test.tsx`,
};

/** Additions to existing files, each below the first line that holds the given text. */
const additions = [
  [`${contract}/index.ts`, "./quick-messages.ts", `export * from "./sample-records.ts";`],
  [
    `${contract}/registry.ts`,
    "./quick-messages.ts",
    `import { sampleRecordsEndpoints } from "./sample-records.ts";`,
  ],
  [`${contract}/registry.ts`, "...quickMessagesEndpoints", "  ...sampleRecordsEndpoints,"],
  [`${contract}/errors.ts`, "ERR_NO_TAG_FOUND", "  ERR_NO_SAMPLE_RECORD_FOUND: 404,"],
  [`${contract}/errors.ts`, "ERR_TAG_EXISTS", "  ERR_SAMPLE_RECORD_EXISTS: 400,"],
  [
    `${contract}/permissions.ts`,
    `"quick-messages:manage-all"`,
    `  "sample-records:use": { profiles: ["user", "supervisor", "admin"] },
  "sample-records:manage": { profiles: ["admin"] },`,
  ],
  [`${contract}/event-names.ts`, `| "quickmessage"`, `  | "sampleRecord"`],
  [
    `${contract}/events.ts`,
    "./quick-messages.ts",
    `import { sampleRecord, sampleRecordId } from "./sample-records.ts";`,
  ],
  [
    `${contract}/events.ts`,
    "export const companyEvents",
    `  sampleRecord: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), sampleRecord }),
    z.object({ action: z.literal("delete"), sampleRecordId }),
  ]),`,
  ],
  [`${contract}/limits.ts`, "  quickMessages: ", "  sampleRecords: 50,"],

  [`${server}/platform/db/schema/index.ts`, "./queues.ts", `export * from "./sample-records.ts";`],
  [
    `${server}/app.ts`,
    "./features/tags/index.ts",
    `import { createSampleRecordsFeature } from "./features/sample-records/index.ts";`,
  ],
  [`${server}/app.ts`, "  const features = [", "    createSampleRecordsFeature(base),"],
  [
    `${guarantees}/permissions.test.ts`,
    `"quick-messages:manage-all"`,
    `  "sample-records:use": ["user", "supervisor", "admin", "super"],
  "sample-records:manage": ["admin", "super"],`,
  ],
  [`${guarantees}/rows.ts`, "  QuickMessageId,", "  SampleRecordId,"],
  [`${guarantees}/rows.ts`, "quickMessageId: QuickMessageId", "  sampleRecordId: SampleRecordId;"],
  [
    `${guarantees}/rows.ts`,
    "    tagId: tag,",
    `    sampleRecordId: made(sql\`
      insert into sample_records (company_id, name) values (\${company.id}, \${mark}) returning id\`),`,
  ],
  [
    `${guarantees}/valid-requests.ts`,
    `"POST /tags/sync"`,
    `
  "GET /sample-records": ({ mark }) => ({ query: { searchParam: mark, pageNumber: "1" } }),
  "GET /sample-records/:sampleRecordId": ({ sampleRecordId }) => ({ params: { sampleRecordId } }),
  "POST /sample-records": ({ mark }) => ({ body: { name: \`\${mark} nova\`.slice(0, 50) } }),
  "PUT /sample-records/:sampleRecordId": ({ sampleRecordId, mark }) => ({
    params: { sampleRecordId },
    body: { name: \`\${mark} outra\`.slice(0, 50) },
  }),
  "DELETE /sample-records/:sampleRecordId": ({ sampleRecordId }) => ({ params: { sampleRecordId } }),`,
  ],
  [
    `${guarantees}/tenants.test.ts`,
    "const noTag =",
    `const noSampleRecord = {
  row: ({ sampleRecordId }: Rows) => sampleRecordId,
  refusal: "ERR_NO_SAMPLE_RECORD_FOUND",
} as const;`,
  ],
  [
    `${guarantees}/tenants.test.ts`,
    `"POST /tags/sync body.tags.id"`,
    `
  "GET /sample-records/:sampleRecordId params.sampleRecordId": noSampleRecord,
  "PUT /sample-records/:sampleRecordId params.sampleRecordId": noSampleRecord,
  "DELETE /sample-records/:sampleRecordId params.sampleRecordId": noSampleRecord,`,
  ],

  [
    `${web}/app/pages.ts`,
    `TagsPage),`,
    `  },
  {
    path: "sample-records",
    label: "sampleRecords.title",
    icon: IconListDetails,
    section: "service",
    permission: "sample-records:use",
    Page: page(
      async () =>
        (await import("../features/sample-records/sample-records-page.tsx")).SampleRecordsPage,
    ),`,
  ],
];

/** A language's texts for any record; the title is given. */
const texts = {
  pt: {
    notFound: "Registro não encontrado.",
    exists: "Já existe um registro com este nome.",
    words: {
      search: "Buscar pelo nome",
      name: "Nome",
      nameRequired: "Obrigatório",
      updated: "Alterado em",
      newTitle: "Novo registro",
      editTitle: "Editar registro",
      saved: "Registro salvo.",
      deleteTitle: "Excluir {{name}}?",
      deleteText: "Isso não pode ser desfeito.",
      deleted: "Registro excluído.",
      emptyText: "O que você adicionar aparece aqui.",
    },
  },
  en: {
    notFound: "Record not found.",
    exists: "There is already a record with this name.",
    words: {
      search: "Search by name",
      name: "Name",
      nameRequired: "Required",
      updated: "Changed on",
      newTitle: "New record",
      editTitle: "Edit record",
      saved: "Record saved.",
      deleteTitle: "Delete {{name}}?",
      deleteText: "This cannot be undone.",
      deleted: "Record deleted.",
      emptyText: "What you add appears here.",
    },
  },
  es: {
    notFound: "Registro no encontrado.",
    exists: "Ya existe un registro con este nombre.",
    words: {
      search: "Buscar por nombre",
      name: "Nombre",
      nameRequired: "Obligatorio",
      updated: "Cambiado el",
      newTitle: "Nuevo registro",
      editTitle: "Editar registro",
      saved: "Registro guardado.",
      deleteTitle: "¿Eliminar {{name}}?",
      deleteText: "Esto no se puede deshacer.",
      deleted: "Registro eliminado.",
      emptyText: "Lo que añadas aparece aquí.",
    },
  },
};

/** The additions to the texts of a language. */
function textAdditions(language, title) {
  const { notFound, exists, words } = texts[language];
  const block = Object.entries(words).map(([key, text]) => `    ${key}: ${JSON.stringify(text)},`);
  const [first, later] = ["first", "later"].map((part) => `${web}/i18n/${language}/${part}.ts`);
  return [
    [first, "export const first", `  sampleRecords: { title: ${JSON.stringify(title)} },`],
    [later, "export const later", ["  sampleRecords: {", ...block, "  },"].join("\n")],
    [
      later,
      "ERR_NO_TAG_FOUND",
      `    ERR_NO_SAMPLE_RECORD_FOUND: ${JSON.stringify(notFound)},
    ERR_SAMPLE_RECORD_EXISTS: ${JSON.stringify(exists)},`,
    ],
  ];
}

/** A function that writes the feature's name in the place of the sample's, in each way of writing a name. */
function namer(plural, singular) {
  const ways = [
    (words) => words.join("-"),
    (words) => words.join("_"),
    (words) => words.join("_").toUpperCase(),
    (words) => words.map(capital).join(""),
    (words) => words.map((word, index) => (index === 0 ? word : capital(word))).join(""),
  ];
  const pairs = ways.flatMap((write) => [
    [write(["sample", "records"]), write(plural.split("-"))],
    [write(["sample", "record"]), write(singular.split("-"))],
  ]);
  return (text) => pairs.reduce((sum, [from, to]) => sum.replaceAll(from, to), text);
}

function capital(word) {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** Adds lines below the first line that holds `anchor`. */
function addBelow(text, anchor, lines, file) {
  const all = text.split("\n");
  const index = all.findIndex((line) => line.includes(anchor));
  if (index === -1)
    throw new Problem(`${file} has no line with ${anchor}: change scripts/new-feature.mjs.`);
  return all.toSpliced(index + 1, 0, lines).join("\n");
}

function readArguments() {
  const [plural, ...rest] = process.argv.slice(2);
  const options = Object.fromEntries(rest.map((one) => one.replace(/^--/, "").split("=")));
  const singular = options.one ?? plural?.replace(/s$/, "");
  const isName = /^[a-z]+(-[a-z]+)*$/;
  if (!isName.test(plural ?? "") || !isName.test(singular) || plural === singular) {
    throw new Problem(
      "npm run new:feature -- suppliers [--one=supplier] --pt=Fornecedores --en=Suppliers --es=Proveedores",
    );
  }
  const title = capital(plural.replaceAll("-", " "));
  return { title, ...options, plural, singular, into: options.into ?? root };
}

/** Writes the table's migration, with its wall between companies. */
async function addMigration(into, table) {
  const folder = join(into, "packages/server");
  const code = await run("drizzle-kit", ["generate", "--name", table], { cwd: folder });
  const made = readdirSync(join(folder, "migrations")).find((file) =>
    file.endsWith(`_${table}.sql`),
  );
  if (code !== 0 || made === undefined) throw new Problem("The migration could not be written.");
  const wall = `\n--> statement-breakpoint\nSELECT isolate_tenants('${table}');\n`;
  appendFileSync(join(folder, "migrations", made), wall);
  return `packages/server/migrations/${made}`;
}

await runScript(async () => {
  const { plural, singular, into, title, ...titles } = readArguments();
  const named = namer(plural, singular);
  const changed = new Set();
  const read = (file) => readFileSync(join(into, file), "utf8");
  function write(file, text) {
    mkdirSync(dirname(join(into, file)), { recursive: true });
    writeFileSync(join(into, file), text);
    changed.add(file);
  }

  for (const file of Object.values(newFiles).map(named)) {
    if (existsSync(join(into, file))) throw new Problem(`${file} is already there.`);
  }
  for (const [template, file] of Object.entries(newFiles)) {
    write(
      named(file),
      named(readFileSync(join(root, "scripts/feature", `${template}.txt`), "utf8")),
    );
  }
  const inTexts = Object.keys(texts).flatMap((one) => textAdditions(one, titles[one] ?? title));
  for (const [file, anchor, lines] of [...additions, ...inTexts]) {
    write(file, addBelow(read(file), anchor, named(lines), file));
  }
  const pages = `${web}/app/pages.ts`;
  if (!read(pages).includes("  IconListDetails,")) {
    write(pages, addBelow(read(pages), "  IconDeviceMobileMessage,", "  IconListDetails,", pages));
  }
  changed.add(await addMigration(into, named("sample_records")));

  const formatted = [...changed].filter((file) => !file.endsWith(".sql"));
  const code = await run("oxfmt", formatted, { cwd: into });
  say([...changed].join("\n"));
  say(
    `\nNow: npm run types, npm run check -- ${plural}, and change what is yours (docs/how-to-add-a-feature.md).`,
  );
  return code;
});
