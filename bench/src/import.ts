import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { ContactImport, EndpointName, ReplyOf } from "@balcao/contract";
import { endpoints, limits } from "@balcao/contract";
import { writeSheet } from "@balcao/server/src/platform/spreadsheets/write.ts";
import type { BuiltProduct } from "./built-product.ts";
import { startBuilt } from "./built-product.ts";
import type { DemoDesk } from "./demo-desk.ts";
import { openDemoDesk } from "./demo-desk.ts";
import { descendantsOf, forgetPeak, peakMbOf, rssMbOf } from "./memory.ts";
import type { BenchPostgres } from "./postgres.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";

const MEGABYTE = 1024 * 1024;
const ROWS = limits.sheetRowsMax;
const PAGE = 1_000;
/** As after its start. */
const IDLE_MS = 20_000;
const POLL_MS = 200;
const PATIENCE_MS = 180_000;

/** The steps of one import: from the upload's first byte until the file is read, until it is tried, until it is done. */
type Measured = {
  idleMb: number;
  highestMb: number;
  /** The highest until the file was read, and until it was tried. */
  readingMb: number;
  trialMb: number;
  /** Of the process that reads the file. */
  readerMb: number;
  seconds: { upload: number; reading: number; trial: number; running: number };
  longestHoldMs: number;
  bytes: number;
};

/** A spreadsheet with as many people as one may have is imported into the address book of the built product. */
export async function measureImport(postgres: BenchPostgres): Promise<PartReport> {
  const product = await startBuilt(postgres.folder("import"));
  try {
    const desk = await openDemoDesk(product);
    const sheet = await createSheet();
    await delay(IDLE_MS);
    return describe(await measureOne(product, desk, sheet));
  } finally {
    await product.stop();
  }
}

/** Names, numbers, e-mail addresses, tags and two columns of other information. */
async function createSheet(): Promise<Blob> {
  const titles = ["Nome", "Celular", "E-mail", "Etiqueta", "Cidade", "Observação"];
  async function* pages(): AsyncGenerator<string[][]> {
    yield [titles];
    for (let from = 0; from < ROWS; from += PAGE) {
      yield Array.from({ length: PAGE }, (_, place) => {
        const number = from + place;
        const phone = `(11) 9${String(10_000_000 + number).replace(/(....)$/, "-$1")}`;
        const note = `Comprou ${number % 97} vezes na loja ${number % 13}`;
        const tag = `Grupo ${number % 20}`;
        return [`Pessoa ${number}`, phone, `p${number}@loja.example`, tag, "Santos", note];
      });
    }
  }
  const parts: (string | Uint8Array<ArrayBuffer>)[] = [];
  for await (const part of writeSheet("clientes", "xlsx", pages()).content) {
    parts.push(typeof part === "string" ? part : new Uint8Array(part));
  }
  return new Blob(parts);
}

async function measureOne(product: BuiltProduct, desk: DemoDesk, sheet: Blob): Promise<Measured> {
  const { pid } = product;
  const idleMb = await rssMbOf(pid);
  await forgetPeak(pid);
  let [longestHoldMs, readerMb] = [0, 0];
  await holdMsOf(product); // the measure begins anew with each reading
  const watch = async (): Promise<void> => {
    longestHoldMs = Math.max(longestHoldMs, await holdMsOf(product));
    for (const child of await descendantsOf(pid)) {
      if (await isReader(child)) readerMb = Math.max(readerMb, await peakMbOf(child));
    }
  };
  const until = async (isThere: () => Promise<boolean>): Promise<number> => {
    const beginMs = performance.now();
    while (!(await isThere())) {
      await watch();
      if (performance.now() - beginMs > PATIENCE_MS) throw new Error("the import does not end");
      await delay(POLL_MS);
    }
    return (performance.now() - beginMs) / 1_000;
  };
  const beginMs = performance.now();
  const { id } = await upload(product, desk, sheet);
  const uploaded = (performance.now() - beginMs) / 1_000;
  const shown = () => desk.get("GET /contact-imports/:contactImportId", `/contact-imports/${id}`);
  const reading = await until(async () => (await shown()).state === "draft");
  const readingMb = await peakMbOf(pid);
  const trial = await until(async () => (await shown()).trial !== null);
  const trialMb = await peakMbOf(pid);
  await call(product, desk, "POST /contact-imports/:contactImportId/start", id);
  const running = await until(async () => (await shown()).state === "done");
  await watch();
  const { added, refused } = await shown();
  if (added !== ROWS) throw new Error(`${added} of ${ROWS} were added, ${refused} refused`);
  const seconds = { upload: uploaded, reading, trial, running };
  const highestMb = await peakMbOf(pid);
  return {
    idleMb,
    readingMb,
    trialMb,
    highestMb,
    readerMb,
    seconds,
    longestHoldMs,
    bytes: sheet.size,
  };
}

