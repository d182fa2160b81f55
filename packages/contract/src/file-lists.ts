import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, fileListId, fileListOptionId } from "./ids.ts";
import { limits } from "./limits.ts";
import { fileErrors } from "./media.ts";
import { isoDate, messageReply, pageNumber, repeatable, searchParam, text } from "./primitives.ts";

/** A file of a list (wire-contract 2.9). Until its file was uploaded, what says something about the file is null. */
export const fileListOption = z.object({
  id: fileListOptionId,
  /** The caption with which the file is sent; "" for none. */
  name: z.string(),
  /** The stored file's bare name. */
  path: z.string().nullable(),
  /** By the content, not by what was claimed. */
  mediaType: z.string().nullable(),
  /** The list that it belongs to. */
  fileId: fileListId,
  /** The original name. */
  fileName: z.string().nullable(),
  bytes: z.number().nullable(),
  /** Signed address of the file, renewed by every read. */
  url: z.string().nullable(),
});
export type FileListOption = z.output<typeof fileListOption>;

/** Files that campaigns send, in their order (wire-contract 2.9). */
export const fileList = z.object({
  id: fileListId,
  name: z.string(),
  /** What the list is for; it is not sent. */
  message: z.string(),
  companyId,
  options: z.array(fileListOption),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type FileList = z.output<typeof fileList>;

/** Pages have the number of files instead of the files. */
export const listedFileList = fileList.omit({ options: true }).extend({ optionsCount: z.number() });
export type ListedFileList = z.output<typeof listedFileList>;

const head = {
  name: text(limits.nameMax).trim().min(limits.fileListNameMin),
  message: text(limits.messageBodyMax).trim().min(1),
};
/** Clients send `path` and `mediaType` back; only an upload sets them. */
const newOption = z.object({ name: text(limits.fileCaptionMax).trim().default("") });
export type NewFileListOption = z.output<typeof newOption>;
const newFileList = z.object({
  ...head,
  options: z.array(newOption).max(limits.fileListOptionsMax).default([]),
});
export type NewFileList = z.output<typeof newFileList>;

/** An option without an id is new; known ones that are not sent are removed with their files. */
const fileListChange = z.object({
  ...head,
  options: z
    .array(newOption.extend({ id: fileListOptionId.nullish() }))
    .max(limits.fileListOptionsMax),
});
export type FileListChange = z.output<typeof fileListChange>;

const read = { auth: "bearer", permission: "file-lists:use" } as const;
const manage = { auth: "bearer", permission: "file-lists:manage" } as const;
const params = z.object({ fileListId });

export const fileListsEndpoints = defineEndpoints({
  "GET /files": {
    ...read,
    summary: "One page of the company's file lists by name, with how many files each has",
    query: z.object({ searchParam, pageNumber }),
    reply: z.object({ files: z.array(listedFileList), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "GET /files/:fileListId": {
    ...read,
    summary: "One file list with its files in their order",
    params,
    reply: fileList,
    errors: ["ERR_NO_FILE_FOUND"],
  },
  "POST /files": {
    ...manage,
    summary: "A new file list; its options are in the order sent, and have no files yet",
    body: newFileList,
    reply: fileList,
    errors: ["ERR_RATING_NAME_ALREADY_EXISTS"],
  },
  "PUT /files/:fileListId": {
    ...manage,
    summary: "Replaces name, message and options of a file list, in the order sent",
    params,
    body: fileListChange,
    reply: fileList,
    errors: ["ERR_NO_FILE_FOUND", "ERR_RATING_NAME_ALREADY_EXISTS"],
  },
  "DELETE /files/:fileListId": {
    ...manage,
    summary: "Removes a file list and its files",
    params,
    reply: messageReply,
    errors: ["ERR_NO_RATING_FOUND"],
  },
  "POST /files/uploadList/:fileListId": {
    ...manage,
    summary:
      "Stores the files of options: `id` is the option of each file, in step. Without files nothing happens",
    params,
    upload: {
      field: "files",
      maxFiles: limits.mediasPerRequest,
      fields: z.object({
        typeArch: repeatable(z.literal("fileList")).optional(),
        /** If it is there, it must be the list of the path. */
        fileId: repeatable(fileListId).optional(),
        /** One text for one file. */
        id: z.union([fileListOptionId, z.array(fileListOptionId)]).optional(),
      }),
    },
    reply: z.object({ mensagem: z.string() }),
    errors: ["ERR_NO_FILE_FOUND", ...fileErrors],
  },
});
