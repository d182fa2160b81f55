import type { PushLanguage, PushNoticeKind, PushPayload } from "@balcao/contract";

/** One thing that a user is told, as the database has it. */
export type Told = {
  kind: PushNoticeKind;
  /** The customer, the group of colleagues, the author of a note, or the connection. */
  name: string;
  /** The text; "" where the reader may not read it. */
  text: string;
  /** The queue in which a ticket waits. */
  queue: string | null;
  /** Unread messages. */
  unread: number;
};

type Words = {
  plain: Readonly<Record<PushNoticeKind, string>>;
  assigned: string;
  waits: (queue: string) => string;
  mentions: (name: string) => string;
  lost: (name: string) => string;
  test: { title: string; body: string };
  reply: string;
  accept: string;
  failed: string;
};

const words: Readonly<Record<PushLanguage, Words>> = {
  pt: {
    plain: {
      assigned: "Novo atendimento para você",
      message: "Nova mensagem",
      waiting: "Atendimento aguardando",
      mention: "Mencionaram você",
      chat: "Nova mensagem da equipe",
      connection: "Uma conexão caiu",
    },
    assigned: "Atendimento atribuído a você",
    waits: (queue) => (queue === "" ? "Aguardando sem fila" : `Aguardando em ${queue}`),
    mentions: (name) => `${name} mencionou você`,
    lost: (name) => `${name} está sem conexão`,
    test: { title: "Notificação de teste", body: "As notificações chegam neste aparelho." },
    reply: "Responder",
    accept: "Aceitar",
    failed: "Não foi possível concluir. Toque para abrir.",
  },
  en: {
    plain: {
      assigned: "New conversation for you",
      message: "New message",
      waiting: "A conversation is waiting",
      mention: "You were mentioned",
      chat: "New message from the team",
      connection: "A connection is lost",
    },
    assigned: "Conversation assigned to you",
    waits: (queue) => (queue === "" ? "Waiting without a queue" : `Waiting in ${queue}`),
    mentions: (name) => `${name} mentioned you`,
    lost: (name) => `${name} is disconnected`,
    test: { title: "Test notification", body: "Notifications reach this device." },
    reply: "Reply",
    accept: "Accept",
    failed: "That did not work. Tap to open.",
  },
  es: {
    plain: {
      assigned: "Nueva conversación para ti",
      message: "Nuevo mensaje",
      waiting: "Una conversación espera",
      mention: "Te mencionaron",
      chat: "Nuevo mensaje del equipo",
      connection: "Se perdió una conexión",
    },
    assigned: "Conversación asignada a ti",
    waits: (queue) => (queue === "" ? "Espera sin cola" : `Espera en ${queue}`),
    mentions: (name) => `${name} te mencionó`,
    lost: (name) => `${name} está sin conexión`,
    test: {
      title: "Notificación de prueba",
      body: "Las notificaciones llegan a este dispositivo.",
    },
    reply: "Responder",
    accept: "Aceptar",
    failed: "No fue posible. Toca para abrir.",
  },
};

const TITLE_MAX = 80;
const BODY_MAX = 240;

type Said = Pick<PushPayload, "title" | "body">;

/** Title and text of the notification; `plain` says neither who nor what. */
export function sayTold(language: PushLanguage, told: Told, content: "full" | "plain"): Said {
  if (content === "plain") return { title: words[language].plain[told.kind], body: "" };
  const { title, body } = sayFully(words[language], told);
  return { title: cut(title, TITLE_MAX), body: cut(body, BODY_MAX) };
}

function sayFully(own: Words, { kind, name, text, queue, unread }: Told): Said {
  switch (kind) {
    case "assigned":
      return { title: name, body: text === "" ? own.assigned : `${own.assigned}: ${text}` };
    case "message":
      return { title: unread > 1 ? `${name} (${unread})` : name, body: text || own.plain.message };
    case "waiting": {
      const waits = own.waits(queue ?? "");
      return { title: name, body: text === "" ? waits : `${waits}: ${text}` };
    }
    case "mention":
      return { title: own.mentions(name), body: text };
    case "chat":
      return { title: name, body: text };
    case "connection":
      return { title: own.lost(name), body: "" };
  }
}

/** By characters as people see them: half of one is no text. */
function cut(text: string, max: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= max) return line;
  return `${line
    .slice(0, max - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, "")}…`;
}

export const testWords = (language: PushLanguage): Said => words[language].test;

/** The button of a notification, where it has one. */
export function actionFor(
  language: PushLanguage,
  kind: PushNoticeKind,
): Pick<PushPayload, "action" | "failed"> {
  const own = words[language];
  if (kind === "waiting") {
    return { action: { kind: "accept", words: own.accept }, failed: own.failed };
  }
  if (kind !== "message" && kind !== "assigned") return {};
  return { action: { kind: "reply", words: own.reply }, failed: own.failed };
}
