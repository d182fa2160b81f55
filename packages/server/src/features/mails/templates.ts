import type { CompanyId, PromptFault, SheetLanguage } from "@balcao/contract";
import { showResetCode } from "@balcao/contract";
import { escapeHtml } from "../../platform/http/page.ts";
import type { MailAddress } from "./smtp.ts";

/** A code with which a user sets a password. */
type CodeData = {
  code: string;
  until: Date;
  company: string;
  /** Of the company. */
  timeZone: string;
  /** The page that takes the code; null where the product does not know its own address. */
  url: string | null;
};

type InvoiceData = {
  company: string;
  plan: string;
  valueCents: number;
  /** As text: the day on which the invoice is due; once it is paid, the day until which the company may work. */
  dueDate: string;
  url: string | null;
};

type LossData = {
  company: string;
  connection: string;
  since: Date;
  /** Of the company. */
  timeZone: string;
  /** The page of the connections. */
  url: string | null;
};

/** Something that works without people has stopped, and a person of the company can start it again. */
export type Stop = {
  what: "integration" | "webhook" | "prompt" | "aiService";
  /** Its name in the company; empty for what a company has once. */
  name: string;
  /**
   * `failing`: all its tries have failed for an hour. `gone`: the receiver wants nothing more. `tokens`, `sounds`: the limit of the
   * day is used up. Else a fault of the provider that only a change ends.
   */
  why: "failing" | "gone" | "tokens" | "sounds" | PromptFault;
};

type StopData = Stop & {
  company: string;
  /** The page where it is started again. */
  url: string | null;
};

type DeviceData = {
  company: string;
  device: string;
  address: string;
  at: Date;
  /** Of the company. */
  timeZone: string;
  /** The page that sends a code for a new password. */
  url: string | null;
};

/** The contents of each kind of e-mail. */
export type MailContent =
  | { kind: "password-reset"; data: CodeData }
  | { kind: "invitation"; data: CodeData }
  | { kind: "invoice-due"; data: InvoiceData }
  | { kind: "invoice-paid"; data: InvoiceData }
  | { kind: "connection-lost"; data: LossData }
  | { kind: "helper-stopped"; data: StopData }
  | { kind: "new-device"; data: DeviceData }
  | { kind: "test"; data: Record<string, never> };

/** An e-mail that is to be written. */
export type NewMail = {
  /** The company of its reader. */
  companyId: CompanyId;
  to: MailAddress;
  language: SheetLanguage;
} & MailContent;

/** Its reader, and the installation as e-mails call it. */
export type MailFrame = {
  name: string;
  address: string;
  brand: string;
  /** Of its buttons, `#rrggbb`; white can be read on it. */
  color: string;
  language: SheetLanguage;
};

export type ComposedMail = { subject: string; text: string; html: string };

/** Writes an e-mail, as text and as HTML that says the same. */
export function composeMail(frame: MailFrame, content: MailContent): ComposedMail {
  const { subject, parts } = draft(frame, content);
  const { hello } = words[frame.language];
  const all: Part[] = [{ kind: "text", text: hello(frame.name) }, ...parts];
  return { subject, text: toText(all, frame.brand), html: toHtml(subject, all, frame) };
}

/** A paragraph, a code that stands out, a button, or a small remark at the end. */
type Part =
  | { kind: "text" | "code" | "remark"; text: string }
  | { kind: "button"; text: string; url: string };

type Draft = { subject: string; parts: Part[] };

