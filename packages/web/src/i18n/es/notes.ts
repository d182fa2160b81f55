import type { SameShape } from "../same-shape.ts";
import type { notes as pt } from "../pt/notes.ts";

export const notes: SameShape<typeof pt> = {
  label: "Nueva nota",
  placeholder: "Solo la ve el equipo",
  add: "Agregar nota",
  short: "Escribe al menos 2 caracteres",
  added: "¡Nota agregada!",
  deleted: "¡Nota eliminada!",
  delete: "Eliminar la nota de {{author}}, {{moment}}",
  formerUser: "Exusuario",
};
