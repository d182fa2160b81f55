import type { SameShape } from "../same-shape.ts";
import type { templates as pt } from "../pt/templates.ts";

export const templates: SameShape<typeof pt> = {
  title: "Send a template to {{name}}",
  open: "Send template",
  search: "Search templates",
  list: "Approved templates",
  noMatch: "No template with “{{words}}”",
  emptyTitle: "No approved template",
  emptyText: "Create templates in Meta's dashboard; once approved they appear here.",
  preview: "Preview of the message",
  bodyPlace: "Value of {{place}}",
  headerPlace: "Value of {{place}} in the title",
  headerFile: "Address of the title's file",
  buttonPlace: "Value of the button {{button}}",
  required: "Required",
  back: "Change template",
  send: "Send",
  sent: "Template sent",
  window: "24-hour window: {{left}}",
  hoursLeft: "{{hours}} h {{minutes}} min",
  minutesLeft: "{{minutes}} min",
  windowHelp: "After that only approved templates reach the customer until he writes again.",
  closed: "24 hours have passed since the customer's last message. Send an approved template.",
};