function draft({ language, brand, address }: MailFrame, content: MailContent): Draft {
  const say = words[language];
  switch (content.kind) {
    case "password-reset": {
      const { code, until, company, timeZone, url } = content.data;
      const time = momentText(until, { language, timeZone, withDay: false });
      return {
        subject: say.resetSubject(brand),
        parts: [
          { kind: "text", text: say.resetText(company) },
          { kind: "code", text: showResetCode(code) },
          { kind: "text", text: say.resetUntil(time) },
          ...button(say.setPassword, url),
          { kind: "remark", text: say.resetRemark },
        ],
      };
    }
    case "invitation": {
      const { code, until, company, timeZone, url } = content.data;
      const moment = momentText(until, { language, timeZone, withDay: true });
      return {
        subject: say.invitationSubject(brand),
        parts: [
          { kind: "text", text: say.invitationText(company, brand) },
          { kind: "text", text: say.invitationAddress(address) },
          { kind: "code", text: showResetCode(code) },
          { kind: "text", text: say.invitationUntil(moment) },
          ...button(say.setPassword, url),
          { kind: "remark", text: say.invitationRemark },
        ],
      };
    }
    case "invoice-due": {
      const { company, plan, valueCents, dueDate, url } = content.data;
      const value = moneyText(valueCents, language);
      return {
        subject: say.dueSubject(brand, dueDate),
        parts: [
          { kind: "text", text: say.dueText({ company, plan, value, dueDate }) },
          ...button(say.pay, url),
          { kind: "remark", text: say.dueRemark },
        ],
      };
    }
    case "invoice-paid": {
      const { company, plan, valueCents, dueDate, url } = content.data;
      const value = moneyText(valueCents, language);
      return {
        subject: say.paidSubject(brand),
        parts: [
          { kind: "text", text: say.paidText({ company, plan, value, dueDate }) },
          ...button(say.seeInvoices, url),
        ],
      };
    }
    case "connection-lost": {
      const { company, connection, since, timeZone, url } = content.data;
      const moment = momentText(since, { language, timeZone, withDay: true });
      return {
        subject: say.lostSubject(connection, brand),
        parts: [
          { kind: "text", text: say.lostText(connection, company, moment) },
          { kind: "text", text: say.lostMeans },
          ...button(say.seeConnections, url),
          { kind: "remark", text: say.lostRemark },
        ],
      };
    }
    case "helper-stopped": {
      const { company, what, name, why, url } = content.data;
      const isOver = why === "tokens" || why === "sounds";
      const means = say.stopMeans[what];
      return {
        subject: say.stopSubject(say.stopWhat[what](name), isOver, brand),
        parts: [
          { kind: "text", text: say.stopText(say.stopWhat[what](name), company, say.stopWhy[why]) },
          { kind: "text", text: isOver ? `${means} ${say.stopUntil}` : means },
          ...button(say.stopOpen, url),
          { kind: "remark", text: say.stopRemark },
        ],
      };
    }
    case "new-device": {
      const { company, device, address, at, timeZone, url } = content.data;
      const moment = momentText(at, { language, timeZone, withDay: true });
      return {
        subject: say.deviceSubject(brand),
        parts: [
          { kind: "text", text: say.deviceText(company, moment) },
          { kind: "text", text: [device, address].filter(Boolean).join(" · ") },
          { kind: "text", text: say.deviceMeans },
          ...button(say.setPassword, url),
          { kind: "remark", text: say.deviceRemark },
        ],
      };
    }
    case "test":
      return {
        subject: say.testSubject(brand),
        parts: [{ kind: "text", text: say.testText(brand) }],
      };
  }
}

const button = (text: string, url: string | null): Part[] =>
  url === null ? [] : [{ kind: "button", text, url }];

type InvoiceWords = { company: string; plan: string; value: string; dueDate: string };

