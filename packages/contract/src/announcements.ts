import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { defineAddressedEvent } from "./event-names.ts";
import { announcementId, companyId } from "./ids.ts";
import { limits } from "./limits.ts";
import { fileErrors } from "./media.ts";
import {
  isoDate,
  messageReply,
  pageNumber,
  queryBoolean,
  repeatable,
  searchParam,
  text,
} from "./primitives.ts";

/** 1 urgent, 2 attention, 3 information (spec 3). */
export const announcementPriorities = [1, 2, 3] as const;
export type AnnouncementPriority = (typeof announcementPriorities)[number];

/** A message of the provider to every company (wire-contract 2.9). */
export const announcement = z.object({
  id: announcementId,
  title: z.string(),
  /** Plain text: clients show line breaks and links, nothing else. */
  text: z.string(),
  priority: z.literal(announcementPriorities),
  /** Inactive ones are shown to super users only. */
  status: z.boolean(),
  /** Signed address of the image, renewed by every read. */
  mediaPath: z.string().nullable(),
  mediaName: z.string().nullable(),
  /** The author's company. */
  companyId,
  /** When it became active last; the creation if it never was. */
  publishedAt: isoDate,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Announcement = z.output<typeof announcement>;

/** Clients send the whole record back; what only an upload sets is dropped here. */
const body = z.object({
  /** Neither may be blank, else ERR_ANNOUNCEMENT_REQUIRED. */
  title: text(limits.announcementTitleMax).trim().default(""),
  text: text(limits.announcementTextMax).trim().default(""),
  /** Some clients send the value of a select as text. */
  priority: z.preprocess(
    (value) => (typeof value === "string" && /^[123]$/.test(value) ? Number(value) : value),
    z.literal(announcementPriorities).default(3),
  ),
  status: z.boolean().default(true),
});
export type AnnouncementBody = z.output<typeof body>;

/** To everybody; `delete` also tells all but super users of an announcement that is no longer active. */
export const announcementEvent = defineAddressedEvent({
  subject: "announcement",
  to: "installation",
  payload: z.discriminatedUnion("action", [
    z.object({ action: z.enum(["create", "update"]), record: announcement }),
    z.object({ action: z.literal("delete"), id: announcementId }),
  ]),
});
export type AnnouncementEvent = z.output<typeof announcementEvent.payload>;

/** Up to where an account has seen the announcements; null: it has seen none. */
const seen = z.object({ seenUntil: isoDate.nullable() });

/** The active announcements that an account has not seen, newest first, at most `limits.unseenAnnouncementsMax`. */
export const unseenAnnouncements = seen.extend({
  unseen: z.array(announcement.pick({ id: true, publishedAt: true })),
});
export type UnseenAnnouncements = z.output<typeof unseenAnnouncements>;

const read = { auth: "bearer", permission: "announcements:read" } as const;
const manage = { auth: "bearer", permission: "announcements:manage" } as const;
const params = z.object({ announcementId });
const attached = z.object({ mensagem: z.string() });

export const announcementsEndpoints = defineEndpoints({
  "GET /announcements": {
    ...read,
    summary:
      "One page of announcements, newest first, or by `order=priority`; all for super users unless `active=true`, active ones for others",
    query: z.object({
      searchParam,
      pageNumber,
      order: z.enum(["newest", "priority"]).default("newest"),
      active: queryBoolean,
    }),
    reply: z.object({ records: z.array(announcement), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "GET /announcements/unseen": {
    ...read,
    summary: "The active announcements that the caller has not seen",
    reply: unseenAnnouncements,
    errors: [],
  },
  "PUT /announcements/seen": {
    ...read,
    summary: "The caller has seen all announcements that are active now",
    reply: seen,
    errors: [],
  },
  "GET /announcements/:announcementId": {
    ...read,
    summary: "One announcement",
    params,
    reply: announcement,
    errors: ["ERR_NO_ANNOUNCEMENT_FOUND"],
  },
  "POST /announcements": {
    ...manage,
    summary: "A new announcement to every company; super users only",
    body,
    reply: announcement,
    errors: ["ERR_ANNOUNCEMENT_REQUIRED"],
  },
  "PUT /announcements/:announcementId": {
    ...manage,
    summary: "Changes an announcement; its image stays",
    params,
    body,
    reply: announcement,
    errors: ["ERR_NO_ANNOUNCEMENT_FOUND", "ERR_ANNOUNCEMENT_REQUIRED"],
  },
  "POST /announcements/:announcementId/media-upload": {
    ...manage,
    summary: "Attaches an image (PNG or JPEG), in place of an earlier one",
    params,
    upload: {
      field: "file",
      maxFiles: 1,
      fields: z.object({ typeArch: repeatable(z.literal("announcements")).optional() }),
    },
    reply: attached,
    errors: ["ERR_NO_ANNOUNCEMENT_FOUND", ...fileErrors],
  },
  "DELETE /announcements/:announcementId/media-upload": {
    ...manage,
    summary: "Removes the image",
    params,
    reply: attached,
    errors: ["ERR_NO_ANNOUNCEMENT_FOUND"],
  },
  "DELETE /announcements/:announcementId": {
    ...manage,
    summary: "Removes an announcement and its image",
    params,
    reply: messageReply,
    errors: ["ERR_NO_ANNOUNCEMENT_FOUND"],
  },
});
