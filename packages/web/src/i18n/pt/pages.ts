import { connections } from "./connections.ts";
import { openingHours } from "./opening-hours.ts";
import { queues } from "./queues.ts";
import { settings } from "./settings.ts";
import { simulator } from "./simulator.ts";
import { users } from "./users.ts";

/** Texts of pages that few people open and nobody opens first: fetched with them. */
export const pages = { connections, openingHours, queues, settings, simulator, users } as const;
