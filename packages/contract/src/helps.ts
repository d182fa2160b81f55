import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { helpId } from "./ids.ts";
import { limits } from "./limits.ts";
import { isoDate, messageReply, pageNumber, searchParam, text } from "./primitives.ts";

/** The code of a video at YouTube. Nothing else ever becomes part of a player's address. */
export const videoCodePattern = /^[A-Za-z0-9_-]{6,20}$/;

/** A help video (wire-contract 2.3), the same ones for every company. */
export const help = z.object({
  id: helpId,
  title: z.string(),
  description: z.string(),
  /** The video's code. */
  video: z.string(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Help = z.output<typeof help>;

const body = z.object({
  /** Blank is ERR_HELP_REQUIRED, under three characters ERR_HELP_INVALID_NAME. */
  title: text(limits.helpTitleMax).trim().default(""),
  /** If it is given it has three characters, else ERR_HELP_INVALID_NAME. */
  description: z.preprocess((value) => value ?? "", text(limits.helpDescriptionMax).trim()),
  video: z.string().trim().regex(videoCodePattern),
});
export type HelpBody = z.output<typeof body>;

const read = { auth: "bearer", permission: "helps:read" } as const;
const manage = { auth: "bearer", permission: "helps:manage" } as const;
const params = z.object({ helpId });
const refusals = ["ERR_HELP_INVALID_NAME", "ERR_HELP_REQUIRED"] as const;

export const helpsEndpoints = defineEndpoints({
  "GET /helps": {
    ...read,
    summary: "One page of the help videos by title",
    query: z.object({ searchParam, pageNumber }),
    reply: z.object({ records: z.array(help), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "GET /helps/list": {
    ...read,
    summary: "All help videos by title",
    reply: z.array(help),
    streams: true,
    errors: [],
  },
  "GET /helps/:helpId": {
    ...read,
    summary: "One help video",
    params,
    reply: help,
    errors: ["ERR_NO_HELP_FOUND"],
  },
  "POST /helps": {
    ...manage,
    summary: "A new help video for every company; super users only",
    body,
    reply: help,
    errors: refusals,
  },
  "PUT /helps/:helpId": {
    ...manage,
    summary: "Changes a help video",
    params,
    body,
    reply: help,
    errors: ["ERR_NO_HELP_FOUND", ...refusals],
  },
  "DELETE /helps/:helpId": {
    ...manage,
    summary: "Removes a help video",
    params,
    reply: messageReply,
    errors: ["ERR_NO_HELP_FOUND"],
  },
});
