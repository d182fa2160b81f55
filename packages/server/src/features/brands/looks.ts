import type { BrandId, BrandImageKind, BrandShades } from "@balcao/contract";
import { brandShades, colorSchemes, PRODUCT_COLOR, productShades } from "@balcao/contract";
import { addMilliseconds } from "date-fns/addMilliseconds";
import { eq, getTableColumns } from "drizzle-orm";
import type { Database, Tx } from "../../platform/db/database.ts";
import { brandImages, brands } from "../../platform/db/schema/index.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { HashedFile } from "../../platform/http/app-files.ts";
import type { PageLook } from "../../platform/http/page.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Clock } from "../../platform/sources.ts";

/** Tells all processes that a brand has changed. */
export const BRANDS_TOPIC = "brands";
/** Where images are served. */
export const IMAGES_PATH = "/public/brand";

const extensions: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
};

export type BrandRow = typeof brands.$inferSelect;
type ImageRow = Omit<typeof brandImages.$inferSelect, "content">;
export type BrandImages = Readonly<Record<BrandImageKind, string | null>>;
export type KnownBrand = { row: BrandRow; images: BrandImages };

const { content: _content, ...imageColumns } = getTableColumns(brandImages);

/** The brands, or the one with this id, with the addresses of their images; the default one first. */
export async function readBrands({ orm }: Tx, id?: BrandId): Promise<KnownBrand[]> {
  const rows = await orm
    .select()
    .from(brands)
    .where(id === undefined ? undefined : eq(brands.id, id))
    .orderBy(brands.host);
  const images = await orm
    .select(imageColumns)
    .from(brandImages)
    .where(id === undefined ? undefined : eq(brandImages.brandId, id));
  return rows.map((row) => ({ row, images: imagesOf(row.id, images) }));
}

function imagesOf(id: BrandId, rows: readonly ImageRow[]): BrandImages {
  const addressOf = (kind: BrandImageKind): string | null => {
    const found = rows.find((one) => one.brandId === id && one.kind === kind);
    if (!found) return null;
    return `${IMAGES_PATH}/${found.hash}.${extensions[found.contentType] ?? "bin"}`;
  };
  return {
    logo: addressOf("logo"),
    logoDark: addressOf("logoDark"),
    picture: addressOf("picture"),
    favicon: addressOf("favicon"),
  };
}

export type LooksDeps = {
  db: Pick<Database, "acrossCompanies">;
  clock: Clock;
  wake: Pick<Wake, "on">;
  log: Logger;
};

/** How e-mails call the installation, and their colour. */
export type MailBrand = { name: string; color: string };

type Known = {
  looks: ReadonlyMap<string, PageLook>;
  images: ReadonlySet<string>;
  mails: MailBrand | null;
  readAt: Date;
};

/** A change is told at once; this is for news that was lost. */
const KNOWN_FOR_MS = 30_000;
/** A page does not wait longer for the database. */
const PATIENCE_MS = 1_000;
const RETRY_MS = 5_000;
/** At most 16 MB. */
const IMAGES_IN_MEMORY = 16;