const words = {
  pt: {
    hello: (name: string) => `Olá, ${name}.`,
    deviceSubject: (brand: string) => `Novo acesso à sua conta - ${brand}`,
    deviceText: (company: string, moment: string) =>
      `Sua conta em ${company} foi acessada em ${moment} por um navegador que ela ainda não conhecia:`,
    deviceMeans: "Se foi você, não é preciso fazer nada.",
    deviceRemark:
      "Se não foi você, crie uma nova senha agora: isso encerra todas as sessões. Depois avise um administrador da empresa.",
    setPassword: "Criar a senha",
    resetSubject: (brand: string) => `Redefinição de senha - ${brand}`,
    resetText: (company: string) =>
      `Use este código para criar uma nova senha na conta de ${company}:`,
    resetUntil: (time: string) => `Ele vale até ${time} e só pode ser usado uma vez.`,
    resetRemark: "Se não foi você que pediu, ignore este e-mail: sua senha continua a mesma.",
    invitationSubject: (brand: string) => `Seu acesso ao ${brand}`,
    invitationText: (company: string, brand: string) =>
      `${company} criou um acesso para você no ${brand}. Crie sua senha com o código abaixo.`,
    invitationAddress: (address: string) => `Seu e-mail de acesso: ${address}`,
    invitationUntil: (moment: string) => `O código vale até ${moment} e só pode ser usado uma vez.`,
    invitationRemark: "Se você não conhece esta empresa, ignore este e-mail.",
    dueSubject: (brand: string, dueDate: string) => `Sua fatura vence em ${dueDate} - ${brand}`,
    dueText: ({ company, plan, value, dueDate }: InvoiceWords) =>
      `A fatura de ${company}, plano ${plan}, no valor de ${value}, vence em ${dueDate}.`,
    dueRemark: "Se você já pagou, ignore este e-mail.",
    pay: "Pagar a fatura",
    paidSubject: (brand: string) => `Pagamento confirmado - ${brand}`,
    paidText: ({ company, plan, value, dueDate }: InvoiceWords) =>
      `Recebemos o pagamento de ${value} de ${company}, plano ${plan}. Sua conta está ativa até ${dueDate}.`,
    seeInvoices: "Ver as faturas",
    lostSubject: (connection: string, brand: string) =>
      `A conexão ${connection} está fora do ar - ${brand}`,
    lostText: (connection: string, company: string, moment: string) =>
      `A conexão ${connection}, de ${company}, está desconectada desde ${moment}.`,
    lostMeans: "Enquanto isso, nenhuma mensagem chega nem sai por ela.",
    seeConnections: "Ver as conexões",
    lostRemark: "Se ela já voltou, ignore este e-mail.",
    stopWhat: {
      integration: (name: string) => `A integração ${name}`,
      webhook: (name: string) => `O webhook ${name}`,
      prompt: (name: string) => `O agente de IA ${name}`,
      aiService: (_name: string) => "O serviço de IA da empresa",
    },
    stopSubject: (what: string, isOver: boolean, brand: string) =>
      `${what} ${isOver ? "atingiu o limite de hoje" : "parou"} - ${brand}`,
    stopText: (what: string, company: string, why: string) =>
      `${what}, de ${company}, parou: ${why}`,
    stopWhy: {
      failing: "nenhuma entrega deu certo na última hora.",
      gone: "o endereço respondeu que não existe mais (410).",
      tokens: "o limite de tokens do dia foi usado.",
      sounds: "o limite de áudios do dia foi usado.",
      key: "o provedor recusou a chave.",
      credit: "a conta no provedor está sem crédito.",
      address: "o endereço do provedor não funciona.",
      model: "o provedor não conhece o modelo.",
      rate: "o provedor recebeu pedidos demais.",
      reply: "a resposta do provedor não pôde ser lida.",
      slow: "o provedor não respondeu a tempo.",
    },
    stopMeans: {
      integration: "Os eventos ficam guardados e são enviados quando ela for retomada.",
      webhook: "Os eventos ficam guardados e são enviados quando ele for retomado.",
      prompt: "Enquanto isso, o menu ou as pessoas atendem os clientes.",
      aiService: "Enquanto isso, não há sugestões, resumos, traduções nem transcrições dele.",
    },
    stopUntil: "Amanhã ele volta sozinho; para voltar antes, aumente o limite.",
    stopOpen: "Abrir a página",
    stopRemark: "Se já foi resolvido, ignore este e-mail.",
    testSubject: (brand: string) => `Teste de e-mail - ${brand}`,
    testText: (brand: string) =>
      `Este é um teste: o servidor de e-mail do ${brand} está funcionando.`,
  },
  en: {
    hello: (name: string) => `Hello ${name},`,
    deviceSubject: (brand: string) => `New sign-in to your account - ${brand}`,
    deviceText: (company: string, moment: string) =>
      `Your account at ${company} was signed in to on ${moment} from a browser that is new to it:`,
    deviceMeans: "If it was you, there is nothing to do.",
    deviceRemark:
      "If it was not you, set a new password now: that ends all sessions. Then tell an admin of your company.",
    setPassword: "Set the password",
    resetSubject: (brand: string) => `Password reset - ${brand}`,
    resetText: (company: string) =>
      `Use this code to set a new password for your account at ${company}:`,
    resetUntil: (time: string) => `It is valid until ${time} and can be used once.`,
    resetRemark: "If you did not ask for it, ignore this e-mail: your password stays as it is.",
    invitationSubject: (brand: string) => `Your account at ${brand}`,
    invitationText: (company: string, brand: string) =>
      `${company} made an account for you at ${brand}. Set your password with the code below.`,
    invitationAddress: (address: string) => `You sign in with: ${address}`,
    invitationUntil: (moment: string) => `The code is valid until ${moment} and can be used once.`,
    invitationRemark: "If you do not know this company, ignore this e-mail.",
    dueSubject: (brand: string, dueDate: string) => `Your invoice is due on ${dueDate} - ${brand}`,
    dueText: ({ company, plan, value, dueDate }: InvoiceWords) =>
      `The invoice of ${company} for the plan ${plan}, ${value}, is due on ${dueDate}.`,
    dueRemark: "If you have paid already, ignore this e-mail.",
    pay: "Pay the invoice",
    paidSubject: (brand: string) => `Payment confirmed - ${brand}`,
    paidText: ({ company, plan, value, dueDate }: InvoiceWords) =>
      `We have received ${value} from ${company} for the plan ${plan}. Your account is active until ${dueDate}.`,
    seeInvoices: "See the invoices",
    lostSubject: (connection: string, brand: string) =>
      `The connection ${connection} is down - ${brand}`,
    lostText: (connection: string, company: string, moment: string) =>
      `The connection ${connection} of ${company} has been disconnected since ${moment}.`,
    lostMeans: "Until it is back, no messages arrive or leave through it.",
    seeConnections: "See the connections",
    lostRemark: "If it is back already, ignore this e-mail.",
    stopWhat: {
      integration: (name: string) => `The integration ${name}`,
      webhook: (name: string) => `The webhook ${name}`,
      prompt: (name: string) => `The AI agent ${name}`,
      aiService: (_name: string) => "The company's AI service",
    },
    stopSubject: (what: string, isOver: boolean, brand: string) =>
      `${what} ${isOver ? "has reached today's limit" : "has stopped"} - ${brand}`,
    stopText: (what: string, company: string, why: string) =>
      `${what} of ${company} has stopped: ${why}`,
    stopWhy: {
      failing: "no delivery has worked for an hour.",
      gone: "the address answered that it is gone (410).",
      tokens: "the day's limit of tokens is used up.",
      sounds: "the day's limit of voice notes is used up.",
      key: "the provider refused the key.",
      credit: "the account at the provider has no credit.",
      address: "the provider's address does not work.",
      model: "the provider does not know the model.",
      rate: "the provider got too many requests.",
      reply: "the provider's reply could not be read.",
      slow: "the provider did not answer in time.",
    },
    stopMeans: {
      integration: "Its events are kept, and are sent once it is resumed.",
      webhook: "Its events are kept, and are sent once it is resumed.",
      prompt: "Until then the menu or people answer the customers.",
      aiService: "Until then it makes no suggestions, summaries, translations or transcripts.",
    },
    stopUntil: "Tomorrow it goes on by itself; raise the limit to have it back earlier.",
    stopOpen: "Open the page",
    stopRemark: "If this is solved already, ignore this e-mail.",
    testSubject: (brand: string) => `E-mail test - ${brand}`,
    testText: (brand: string) => `This is a test: the mail server of ${brand} works.`,
  },
  es: {
    hello: (name: string) => `Hola, ${name}:`,
    deviceSubject: (brand: string) => `Nuevo acceso a tu cuenta - ${brand}`,
    deviceText: (company: string, moment: string) =>
      `Se accedió a tu cuenta de ${company} el ${moment} desde un navegador nuevo para ella:`,
    deviceMeans: "Si fuiste tú, no hay que hacer nada.",
    deviceRemark:
      "Si no fuiste tú, crea una nueva contraseña ahora: eso cierra todas las sesiones. Después avisa a un administrador de tu empresa.",
    setPassword: "Crear la contraseña",
    resetSubject: (brand: string) => `Restablecer la contraseña - ${brand}`,
    resetText: (company: string) =>
      `Usa este código para crear una nueva contraseña en la cuenta de ${company}:`,
    resetUntil: (time: string) => `Vale hasta las ${time} y solo se puede usar una vez.`,
    resetRemark: "Si no lo pediste tú, ignora este correo: tu contraseña sigue igual.",
    invitationSubject: (brand: string) => `Tu acceso a ${brand}`,
    invitationText: (company: string, brand: string) =>
      `${company} creó un acceso para ti en ${brand}. Crea tu contraseña con el código de abajo.`,
    invitationAddress: (address: string) => `Tu correo de acceso: ${address}`,
    invitationUntil: (moment: string) =>
      `El código vale hasta el ${moment} y solo se puede usar una vez.`,
    invitationRemark: "Si no conoces esta empresa, ignora este correo.",
    dueSubject: (brand: string, dueDate: string) => `Tu factura vence el ${dueDate} - ${brand}`,
    dueText: ({ company, plan, value, dueDate }: InvoiceWords) =>
      `La factura de ${company}, plan ${plan}, por ${value}, vence el ${dueDate}.`,
    dueRemark: "Si ya pagaste, ignora este correo.",
    pay: "Pagar la factura",
    paidSubject: (brand: string) => `Pago confirmado - ${brand}`,
    paidText: ({ company, plan, value, dueDate }: InvoiceWords) =>
      `Recibimos el pago de ${value} de ${company}, plan ${plan}. Tu cuenta está activa hasta el ${dueDate}.`,
    seeInvoices: "Ver las facturas",
    lostSubject: (connection: string, brand: string) =>
      `La conexión ${connection} está caída - ${brand}`,
    lostText: (connection: string, company: string, moment: string) =>
      `La conexión ${connection} de ${company} está desconectada desde el ${moment}.`,
    lostMeans: "Mientras tanto, no llegan ni salen mensajes por ella.",
    seeConnections: "Ver las conexiones",
    lostRemark: "Si ya volvió, ignora este correo.",
    stopWhat: {
      integration: (name: string) => `La integración ${name}`,
      webhook: (name: string) => `El webhook ${name}`,
      prompt: (name: string) => `El agente de IA ${name}`,
      aiService: (_name: string) => "El servicio de IA de la empresa",
    },
    stopSubject: (what: string, isOver: boolean, brand: string) =>
      `${what} ${isOver ? "alcanzó el límite de hoy" : "se detuvo"} - ${brand}`,
    stopText: (what: string, company: string, why: string) =>
      `${what}, de ${company}, se detuvo: ${why}`,
    stopWhy: {
      failing: "ninguna entrega funcionó en la última hora.",
      gone: "la dirección respondió que ya no existe (410).",
      tokens: "se usó el límite de tokens del día.",
      sounds: "se usó el límite de audios del día.",
      key: "el proveedor rechazó la clave.",
      credit: "la cuenta en el proveedor no tiene crédito.",
      address: "la dirección del proveedor no funciona.",
      model: "el proveedor no conoce el modelo.",
      rate: "el proveedor recibió demasiadas solicitudes.",
      reply: "no se pudo leer la respuesta del proveedor.",
      slow: "el proveedor no respondió a tiempo.",
    },
    stopMeans: {
      integration: "Los eventos se guardan y se envían cuando se reanude.",
      webhook: "Los eventos se guardan y se envían cuando se reanude.",
      prompt: "Mientras tanto, el menú o las personas atienden a los clientes.",
      aiService: "Mientras tanto, no hace sugerencias, resúmenes, traducciones ni transcripciones.",
    },
    stopUntil: "Mañana vuelve solo; para que vuelva antes, aumenta el límite.",
    stopOpen: "Abrir la página",
    stopRemark: "Si ya está resuelto, ignora este correo.",
    testSubject: (brand: string) => `Prueba de correo - ${brand}`,
    testText: (brand: string) => `Esto es una prueba: el servidor de correo de ${brand} funciona.`,
  },
} as const satisfies Record<SheetLanguage, unknown>;

