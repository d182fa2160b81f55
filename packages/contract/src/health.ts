import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";

export const healthEndpoints = defineEndpoints({
  "GET /health": {
    summary: "Whether the process can serve (same as ready)",
    auth: "none",
    reply: z.object({ status: z.literal("ok") }),
    errors: ["ERR_UNAVAILABLE"],
  },
  "GET /health/live": {
    summary: "Whether the process runs",
    auth: "none",
    reply: z.object({ status: z.literal("ok") }),
    errors: [],
  },
  "GET /health/ready": {
    summary: "Whether the process can serve: the database answers",
    auth: "none",
    reply: z.object({ status: z.literal("ok") }),
    errors: ["ERR_UNAVAILABLE"],
  },
  "GET /version": {
    summary: "Version of the product",
    auth: "none",
    reply: z.object({ version: z.string() }),
    errors: [],
  },
});
