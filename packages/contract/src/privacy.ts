import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, contactId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { isoDate, messageReply, text } from "./primitives.ts";

/**
 * The kinds of data that are held of a person. `people` are the entries of lists and spreadsheets, `channel` the rows of the connections'
 * own stores.
 */
export const heldKinds = [
  "tickets",
  "messages",
  "files",
  "notes",
  "drafts",
  "schedules",
  "campaigns",
  "lists",
  "imports",
  "phoneBook",
  "helpers",
  "deliveries",
  "ratings",
  "history",
  "contact",
  "audit",
  "channel",
] as const;
export type HeldKind = (typeof heldKinds)[number];

const counts = z.partialRecord(z.enum(heldKinds), z.number());
export type HeldCounts = z.output<typeof counts>;

/** Kinds of data that an erasure leaves; a certificate says why. */
export const remainingKinds = ["attendances", "mentions", "sharedFiles", "backups"] as const;
export type RemainingKind = (typeof remainingKinds)[number];

/** How a consent was given or withdrawn. */
export const consentWays = ["conversation", "form", "campaign", "phone", "paper", "word"] as const;
export type ConsentWay = (typeof consentWays)[number];

const consent = z.object({
  at: isoDate,
  kind: z.enum(["given", "withdrawn"]),
  /** `import` and `person` are opt-outs of a spreadsheet and by hand. */
  way: z.enum([...consentWays, "import", "person"]),
  note: z.string(),
  /** Null: the product. A former user has the name "". */
  user: z.object({ id: userId, name: z.string() }).nullable(),
});
export type Consent = z.output<typeof consent>;

const jobStates = ["waiting", "running", "done", "failed", "expired"] as const;

const personExport = z.object({
  id: z.guid(),
  state: z.enum(jobStates),
  bytes: z.number(),
  /** "" once the contact is gone. */
  contactName: z.string(),
  requesterName: z.string(),
  isMine: z.boolean(),
  createdAt: isoDate,
  /** Null while there is no file. */
  expiresAt: isoDate.nullable(),
});
export type PersonExport = z.output<typeof personExport>;

const erasure = z.object({
  id: z.guid(),
  state: z.enum(jobStates),
  requesterName: z.string(),
  createdAt: isoDate,
  endedAt: isoDate.nullable(),
  counts,
});
export type Erasure = z.output<typeof erasure>;

const foundPerson = z.object({
  id: contactId,
  name: z.string(),
  /** "" while only a private address is known. */
  number: z.string(),
  email: z.string(),
});

const holding = z.object({
  counts,
  /** The size of the files in messages. */
  bytes: z.number(),
});

const heldPerson = holding.extend({
  person: foundPerson,
  identities: z.array(z.object({ kind: z.string(), value: z.string() })),
  openTickets: z.number(),
  hold: z.object({ reason: z.string(), at: isoDate, userName: z.string() }).nullable(),
  exports: z.array(personExport),
});
export type HeldPerson = z.output<typeof heldPerson>;

const days = z.number().int().min(limits.retentionDaysMin).max(limits.retentionDaysMax).nullable();
const retention = { mediaDays: days, messageDays: days };
const privacyText = text(limits.privacyTextMax).trim();

export const privacySettings = z.object({
  ...retention,
  textPt: privacyText,
  textEn: privacyText,
  textEs: privacyText,
  isTextSent: z.boolean(),
  officerName: text(limits.nameMax).trim(),
  officerEmail: z.union([z.literal(""), z.email().max(limits.emailMax)]),
  officerPhone: text(limits.numberMax).trim(),
});
export type PrivacySettings = z.output<typeof privacySettings>;

const common = { auth: "bearer", permission: "privacy:manage" } as const;
const work = { auth: "bearer", permission: "contacts:work" } as const;
const params = z.object({ contactId });
const noContact = ["ERR_NO_CONTACT_FOUND"] as const;
const language = z.enum(["pt", "en", "es"]);

