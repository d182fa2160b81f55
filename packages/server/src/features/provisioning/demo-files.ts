import type { CompanyId, MediaKind, MessageId } from "@balcao/contract";
import { and, eq } from "drizzle-orm";
import sharp from "sharp";
import type { Database } from "../../platform/db/database.ts";
import { messageMedia } from "../../platform/db/schema/index.ts";
import type { MediaFiles } from "../media/index.ts";

export type DemoFileName = "dress" | "label" | "invoice";

type DemoFile = {
  kind: MediaKind;
  name: string;
  mime: string;
  content(): Promise<Uint8Array>;
};

/** A message whose file is still to be stored. */
export type WantedFile = { messageId: MessageId; file: DemoFileName };

/** A page of text as PDF. */
async function invoice(): Promise<Uint8Array> {
  const lines = [
    "Boutique Aurora",
    "Nota fiscal 004.512",
    "1 x Camisa de linho",
    "Total: R$ 289,90",
  ];
  const text = lines.map((line) => `(${line}) Tj 0 -26 Td`).join(" ");
  const page = `BT /F1 16 Tf 72 760 Td ${text} ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${page.length} >>\nstream\n${page}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let file = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, "latin1");
}

/** The files of the demo's conversations. The pictures are generated. */
export const demoFiles: Readonly<Record<DemoFileName, DemoFile>> = {
  dress: {
    kind: "image",
    name: "vestido-aurora.jpg",
    mime: "image/jpeg",
    content: () => paint(DRESS, dress),
  },
  label: {
    kind: "image",
    name: "etiqueta.jpg",
    mime: "image/jpeg",
    content: () => paint(LABEL, label),
  },
  invoice: {
    kind: "document",
    name: "nota-fiscal-004512.pdf",
    mime: "application/pdf",
    content: invoice,
  },
};

type Colour = readonly [red: number, green: number, blue: number];
/** The colour at a point; both coordinates from 0 to 1. */
type Painting = (x: number, y: number) => Colour;

const DRESS = { width: 900, height: 1200 };
const LABEL = { width: 1000, height: 750 };

async function paint(
  { width, height }: { width: number; height: number },
  colourOf: Painting,
): Promise<Uint8Array> {
  const pixels = Buffer.alloc(width * height * 3);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const colour = colourOf(column / width, row / height);
      pixels.set(colour, (row * width + column) * 3);
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .blur(1.2)
    .jpeg({ quality: 84 })
    .toBuffer();
}

const shade = ([red, green, blue]: Colour, light: number): Colour => [
  Math.min(255, red * light),
  Math.min(255, green * light),
  Math.min(255, blue * light),
];

const wall: Colour = [232, 221, 208];
const floor: Colour = [183, 156, 132];
const wood: Colour = [122, 92, 68];
const cloth: Colour = [47, 143, 107];

/** A long dress on a hanger, in front of a wall. */
function dress(x: number, y: number): Colour {
  const aside = Math.abs(x - 0.5);
  if (Math.abs(y - 0.11) < 0.006 && aside < 0.38) return wood;
  if (aside < 0.006 && y > 0.11 && y < 0.17) return wood;
  if (aside < widthOfDress(y)) {
    const folds = 0.12 * Math.sin((x - 0.5) * (60 - 30 * y));
    const roundness = 1.12 - 0.5 * (aside / widthOfDress(y)) ** 2;
    const belt = Math.abs(y - 0.36) < 0.014 ? 0.72 : 1;
    return shade(cloth, (roundness + (y > 0.38 ? folds : 0)) * belt);
  }
  if (y > 0.92) return shade(floor, 1.05 - 0.2 * aside);
  return shade(wall, 1.06 - 0.16 * y - 0.1 * aside);
}

/** Half the dress's width at this height: shoulders, waist, a widening skirt. */
function widthOfDress(y: number): number {
  if (y < 0.17 || y > 0.88) return 0;
  if (y < 0.36) return 0.13 - 0.16 * (y - 0.17);
  return 0.1 + 0.3 * (y - 0.36) ** 0.85;
}

const table: Colour = [96, 122, 146];
const paper: Colour = [250, 246, 238];
const ink: Colour = [38, 34, 30];

/** The label of a blouse, with a bar code. */
function label(x: number, y: number): Colour {
  // The label is slightly rotated.
  const [u, v] = [x + 0.12 * (y - 0.5), y - 0.12 * (x - 0.5)];
  const isPaper = u > 0.22 && u < 0.78 && v > 0.2 && v < 0.8;
  if (!isPaper) return shade(table, 1.08 - 0.25 * y + 0.03 * Math.sin(90 * x + 40 * y));
  if ((u - 0.5) ** 2 + (0.75 * (v - 0.27)) ** 2 < 0.0004) return table;
  if (v > 0.35 && v < 0.4 && u > 0.28 && u < 0.58) return cloth;
  if ((Math.abs(v - 0.45) < 0.012 || Math.abs(v - 0.5) < 0.012) && u > 0.28 && u < 0.52) {
    return shade(paper, 0.7);
  }
  if (v > 0.57 && v < 0.73 && u > 0.28 && u < 0.72) return isBar(u) ? ink : paper;
  return shade(paper, 1.02 - 0.08 * v);
}

const bars = "1011001110100010111001011010011100101110010110";

function isBar(u: number): boolean {
  return bars[Math.floor(((u - 0.28) / 0.44) * bars.length)] === "1";
}

type DemoMediaDeps = { db: Database; files: Pick<MediaFiles, "storeCustomerFile"> };

/** Stores the demo's files and attaches them to their stored messages. */
export async function storeDemoFiles(
  { db, files }: DemoMediaDeps,
  companyId: CompanyId,
  wanted: readonly WantedFile[],
): Promise<void> {
  for (const { messageId, file } of wanted) {
    const { kind, name, mime, content } = demoFiles[file];
    const { key, ...facts } = await files.storeCustomerFile(companyId, {
      name,
      claimedMime: mime,
      claimedKind: kind,
      content: onePiece(await content()),
    });
    await db.acrossCompanies((tx) =>
      tx.orm
        .update(messageMedia)
        .set({ ...facts, fileKey: key, state: "ready" })
        .where(and(eq(messageMedia.companyId, companyId), eq(messageMedia.messageId, messageId))),
    );
  }
}

async function* onePiece(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
