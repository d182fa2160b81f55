import { createHash } from "node:crypto";
import { domainToASCII } from "node:url";
import type { Brand, BrandBody, BrandId, BrandImageKind } from "@balcao/contract";
import { brandImageBytes, brandImageTypes, limits } from "@balcao/contract";
import { and, count, eq } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { doneBy } from "../../platform/db/database.ts";
import { refuseDuplicates, requireRow, wireDates } from "../../platform/db/records.ts";
import { brandImages, brands } from "../../platform/db/schema/index.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { UploadedFile } from "../../platform/http/upload.ts";
import { sniff } from "../../platform/media/media-store.ts";
import { readPicture, UnreadablePicture } from "../../platform/media/pictures.ts";
import type { Clock } from "../../platform/sources.ts";
import type { BrandRow, KnownBrand } from "./looks.ts";
import { BRANDS_TOPIC, readBrands } from "./looks.ts";

export { createLooks, IMAGES_PATH } from "./looks.ts";
export type { MailBrand } from "./looks.ts";

export type BrandsDeps = { db: Database; clock: Clock; wake: Pick<Wake, "notify"> };

/** The brands of the installation, which super users keep (docs/brand.md). Pages show them by `createLooks`. */
export function createBrandsFeature(deps: BrandsDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /brands", async () => ({
        brands: (await deps.db.acrossCompanies((tx) => readBrands(tx))).map(toBrand),
      }));
      routes.handle("POST /brands", ({ ctx, body }) => createBrand(doneBy(deps, ctx), body));
      routes.handle("PUT /brands/:brandId", ({ ctx, params, body }) =>
        updateBrand(doneBy(deps, ctx), params.brandId, body),
      );
      routes.handle("DELETE /brands/:brandId", ({ ctx, params }) =>
        removeBrand(doneBy(deps, ctx), params.brandId),
      );
      routes.handle("POST /brands/:brandId/images/:kind", ({ ctx, params, upload }) =>
        setImage(doneBy(deps, ctx), params, upload.files()),
      );
      routes.handle("DELETE /brands/:brandId/images/:kind", ({ ctx, params }) =>
        removeImage(doneBy(deps, ctx), params),
      );
    },
  };
}

const taken = refuseDuplicates({ brands_host_unique: "ERR_BRAND_HOST_TAKEN" });

async function createBrand({ db, clock, wake }: BrandsDeps, body: BrandBody): Promise<Brand> {
  const now = clock.now();
  const values = { ...body, host: hostOf(body.host), createdAt: now, updatedAt: now };
  const work = db.acrossCompanies(async (tx) => {
    const [all] = await tx.orm.select({ count: count() }).from(brands);
    if ((all?.count ?? 0) >= limits.brandsMax) throw new DomainError("ERR_BRAND_LIMIT");
    const { id } = requireRow(await tx.orm.insert(brands).values(values).returning());
    return changed(wake, tx, id);
  });
  return work.catch(taken);
}

/** The default brand keeps its host "", and no other one gets it. */
async function updateBrand(
  { db, clock, wake }: BrandsDeps,
  id: BrandId,
  body: BrandBody,
): Promise<Brand> {
  const work = db.acrossCompanies(async (tx) => {
    const before = await lockBrand(tx, id);
    const host = hostOf(body.host);
    if ((host === "") !== (before.host === "")) throw new DomainError("ERR_BRAND_HOST_INVALID");
    await tx.orm
      .update(brands)
      .set({ ...body, host, updatedAt: clock.now() })
      .where(eq(brands.id, id));
    return changed(wake, tx, id);
  });
  return work.catch(taken);
}

/** Its images go with it. Without the default brand the product has its own name and look. */
async function removeBrand({ db, wake }: BrandsDeps, id: BrandId): Promise<undefined> {
  await db.acrossCompanies(async (tx) => {
    await lockBrand(tx, id);
    await tx.orm.delete(brands).where(eq(brands.id, id));
    wake.notify(tx, BRANDS_TOPIC);
  });
  return undefined;
}

