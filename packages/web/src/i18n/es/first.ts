import type { first as pt } from "../pt/first.ts";
import type { SameShape } from "../same-shape.ts";
import { auth } from "./auth.ts";
import { common } from "./common.ts";
import { composer } from "./composer.ts";
import { errors } from "./errors.ts";
import { messages } from "./messages.ts";
import { notifications } from "./notifications.ts";
import { palette } from "./palette.ts";
import { quickMessages } from "./quick-messages.ts";
import { shell } from "./shell.ts";
import { tags } from "./tags.ts";
import { templates } from "./templates.ts";
import { tickets } from "./tickets.ts";

export const first: SameShape<typeof pt> = {
  auth,
  common,
  composer,
  errors,
  messages,
  notifications,
  palette,
  quickMessages,
  shell,
  tags,
  templates,
  tickets,
};
