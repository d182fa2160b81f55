import type { SameShape } from "../same-shape.ts";
import type { errors as pt } from "../pt/errors.ts";

export const errors: SameShape<typeof pt> = {
  unknown: "Algo salió mal. Intenta de nuevo.",
  ERR_NETWORK: "El servidor no respondió. Revisa tu conexión e intenta de nuevo.",
  ERR_TIMEOUT: "El servidor tardó demasiado en responder. Intenta de nuevo.",

  ERR_INVALID_REQUEST: "Los datos enviados no son válidos.",
  ERR_BODY_TOO_LARGE: "El contenido es demasiado grande.",
  ERR_UNSUPPORTED_MEDIA_TYPE: "Este tipo de archivo no se acepta.",
  ERR_TOO_MANY_REQUESTS: "Demasiados intentos. Espera un poco e intenta de nuevo.",
  ERR_ROUTE_NOT_FOUND: "Esta función no existe en esta versión del sistema.",
  ERR_UNAVAILABLE: "El sistema no está disponible en este momento. Intenta de nuevo en instantes.",
  ERR_INTERNAL: "Error interno del sistema. Intenta de nuevo; si continúa, avisa a soporte.",

  ERR_INVALID_CREDENTIALS: "Correo o contraseña incorrectos.",
  ERR_SESSION_EXPIRED: "Tu sesión terminó. Entra de nuevo.",
  ERR_TOKEN_EXPIRED: "Tu sesión debe renovarse. Intenta de nuevo.",
  ERR_SUBSCRIPTION_EXPIRED:
    "¡Ups! Tu suscripción venció el {{date}}. ¡Contacta con Soporte para más información!",
  ERR_COMPANY_DISABLED: "Esta empresa está desactivada. Contacta con Soporte.",
  ERR_NO_PERMISSION: "No tienes permiso para hacer esto.",
  ERR_TICKET_FORBIDDEN: "Acceso no permitido",
  ERR_OTHER_COMPANY: "¡No tienes permiso para acceder a este recurso!",

  ERR_NO_COMPANY_FOUND: "Empresa no encontrada.",
  ERR_NO_SETTING_FOUND: "Configuración no encontrada.",
  ERR_NO_CONTACT_FOUND: "Contacto no encontrado.",
  ERR_NO_TICKET_FOUND: "Atención no encontrada.",
  ERR_NO_USER_FOUND: "Usuario no encontrado.",
  ERR_NO_WAPP_FOUND: "Conexión no encontrada.",
  ERR_NO_MESSAGE_FOUND: "Mensaje no encontrado.",
  ERR_NO_TAG_FOUND: "Etiqueta no encontrada.",
  ERR_QUEUE_NOT_FOUND: "Cola no encontrada.",

  ERR_OTHER_OPEN_TICKET: "Ya existe una atención abierta para este contacto.",
  ERR_TICKET_TRANSITION: "La atención ya cambió de situación. Mira cómo está ahora.",
  ERR_MESSAGE_EMPTY: "Escribe el mensaje antes de enviar.",
  ERR_MESSAGE_NOT_FAILED: "Este mensaje ya no está con falla.",
  ERR_FETCH_WAPP_MSG: "Mensaje no encontrado; quizá sea demasiado antiguo.",
  ERR_WAPP_NOT_INITIALIZED: "La conexión no se ha iniciado. Revisa la página de conexiones.",
  ERR_NO_DEF_WAPP_FOUND: "No hay conexión predeterminada. Revisa la página de conexiones.",
  ERR_WAPP_INVALID_CONTACT: "Este número no es válido en la aplicación de chat.",
  ERR_SENDING_WAPP_MSG: "No se pudo enviar el mensaje. Revisa la conexión.",
  ERR_SIMULATOR_CODE: "Este código QR ya no vale. Lee el que está ahora en pantalla.",
  ERR_SIMULATOR_NOT_LINKED: "Esta conexión no está vinculada.",
};
