import { z } from "zod";
import { brandImageKinds } from "./brand-choices.ts";
import { defineEndpoints } from "./endpoint.ts";
import { brandId } from "./ids.ts";
import { limits } from "./limits.ts";
import { fileErrors } from "./media.ts";
import { emptyReply, isoDate, text } from "./primitives.ts";

/** How the product is called and looks at one host name. */
export const brand = z.object({
  id: brandId,
  /** In small letters, without port; "" for every other host. */
  host: z.string(),
  name: z.string(),
  /** The name of the owner, shown below the sign-in form; "" shows none. */
  owner: z.string(),
  /** `#rrggbb`; null for the product's own. Its shades are derived (`brandShades`). */
  color: z.string().nullable(),
  /** Addresses; null where there is none. */
  images: z.record(z.enum(brandImageKinds), z.string().nullable()),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Brand = z.output<typeof brand>;

/** On one line, without characters that nobody sees. */
const line = (max: number) =>
  text(max).transform((value) => value.replaceAll(/[\s\p{Cc}]+/gu, " ").trim());

const body = z.object({
  /** "" is the default brand, which there is once; what is no host name is ERR_BRAND_HOST_INVALID. */
  host: text(limits.hostMax).trim().default(""),
  name: line(limits.brandNameMax).pipe(z.string().min(1)),
  owner: line(limits.brandOwnerMax).default(""),
  color: z
    .string()
    .regex(/^#[\da-f]{6}$/i)
    .toLowerCase()
    .nullable()
    .default(null),
});
export type BrandBody = z.output<typeof body>;

const manage = { auth: "bearer", permission: "companies:manage-any" } as const;
const params = z.object({ brandId });
const imageParams = z.object({ brandId, kind: z.enum(brandImageKinds) });
const refusals = ["ERR_BRAND_HOST_INVALID", "ERR_BRAND_HOST_TAKEN"] as const;

export const brandsEndpoints = defineEndpoints({
  "GET /brands": {
    ...manage,
    summary:
      "The brands of the installation: the default one, if it was changed, then those of hosts",
    reply: z.object({ brands: z.array(brand) }),
    errors: [],
  },
  "POST /brands": {
    ...manage,
    summary: "A brand for a host, or the default one",
    body,
    reply: brand,
    errors: ["ERR_BRAND_LIMIT", ...refusals],
  },
  "PUT /brands/:brandId": {
    ...manage,
    summary: "Changes a brand; its host too, unless it is the default one",
    params,
    body,
    reply: brand,
    errors: ["ERR_NO_BRAND_FOUND", ...refusals],
  },
  "POST /brands/:brandId/images/:kind": {
    ...manage,
    summary: "Sets an image (PNG, JPEG or WebP), in place of an earlier one",
    params: imageParams,
    upload: { field: "file", maxFiles: 1, fields: z.object({}) },
    reply: brand,
    errors: ["ERR_NO_BRAND_FOUND", ...fileErrors],
  },
  "DELETE /brands/:brandId/images/:kind": {
    ...manage,
    summary: "Removes an image",
    params: imageParams,
    reply: brand,
    errors: ["ERR_NO_BRAND_FOUND"],
  },
  "DELETE /brands/:brandId": {
    ...manage,
    summary: "Removes the brand of a host, or makes the default one the product's own again",
    params,
    reply: emptyReply,
    errors: ["ERR_NO_BRAND_FOUND"],
  },
});
