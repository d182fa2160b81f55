import type { SameShape } from "../same-shape.ts";
import type { settings as pt } from "../pt/settings.ts";

export const settings: SameShape<typeof pt> = {
  title: "Configuración",
  options: "Opciones",
  saved: "Operación actualizada con éxito.",
  groups: {
    service: "Atención",
    chatbot: "Chatbot y horarios",
    incoming: "Grupos y llamadas",
    security: "Seguridad",
  },
  sendGreetingAccepted: {
    label: "Saludo al aceptar",
    help: "Cuando alguien acepta una atención, el cliente recibe un saludo con el nombre del agente.",
  },
  sendMsgTransfTicket: {
    label: "Aviso de transferencia",
    help: "El cliente recibe un aviso cuando la atención pasa a otra cola o a otro agente.",
  },
  userRating: {
    label: "Encuesta de satisfacción",
    help: "Al resolver una atención, se invita al cliente a dar una nota de 1 a 3.",
  },
  scheduleType: {
    label: "Horario de atención",
    help: "Fuera del horario el chatbot no responde: el cliente recibe solo el mensaje de fuera de horario.",
    values: {
      disabled: "No verificar",
      company: "Un horario para la empresa",
      queue: "Un horario por cola",
    },
    toHours: "Definir los horarios",
    toQueues: "Definir los horarios en las colas",
  },
  sendGreetingMessageOneQueues: {
    label: "Saludo con una sola cola",
    help: "Si la conexión tiene una sola cola, el cliente recibe su saludo antes de la atención.",
  },
  chatBotType: {
    label: "Tipo de menú del chatbot",
    help: "El menú es un texto numerado: el cliente responde con el número de la opción.",
    values: { text: "Texto" },
  },
  CheckMsgIsGroup: {
    label: "Ignorar mensajes de grupos",
    help: "Los mensajes de grupos no se vuelven atenciones. Apagado, cada grupo es una atención.",
  },
  call: {
    label: "Aceptar llamadas",
    help: "Apagado, las llamadas de voz y video se rechazan y se invita al cliente a escribir.",
  },
  passwordMinLength: {
    label: "Longitud mínima de la contraseña",
    help: "Vale para las contraseñas definidas desde ahora; las que ya existen siguen valiendo.",
    value: "{{min}} caracteres",
  },
  hours: {
    title: "Horarios",
    heading: "Horarios de la empresa",
    text: "Fuera de estos horarios el chatbot no responde y los clientes esperan en la lista.",
    openNow: "Ahora son las {{time}} ({{zone}}): abierto.",
    closedNow: "Ahora son las {{time}} ({{zone}}): cerrado.",
    saved: "Horarios actualizados con éxito.",
    textsTitle: "Lo que recibe el cliente fuera de horario",
    texts:
      "Cada conexión tiene su mensaje de fuera de horario, enviado una vez en cada período cerrado.",
    toConnections: "Definir el mensaje en las conexiones",
    silent_one: "Sin mensaje no se envía nada: {{names}}.",
    silent_other: "Sin mensaje no se envía nada: {{names}}.",
  },
  outOfHours: {
    title: "Fuera de horario.",
    company: "La empresa abre {{when}}.",
    queue: "La cola {{name}} abre {{when}}.",
    companyNever: "Ningún día de la semana tiene horario para la empresa.",
    queueNever: "Ningún día de la semana tiene horario para la cola {{name}}.",
    today: "hoy a las {{time}}",
    onDay: "{{day}} a las {{time}}",
  },
};
