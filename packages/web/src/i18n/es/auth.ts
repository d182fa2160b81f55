import type { SameShape } from "../same-shape.ts";
import type { auth as pt } from "../pt/auth.ts";

export const auth: SameShape<typeof pt> = {
  title: "Entrar",
  lead: "Atiende a tus clientes en un solo lugar.",
  email: "Correo",
  emailPlaceholder: "tu@empresa.com",
  password: "Contraseña",
  showPassword: "Mostrar contraseña",
  hidePassword: "Ocultar contraseña",
  submit: "Entrar",
  emailRequired: "Escribe el correo",
  emailInvalid: "Este correo no está completo",
  passwordRequired: "Escribe la contraseña",
  welcome: "¡Inicio de sesión correcto!",
  ended: "Tu sesión terminó. Entra de nuevo para continuar.",
  elsewhere: "Se accedió a tu cuenta en otro equipo.",
  retryAfter_one: "Demasiados intentos. Intenta de nuevo en {{count}} segundo.",
  retryAfter_other: "Demasiados intentos. Intenta de nuevo en {{count}} segundos.",
  subscriptionEnds_one: "Tu suscripción vence en {{count}} día",
  subscriptionEnds_other: "Tu suscripción vence en {{count}} días",
  subscriptionEndsToday: "Tu suscripción vence hoy",
};