const locales = { pt: "pt-BR", en: "en-GB", es: "es" } as const;

/** "10:42", or "21/11/2026, 10:42". */
function momentText(
  moment: Date,
  how: { language: SheetLanguage; timeZone: string; withDay: boolean },
): string {
  const { language, timeZone, withDay } = how;
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone } as const;
  const day = { day: "2-digit", month: "2-digit", year: "numeric" } as const;
  const style = withDay ? { ...day, ...time } : time;
  return new Intl.DateTimeFormat(locales[language], style).format(moment);
}

function moneyText(cents: number, language: SheetLanguage): string {
  const style = { style: "currency", currency: "BRL" } as const;
  return new Intl.NumberFormat(locales[language], style).format(cents / 100);
}

function toText(parts: readonly Part[], brand: string): string {
  const lines = parts.map((part) =>
    part.kind === "button" ? `${part.text}: ${part.url}` : part.text,
  );
  return `${[...lines, `-- \n${brand}`].join("\n\n")}\n`;
}

// Tables and styles on each element: programs for e-mail leave out style sheets. In the dark they invert plain colours; what has
// a ground of its own names both, so that it can be read either way.
const font = "font-family:Inter,Segoe UI,Helvetica,Arial,sans-serif";

function toHtml(subject: string, parts: readonly Part[], frame: MailFrame): string {
  const { brand, color, language } = frame;
  const rows = parts.map(
    (part) => `<tr><td style="padding:0 0 20px">${partHtml(part, color)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="${locales[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0;padding:0">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:480px;${font};font-size:16px;line-height:24px">
<tr><td style="padding:0 0 24px;font-size:18px;font-weight:700">${escapeHtml(brand)}</td></tr>
${rows.join("\n")}
</table>
</td></tr>
</table>
</body>
</html>
`;
}

function partHtml(part: Part, color: string): string {
  const text = escapeHtml(part.text);
  switch (part.kind) {
    case "text":
      return text;
    case "code":
      return `<span style="display:inline-block;padding:12px 20px;border:1px solid #8a948f;border-radius:8px;font-family:Consolas,Menlo,monospace;font-size:24px;line-height:32px;letter-spacing:3px;font-weight:700">${text}</span>`;
    case "button":
      return `<a href="${escapeHtml(part.url)}" style="display:inline-block;padding:12px 24px;border-radius:8px;background-color:${color};color:#ffffff;font-weight:600;text-decoration:none">${text}</a>`;
    case "remark":
      return `<span style="font-size:14px;line-height:20px;opacity:0.75">${text}</span>`;
  }
}
