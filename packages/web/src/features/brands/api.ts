import type { Brand, RequestOf } from "@balcao/contract";
import type { BrandImageKind } from "@balcao/contract/brand-choices";
import { PRODUCT_NAME } from "@balcao/contract/brand-choices";
import { call } from "../../api/client.ts";
import { upload } from "../../api/upload.ts";
import { livePages } from "../../realtime/live-list.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";

/** A brand of the table. The default one is there before it was ever changed, with `UNMADE` as its id. */
export type BrandRow = Omit<Brand, "id" | "createdAt" | "updatedAt"> & { id: number };

export const UNMADE = -1;

const productBrand: BrandRow = {
  ...{ id: UNMADE, host: "", name: PRODUCT_NAME, owner: "", color: null },
  images: { logo: null, logoDark: null, picture: null, favicon: null },
};

/** All brands, the default one first. No event tells of them. */
export const brandPages = livePages<BrandRow>({
  key: ["brands", "page"],
  identify: ({ id }) => id,
  async read(_words, _pageNumber, signal) {
    const { brands } = await call("GET /brands", {}, { signal });
    const isChanged = brands.some(({ host }) => host === "");
    const rows: BrandRow[] = isChanged ? brands : [productBrand, ...brands];
    return { rows, count: rows.length, hasMore: false };
  },
});

export type BrandBody = RequestOf<"POST /brands">["body"];

/** Saves a new brand (`id` null) or a known one. */
export async function saveBrand(id: number | null, body: BrandBody): Promise<Brand> {
  const saved =
    id === null
      ? await call("POST /brands", { body })
      : await call("PUT /brands/:brandId", { params: { brandId: id }, body });
  brandPages.readAgain();
  return saved;
}

export type ImageChanges = Readonly<Record<BrandImageKind, AttachmentChange>>;

export async function saveImages(brandId: number, changes: ImageChanges): Promise<void> {
  // In their order, so that the first refusal ends it.
  for (const [kind, change] of Object.entries(changes) as [BrandImageKind, AttachmentChange][]) {
    const params = { brandId, kind };
    if (change.kind === "attach") {
      await upload("POST /brands/:brandId/images/:kind", {
        params,
        files: { file: [change.file] },
      });
    }
    if (change.kind === "remove") await call("DELETE /brands/:brandId/images/:kind", { params });
  }
  brandPages.readAgain();
}

export async function deleteBrand(brandId: number): Promise<void> {
  await call("DELETE /brands/:brandId", { params: { brandId } });
  brandPages.readAgain();
}
