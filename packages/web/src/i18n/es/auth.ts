import type { auth as pt } from "../pt/auth.ts";
import type { SameShape } from "../same-shape.ts";

export const auth: SameShape<typeof pt> = {
  auth: {
    title: "Entrar",
    lead: "Atiende a tus clientes en un solo lugar.",
    headline: "Cada cliente con una respuesta, cada conversación con un responsable.",
    product:
      "El WhatsApp de la tienda con todo el equipo: colas, chatbot e historial en la misma pantalla.",
    email: "Correo",
    emailPlaceholder: "tu@empresa.com",
    password: "Contraseña",
    submit: "Entrar",
    emailRequired: "Escribe el correo",
    emailInvalid: "Correo inválido",
    passwordRequired: "Escribe la contraseña",
    welcome: "¡Inicio de sesión correcto!",
  },
};
