import type { SameShape } from "../same-shape.ts";
import type { composer as pt } from "../pt/composer.ts";

export const composer: SameShape<typeof pt> = {
  field: "Mensaje para {{name}}",
  placeholder: "Mensaje, o / para respuestas rápidas",
  send: "Enviar",
  save: "Guardar la edición",
  sign: "Firmar",
  signHelp: "Pone su nombre encima del mensaje",
  tools: "Herramientas del mensaje",

  reply: "Respondiendo a {{name}}",
  replySelf: "Respondiendo a usted",
  replyCancel: "No responder a este mensaje",
  edit: "Editando el mensaje",
  editCancel: "Cancelar la edición",

  emoji: "Emojis",
  emojiSearch: "Buscar emoji",
  emojiEmpty: "Ningún emoji encontrado",
  emojiSkin: "Cambiar el tono de piel",

  quick: "Respuestas rápidas",
  quickSearch: "Buscar respuesta rápida",
  quickEmpty: "Ninguna respuesta rápida",
  quickNone: "Ninguna respuesta rápida con «{{term}}»",
  quickFile: "con archivo",
  quickFileFailed: "No se pudo traer el archivo de la respuesta rápida.",
  quickCount_one: "{{count}} respuesta rápida",
  quickCount_other: "{{count}} respuestas rápidas",

  variable: "Insertar variable",

  attach: "Adjuntar archivos",
  drop: "Suelte los archivos para adjuntarlos",
  tray: "Archivos por enviar",
  caption: "Leyenda de {{name}}",
  captionHint: "Leyenda (opcional)",
  removeFile: "Quitar {{name}}",
  fileUp: "Mover {{name}} antes",
  fileDown: "Mover {{name}} después",
  refusedTitle: "No adjuntado",
  dismiss: "Descartar",

  record: "Grabar audio",
  recording: "Grabando audio",
  recordStarting: "Abriendo el micrófono…",
  recordCancel: "Cancelar",
  recordSend: "Enviar audio",
  recordShort: "Audio demasiado corto: no se envió nada.",
  recordFull: "Este es el tamaño máximo de un audio. Envíelo o cancele.",
  recordLost: "El micrófono se apagó. Envíe lo grabado o cancele.",
  microphone: {
    denied:
      "El navegador no tiene permiso para usar el micrófono. Permítalo en los ajustes del sitio.",
    missing: "Ningún micrófono encontrado.",
    busy: "Otro programa está usando el micrófono.",
    insecure: "El micrófono solo funciona en direcciones seguras (https).",
    failed: "No se pudo grabar audio en este navegador.",
  },

  sendMore: "Más opciones de envío",
  sendLater: "Enviar después",
  undo: "Deshacer el envío por 5 s",
  undoHelp: "El mensaje espera 5 segundos antes de salir",

  answered: "{{name}} respondió mientras usted escribía",
  answeredElsewhere: "Se envió otra respuesta mientras usted escribía",
  answeredShow: "Ver",
  answeredSend: "Enviar de todos modos",
  answeredAgain: "Pulse Enter otra vez para enviar de todos modos.",
};
