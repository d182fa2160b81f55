import type { SameShape } from "../same-shape.ts";
import type { schedules as pt } from "../pt/schedules.ts";

export const schedules: SameShape<typeof pt> = {
  newTitle: "Programar mensaje",
  editTitle: "Mensaje programado",
  to: "Para {{name}}",
  body: "Mensaje",
  bodyShort: "El mensaje es demasiado corto",
  sendAt: "Enviar el",
  required: "Obligatorio",
  past: "Elige una fecha y hora en el futuro",
  attach: "Adjuntar imagen",
  detach: "Quitar la imagen {{name}}",
  submit: "Programar",
  saved: "Mensaje programado",
  edit: "Editar el mensaje de {{moment}}",
  delete: "Eliminar el mensaje de {{moment}}",
  deleted: "Mensaje programado eliminado",
  more: "Ver más",
  status: {
    PENDENTE: "Pendiente",
    AGENDADA: "Enviando",
    ENVIADA: "Enviado",
    ERRO: "No enviado",
  },
};
