import type { SameShape } from "../same-shape.ts";
import type { templates as pt } from "../pt/templates.ts";

export const templates: SameShape<typeof pt> = {
  title: "Enviar plantilla a {{name}}",
  open: "Enviar plantilla",
  search: "Buscar plantilla",
  list: "Plantillas aprobadas",
  noMatch: "Ninguna plantilla con “{{words}}”",
  emptyTitle: "Ninguna plantilla aprobada",
  emptyText: "Cree plantillas en el panel de Meta; una vez aprobadas, aparecen aquí.",
  preview: "Vista previa del mensaje",
  bodyPlace: "Valor de {{place}}",
  headerPlace: "Valor de {{place}} en el título",
  headerFile: "Dirección del archivo del título",
  buttonPlace: "Valor del botón {{button}}",
  required: "Obligatorio",
  back: "Cambiar plantilla",
  send: "Enviar",
  sent: "Plantilla enviada",
  window: "Ventana de 24 h: {{left}}",
  hoursLeft: "{{hours}} h {{minutes}} min",
  minutesLeft: "{{minutes}} min",
  windowHelp:
    "Después, solo las plantillas aprobadas llegan al cliente hasta que vuelva a escribir.",
  closed: "Pasaron 24 horas desde el último mensaje del cliente. Envíe una plantilla aprobada.",
};
