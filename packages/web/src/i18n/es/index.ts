import type { SameShape } from "../same-shape.ts";
import type { pt } from "../pt/index.ts";
import { auth } from "./auth.ts";
import { common } from "./common.ts";
import { composer } from "./composer.ts";
import { connections } from "./connections.ts";
import { contacts } from "./contacts.ts";
import { errors } from "./errors.ts";
import { messages } from "./messages.ts";
import { notes } from "./notes.ts";
import { notifications } from "./notifications.ts";
import { openingHours } from "./opening-hours.ts";
import { palette } from "./palette.ts";
import { queues } from "./queues.ts";
import { quickMessages } from "./quick-messages.ts";
import { schedules } from "./schedules.ts";
import { settings } from "./settings.ts";
import { shell } from "./shell.ts";
import { simulator } from "./simulator.ts";
import { tags } from "./tags.ts";
import { templates } from "./templates.ts";
import { tickets } from "./tickets.ts";
import { users } from "./users.ts";

export const es: SameShape<typeof pt> = {
  auth,
  common,
  composer,
  connections,
  contacts,
  errors,
  messages,
  notes,
  notifications,
  openingHours,
  palette,
  queues,
  quickMessages,
  schedules,
  settings,
  shell,
  simulator,
  tags,
  templates,
  tickets,
  users,
};
