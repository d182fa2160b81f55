import type { SameShape } from "../same-shape.ts";
import type { notifications as pt } from "../pt/notifications.ts";

export const notifications: SameShape<typeof pt> = {
  title: "Mensajes no leídos",
  open: "Mensajes no leídos",
  openCount_one: "{{count}} conversación con mensajes no leídos",
  openCount_other: "{{count}} conversaciones con mensajes no leídos",
  unread_one: "{{count}} mensaje no leído",
  unread_other: "{{count}} mensajes no leídos",
  emptyTitle: "Todo al día",
  emptyText: "Ningún mensaje te espera.",
  noQueue: "Sin cola",
  waiting: "en espera",
  allowDesktop: "Avisar también en el escritorio",
  desktopRefused: "El navegador bloquea los avisos. Permítelos en los permisos de este sitio.",
  volume: "Volumen de los avisos",
  volumeLabel: "Volumen",
};