async function isReader(pid: number): Promise<boolean> {
  const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return line.includes("spreadsheets/reading");
}

async function upload(
  { url }: BuiltProduct,
  { token }: DemoDesk,
  sheet: Blob,
): Promise<ContactImport> {
  const body = new FormData();
  body.append("file", sheet, "clientes.xlsx");
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(`${url}/api/contact-imports`, { method: "POST", headers, body });
  if (!reply.ok) throw new Error(`the upload was answered with ${reply.status}`);
  return endpoints["POST /contact-imports"].reply.parse(await reply.json());
}

async function call<K extends EndpointName>(
  { url }: BuiltProduct,
  { token }: DemoDesk,
  name: K,
  id: number,
): Promise<ReplyOf<K>> {
  const path = name.replace("POST ", "").replace(":contactImportId", String(id));
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(`${url}/api${path}`, { method: "POST", headers });
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}`);
  // The schema that parses is the one of this name, which the compiler cannot follow.
  return endpoints[name].reply.parse(await reply.json()) as ReplyOf<K>;
}

/** The longest time since the last reading in which the product's event loop did nothing else. */
async function holdMsOf({ url }: BuiltProduct): Promise<number> {
  const reply = await fetch(`${url}/metrics`);
  if (!reply.ok) throw new Error(`/metrics answered ${reply.status}`);
  const text = await reply.text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]) * 1_000;
}

function describe(measured: Measured): PartReport {
  const { idleMb, readingMb, trialMb, highestMb, readerMb, seconds, longestHoldMs, bytes } =
    measured;
  const total = Object.values(seconds).reduce((sum, one) => sum + one, 0);
  const row = (name: string, value: number, unit: string): string[] => [
    ...[name, `${figure(value)} ${unit}`],
  ];
  return {
    name: "import",
    title: `a spreadsheet of ${ROWS} people, ${figure(bytes / MEGABYTE)} MB, imported into the address book`,
    tables: [
      {
        headings: ["step", "found"],
        rows: [
          row("upload", seconds.upload, "s"),
          row("reading", seconds.reading, "s"),
          row("trial", seconds.trial, "s"),
          row("import", seconds.running, "s"),
          row("memory of the product, idle", idleMb, "MB"),
          row("highest until the file is read", readingMb, "MB"),
          row("highest until it is tried", trialMb, "MB"),
          row("highest until all are imported", highestMb, "MB"),
          row("memory of the process that reads, highest", readerMb, "MB"),
        ],
      },
    ],
    goals: [
      {
        figure: "from the first byte to the last contact",
        value: total,
        unit: "s",
        limit: 60,
        want: "≤",
      },
      {
        figure: "memory of the product, highest above idle",
        value: highestMb - idleMb,
        unit: "MB",
        limit: 60,
        want: "≤",
      },
      {
        figure: "longest hold of the event loop",
        value: longestHoldMs,
        unit: "ms",
        limit: 100,
        want: "≤",
      },
    ],
    notes: [
      "Everybody has a new contact with e-mail address, a tag and no additional information.",
      "The file is read by a process of its own, whose memory is returned when the file is read.",
      "The hold is the maximum of the product's own measure (monitorEventLoopDelay), read five times a second.",
    ],
  };
}
