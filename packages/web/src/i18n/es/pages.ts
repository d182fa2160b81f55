import type { pages as pt } from "../pt/pages.ts";
import type { SameShape } from "../same-shape.ts";
import { connections } from "./connections.ts";
import { contacts } from "./contacts.ts";
import { notes } from "./notes.ts";
import { openingHours } from "./opening-hours.ts";
import { queues } from "./queues.ts";
import { schedules } from "./schedules.ts";
import { settings } from "./settings.ts";
import { simulator } from "./simulator.ts";
import { users } from "./users.ts";

export const pages: SameShape<typeof pt> = {
  connections,
  contacts,
  notes,
  openingHours,
  queues,
  schedules,
  settings,
  simulator,
  users,
};