type ImageOf = { brandId: BrandId; kind: BrandImageKind };

async function setImage(
  { db, clock, wake }: BrandsDeps,
  { brandId, kind }: ImageOf,
  files: AsyncIterable<UploadedFile>,
): Promise<Brand> {
  await db.acrossCompanies((tx) => lockBrand(tx, brandId));
  const image = await readImage(kind, files);
  return db.acrossCompanies(async (tx) => {
    await lockBrand(tx, brandId);
    await tx.orm
      .insert(brandImages)
      .values({ brandId, kind, ...image })
      .onConflictDoUpdate({ target: [brandImages.brandId, brandImages.kind], set: image });
    await tx.orm.update(brands).set({ updatedAt: clock.now() }).where(eq(brands.id, brandId));
    return changed(wake, tx, brandId);
  });
}

async function removeImage(
  { db, clock, wake }: BrandsDeps,
  { brandId, kind }: ImageOf,
): Promise<Brand> {
  return db.acrossCompanies(async (tx) => {
    await lockBrand(tx, brandId);
    await tx.orm
      .delete(brandImages)
      .where(and(eq(brandImages.brandId, brandId), eq(brandImages.kind, kind)));
    await tx.orm.update(brands).set({ updatedAt: clock.now() }).where(eq(brands.id, brandId));
    return changed(wake, tx, brandId);
  });
}

/** The file of an upload: a picture by its content, whatever its name says, which can be decoded. */
async function readImage(kind: BrandImageKind, files: AsyncIterable<UploadedFile>) {
  for await (const { name, content } of files) {
    const maxBytes = brandImageBytes[kind];
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of content) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new DomainError("ERR_FILE_TOO_LARGE", { name, maxBytes });
      chunks.push(chunk);
    }
    const picture = Buffer.concat(chunks);
    const type = await sniff(picture);
    const contentType = brandImageTypes.find((one) => one === type?.mime);
    if (contentType === undefined) throw new DomainError("ERR_FILE_TYPE_FORBIDDEN", { name });
    try {
      await readPicture(picture, limits.imageMaxPixels);
    } catch (error) {
      if (error instanceof UnreadablePicture) throw new DomainError("ERR_FILE_DAMAGED", { name });
      throw error;
    }
    const hash = createHash("sha256").update(picture).digest("hex").slice(0, 32);
    return { contentType, hash, content: picture };
  }
  throw new DomainError("ERR_FILE_MISSING");
}

async function lockBrand({ orm }: Tx, id: BrandId): Promise<BrandRow> {
  const rows = await orm.select().from(brands).where(eq(brands.id, id)).for("update");
  return requireRow(rows, "ERR_NO_BRAND_FOUND");
}

/** Tells all processes of a change, and answers the brand after it. */
async function changed(wake: BrandsDeps["wake"], tx: Tx, id: BrandId): Promise<Brand> {
  wake.notify(tx, BRANDS_TOPIC);
  return toBrand(requireRow(await readBrands(tx, id)));
}

const LABEL = "[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?";
const HOST = new RegExp(`^(?:${LABEL}\\.)*${LABEL}$`);

/** A host name as browsers send it: in small letters and ASCII. "" stays; addresses of machines are no names. */
function hostOf(typed: string): string {
  if (typed === "") return "";
  const host = /[\s:/?#@%\\]/.test(typed) ? "" : domainToASCII(typed).replace(/\.$/, "");
  const isName = host.length <= limits.hostMax && HOST.test(host) && !/(^|\.)\d+$/.test(host);
  if (!isName) throw new DomainError("ERR_BRAND_HOST_INVALID");
  return host;
}

function toBrand({ row, images }: KnownBrand): Brand {
  const { id, host, name, owner, color } = row;
  return { id, host, name, owner, color, images, ...wireDates(row) };
}
