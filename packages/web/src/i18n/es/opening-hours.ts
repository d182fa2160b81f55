import type { SameShape } from "../same-shape.ts";
import type { openingHours as pt } from "../pt/opening-hours.ts";

export const openingHours: SameShape<typeof pt> = {
  days: {
    monday: "Lunes",
    tuesday: "Martes",
    wednesday: "Miércoles",
    thursday: "Jueves",
    friday: "Viernes",
    saturday: "Sábado",
    sunday: "Domingo",
  },
  states: { open: "Abierto", closed: "Cerrado", unset: "Sin horario" },
  state: "Atención, {{day}}",
  startTime: "Inicio, {{day}}",
  endTime: "Fin, {{day}}",
  until: "a",
  meaning: { closed: "Cerrado todo el día", unset: "El horario no se verifica en este día" },
  overMidnight: "Pasa de la medianoche: hasta las {{time}} del día siguiente ({{day}})",
  wrong: "Indique una hora de 00:00 a 23:59",
  missing: "Indique el inicio y el fin",
  copyMonday: "Copiar el lunes a los días hábiles",
};
