import type { SameShape } from "../same-shape.ts";
import type { notes as pt } from "../pt/notes.ts";

export const notes: SameShape<typeof pt> = {
  label: "New note",
  placeholder: "Only the team sees it",
  add: "Add note",
  short: "Write at least 2 characters",
  added: "Note added!",
  deleted: "Note deleted!",
  delete: "Delete the note by {{author}}, {{moment}}",
  formerUser: "Former user",
};