/** All brands in memory, for each request of a page. Without a database they are those of the last reading. */
export function createLooks({ db, clock, wake, log }: LooksDeps) {
  let known: Known = { looks: new Map(), images: new Set(), mails: null, readAt: clock.now() };
  let changes = 0;
  let seen = -1;
  let reading: Promise<void> | null = null;
  const contents = new Map<string, HashedFile>();
  const stopListening = wake.on(BRANDS_TOPIC, () => {
    changes += 1;
  });

  async function read(): Promise<void> {
    const before = changes;
    try {
      const all = await db.acrossCompanies((tx) => readBrands(tx));
      known = knownOf(all, known, clock.now());
    } catch (error) {
      log.warn({ err: error }, "the brands could not be read");
      known = { ...known, readAt: addMilliseconds(clock.now(), RETRY_MS - KNOWN_FOR_MS) };
    }
    seen = before;
  }

  function isFresh(): boolean {
    const ageMs = clock.now().getTime() - known.readAt.getTime();
    return seen === changes && ageMs >= 0 && ageMs < KNOWN_FOR_MS;
  }

  async function current(): Promise<Known> {
    // Twice: a reading that had begun before a change may be without it.
    for (let tries = 0; tries < 2 && !isFresh(); tries += 1) {
      reading ??= read().finally(() => {
        reading = null;
      });
      if (!(await isInTime(reading))) break;
    }
    return known;
  }

  return {
    async lookOf(host: string): Promise<PageLook | null> {
      const { looks } = await current();
      return looks.get(host.toLowerCase().replace(/\.$/, "")) ?? looks.get("") ?? null;
    },

    /** The name and colour of e-mails, from the default brand; null without one. */
    mailBrand: async (): Promise<MailBrand | null> => (await current()).mails,

    /** An image that a brand has, by the last part of its address. */
    async findImage(name: string): Promise<HashedFile | null> {
      const { images } = await current();
      if (!images.has(name)) return null;
      const inMemory = contents.get(name);
      if (inMemory) return inMemory;
      const [found] = await db.acrossCompanies(({ orm }) =>
        orm
          .select({ mime: brandImages.contentType, content: brandImages.content })
          .from(brandImages)
          .where(eq(brandImages.hash, name.replace(/\..*$/, "")))
          .limit(1),
      );
      if (!found) return null;
      const [oldest] = contents.keys();
      if (contents.size >= IMAGES_IN_MEMORY && oldest !== undefined) contents.delete(oldest);
      contents.set(name, found);
      return found;
    },

    close: stopListening,
  };
}

async function isInTime(work: Promise<void>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), PATIENCE_MS);
  const result = await Promise.race([work.then(() => true), late.promise]);
  clearTimeout(timer);
  return result;
}

function knownOf(all: readonly KnownBrand[], before: Known, readAt: Date): Known {
  const looks = all.map(({ row, images }): [string, PageLook] => {
    const look = toLook(row, images);
    const earlier = before.looks.get(row.host);
    // The page that was made of an equal look is used again.
    return [row.host, JSON.stringify(earlier) === JSON.stringify(look) && earlier ? earlier : look];
  });
  const addresses = all.flatMap(({ images }) => Object.values(images));
  const names = addresses.flatMap((address) => address?.split("/").at(-1) ?? []);
  const standard = all.find(({ row }) => row.host === "");
  return {
    looks: new Map(looks),
    images: new Set(names),
    mails: standard ? { name: standard.row.name, color: shadesOf(standard.row).light.acc } : null,
    readAt,
  };
}

const shadesOf = ({ color }: BrandRow): BrandShades =>
  color === null || color === PRODUCT_COLOR ? productShades : brandShades(color);

/** The page of a host: an image that is missing is the product's own. */
function toLook(row: BrandRow, images: BrandImages): PageLook {
  const { logo, logoDark, picture, favicon } = images;
  const shades = shadesOf(row);
  return {
    name: row.name,
    facts: {
      ...(row.owner === "" ? {} : { owner: row.owner }),
      ...(picture === null ? {} : { picture }),
    },
    style: [
      ...(shades === productShades ? [] : colorRules(shades)),
      ...(logo === null ? [] : logoRules(logo, logoDark ?? logo)),
    ].join(""),
    icon: favicon ?? logo,
    color: shades.light.acc,
  };
}

/** Stronger than the rules of the style sheets, which come later. The library's names are those that its buttons use. */
function colorRules(shades: BrandShades): string[] {
  const rules = colorSchemes.map((scheme) => {
    const roles = Object.entries(shades[scheme]).map(([role, hex]) => `--bc-${role}:${hex}`);
    const { "acc-ink": ink, "acc-soft": soft } = shades[scheme];
    const library = [
      `--mantine-color-accent-light:${soft}`,
      `--mantine-color-accent-light-hover:${soft}`,
      `--mantine-color-accent-light-color:${ink}`,
    ];
    return `html:root[data-mantine-color-scheme=${scheme}]{${[...roles, ...library].join(";")}}`;
  });
  return [`:root{--bc-brand:${shades.light.acc}}`, ...rules];
}

/** In the place of the drawn mark, of the splash too. */
function logoRules(logo: string, logoDark: string): string[] {
  return [
    `svg[data-logo]{background:url(${logo}) 50%/contain no-repeat}`,
    "svg[data-logo]>*{display:none}",
    `[data-mantine-color-scheme=dark] svg[data-logo]{background-image:url(${logoDark})}`,
  ];
}
