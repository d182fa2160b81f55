import type { SameShape } from "../same-shape.ts";
import type { schedules as pt } from "../pt/schedules.ts";

export const schedules: SameShape<typeof pt> = {
  newTitle: "Schedule a message",
  editTitle: "Scheduled message",
  to: "To {{name}}",
  body: "Message",
  bodyShort: "The message is too short",
  sendAt: "Send at",
  required: "Required",
  past: "Choose a date and time in the future",
  attach: "Attach a picture",
  detach: "Remove the picture {{name}}",
  submit: "Schedule",
  saved: "Message scheduled",
  edit: "Edit the message of {{moment}}",
  delete: "Delete the message of {{moment}}",
  deleted: "Scheduled message deleted",
  more: "Show more",
  status: {
    PENDENTE: "Pending",
    AGENDADA: "Sending",
    ENVIADA: "Sent",
    ERRO: "Not sent",
  },
};