export const privacyEndpoints = defineEndpoints({
  "POST /privacy/find": {
    ...common,
    summary:
      "People by a number in any writing, a private address, an e-mail address, a name, a value of their additional fields, or what a merged contact had. In the body, so that no log has it",
    body: z.object({ term: text(200).trim().min(3) }),
    reply: z.object({
      people: z.array(foundPerson),
      /** A number that stands on lists or in spreadsheets and belongs to no contact. */
      stray: holding.extend({ number: z.string() }).nullable(),
      /** Certificates of erasures of this number or address. */
      erased: z.array(erasure),
    }),
    errors: [],
  },
  "GET /privacy/contacts/:contactId": {
    ...common,
    summary: "What is held of a person, with the exports of the last days",
    params,
    reply: heldPerson,
    errors: noContact,
  },
  "PUT /privacy/contacts/:contactId/hold": {
    ...common,
    summary: "Keeps a person's data: neither retention nor an erasure touches them",
    params,
    body: z.object({ reason: text(limits.nameMax).trim().min(3) }),
    reply: messageReply,
    errors: noContact,
  },
  "DELETE /privacy/contacts/:contactId/hold": {
    ...common,
    summary: "Lets retention and erasures touch a person's data again",
    params,
    reply: messageReply,
    errors: noContact,
  },
  "GET /privacy/contacts/:contactId/consents": {
    ...work,
    summary: "When and how a contact gave and withdrew consent, opt-outs included; newest first",
    params,
    reply: z.object({ consents: z.array(consent) }),
    errors: noContact,
  },
  "POST /privacy/contacts/:contactId/consents": {
    ...work,
    summary: "Records that a contact has given or withdrawn consent",
    params,
    body: z.object({
      kind: z.enum(["given", "withdrawn"]),
      way: z.enum(consentWays),
      note: text(limits.consentNoteMax).trim().default(""),
    }),
    reply: z.object({ consents: z.array(consent) }),
    errors: noContact,
  },
  "POST /privacy/contacts/:contactId/exports": {
    ...common,
    summary:
      "Has everything that is held of a person written to one file; one that is still written is returned",
    params,
    body: z.object({ language }),
    reply: personExport,
    errors: noContact,
  },
  "GET /privacy/exports/:personExportId/file": {
    ...common,
    summary: "The file of an export, for the user who asked for it, for one day",
    params: z.object({ personExportId: z.guid() }),
    sendsFile: true,
    reply: z.undefined(),
    errors: ["ERR_NO_FILE_FOUND"],
  },
  "GET /privacy/erasures": {
    ...common,
    summary: "The last erasures, newest first",
    reply: z.object({ erasures: z.array(erasure) }),
    errors: [],
  },
  "POST /privacy/erasures": {
    ...common,
    summary:
      "Erases a person. `confirmation` repeats the contact's name, or its number without a name; `number` is for one that belongs to no contact",
    body: z.object({
      contactId: contactId.nullable(),
      number: text(limits.numberMax).trim().default(""),
      confirmation: text(limits.privacyTextMax).trim(),
    }),
    reply: erasure,
    errors: [
      ...noContact,
      ...(["ERR_NUMBER_FORMAT", "ERR_PRIVACY_CONFIRMATION", "ERR_PRIVACY_HOLD"] as const),
    ],
  },
  "GET /privacy/erasures/:erasureId/certificate": {
    ...common,
    summary: "The certificate of an erasure as a page that prints well",
    params: z.object({ erasureId: z.guid() }),
    query: z.object({ language: language.default("pt") }),
    sendsFile: true,
    reply: z.undefined(),
    errors: ["ERR_NO_FILE_FOUND"],
  },
  "GET /privacy/settings": {
    ...common,
    summary: "How long data are kept, the privacy text, and who answers for it",
    reply: privacySettings,
    errors: [],
  },
  "PUT /privacy/settings": {
    ...common,
    summary: "Changes how long data are kept, the privacy text, and who answers for it",
    body: privacySettings,
    reply: privacySettings,
    errors: [],
  },
  "POST /privacy/retention": {
    ...common,
    summary: "What a retention would remove in the next night; removes nothing",
    body: z.object(retention),
    reply: z.object({ files: z.number(), bytes: z.number(), messages: z.number() }),
    errors: [],
  },
});

/** The file `pessoa.json` of an export (docs/privacy.md). */
export const personFile = z.object({
  format: z.literal("balcao-person"),
  version: z.literal(1),
  createdAt: isoDate,
  company: z.object({ id: companyId, name: z.string() }),
  officer: z.object({ name: z.string(), email: z.string(), phone: z.string() }),
  /** The rows of each table with their columns, the oldest first. */
  tables: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
  /** The files of the archive by their key in the tables. */
  files: z.record(z.string(), z.string()),
});
export type PersonFile = z.output<typeof personFile>;
