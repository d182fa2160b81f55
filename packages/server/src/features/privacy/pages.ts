import type { HeldKind, PersonFile, RemainingKind } from "@balcao/contract";
import { heldKinds } from "@balcao/contract";
import { isValid } from "date-fns/isValid";
import { parseISO } from "date-fns/parseISO";
import { escapeHtml } from "../../platform/http/page.ts";
import type { ErasureRow } from "./records.ts";

export type PageLanguage = "pt" | "en" | "es";

const words = {
  pt: {
    locale: "pt-BR",
    certificate: "Certificado de eliminação de dados pessoais",
    number: "Número do certificado",
    begun: "Pedido em",
    ended: "Concluído em",
    by: "Solicitado por",
    company: "Empresa",
    law: "Os dados de uma pessoa foram eliminados deste sistema a pedido da empresa (LGPD, art. 18, VI). Este certificado não traz nome nem número dela. A empresa reconhece a pessoa por um código que só este sistema consegue conferir.",
    code: "Código de reconhecimento",
    removed: "O que foi eliminado",
    stays: "O que permanece, e até quando",
    kinds: {
      ...{
        tickets: "Atendimentos (conversas)",
        messages: "Mensagens",
        files: "Arquivos",
        notes: "Notas internas",
      },
      ...{
        drafts: "Rascunhos",
        schedules: "Mensagens agendadas",
        campaigns: "Envios de campanhas",
      },
      ...{
        lists: "Entradas em listas",
        imports: "Linhas de planilhas",
        phoneBook: "Entradas de agendas e consultas de números",
      },
      ...{
        helpers: "Registros de agentes de IA e bots",
        deliveries: "Entregas a outros programas",
        ratings: "Avaliações",
      },
      ...{ history: "Histórico do contato", contact: "Contato, identidades e dados adicionais" },
      ...{
        audit: "Registros de auditoria com o nome trocado",
        channel: "Registros internos dos canais",
      },
    },
    remaining: {
      attendances: (n: number) =>
        `${n} ciclos de atendimento com suas avaliações, como números das estatísticas: datas, fila, atendente e nota, sem ligação com a pessoa.`,
      mentions: (n: number) =>
        `${n} textos de outras conversas ou da equipe que citam a pessoa. São palavras de outras pessoas.`,
      sharedFiles: (n: number) => `${n} arquivos que também estão em conversas de outras pessoas.`,
      backups: (n: number) =>
        n === 0
          ? "Este sistema não faz cópias de segurança por conta própria. Cópias feitas à mão contêm os dados até serem apagadas."
          : `Cópias de segurança feitas antes da conclusão contêm os dados até serem substituídas: são guardadas as ${n} mais recentes. Uma cópia restaurada repete esta eliminação.`,
    },
    always: [
      "Notas fiscais, faturas e outros documentos que a lei manda guardar não são dados desta pessoa neste sistema.",
      "O aplicativo de mensagens no celular da empresa guarda o que estiver nele: apague lá também.",
      "Chaves de criptografia de grupos do celular vinculado, cifradas, até que ele seja desvinculado.",
      "Exportações da empresa inteira feitas antes são apagadas deste sistema em um dia. Arquivos que pessoas baixaram ficam com quem os baixou.",
      "Navegadores da equipe guardam as últimas conversas, cifradas, por até três dias sem conexão; depois, ou ao sair da conta, elas somem.",
    ],
    person: "Dados pessoais",
    madeAt: "Gerado em",
    officer: "Encarregado de dados (DPO)",
    conversations: "Conversas",
    them: "Pessoa",
    us: "Empresa",
    others: "Outros dados",
  },
  en: {
    locale: "en-GB",
    certificate: "Certificate of the erasure of personal data",
    number: "Certificate number",
    begun: "Requested at",
    ended: "Completed at",
    by: "Requested by",
    company: "Company",
    law: "A person's data were erased from this system at the company's request (LGPD, art. 18, VI). This certificate has neither name nor number. The company recognises the person by a code that this system alone can check.",
    code: "Recognition code",
    removed: "Data that were erased",
    stays: "Data that stay, and until when",
    kinds: {
      ...{
        tickets: "Conversations",
        messages: "Messages",
        files: "Files",
        notes: "Internal notes",
      },
      ...{ drafts: "Drafts", schedules: "Scheduled messages", campaigns: "Campaign sends" },
      ...{
        lists: "Entries of lists",
        imports: "Rows of spreadsheets",
        phoneBook: "Entries of address books and number checks",
      },
      ...{
        helpers: "Records of AI agents and bots",
        deliveries: "Deliveries to other programs",
        ratings: "Ratings",
      },
      ...{ history: "History of the contact", contact: "Contact, identities and additional data" },
      ...{
        audit: "Audit records with the name replaced",
        channel: "Internal records of the channels",
      },
    },
    remaining: {
      attendances: (n: number) =>
        `${n} service cycles with their ratings, as figures of the statistics: dates, queue, agent and mark, without a link to the person.`,
      mentions: (n: number) =>
        `${n} texts of other conversations or of the team that mention the person. They are other people's words.`,
      sharedFiles: (n: number) => `${n} files that are in other people's conversations too.`,
      backups: (n: number) =>
        n === 0
          ? "This system makes no backups by itself. Backups made by hand hold the data until they are deleted."
          : `Backups made before the completion hold the data until they are replaced: the newest ${n} are kept. A restored backup repeats this erasure.`,
    },
    always: [
      "Invoices and other documents that the law demands to be kept are not data of this person in this system.",
      "The messaging app on the company's phone keeps its own copy: delete it there as well.",
      "Encryption keys of groups of the linked phone, sealed, until it is unlinked.",
      "Exports of the whole company that were made before are deleted from this system within a day. Files that people have downloaded stay with them.",
      "Browsers of the team keep the last conversations, encrypted, for up to three days without a connection; then, or at sign-out, they are gone.",
    ],
    person: "Personal data",
    madeAt: "Made at",
    officer: "Data protection officer",
    conversations: "Conversations",
    them: "Person",
    us: "Company",
    others: "Other data",
  },
  es: {
    locale: "es",
    certificate: "Certificado de eliminación de datos personales",
    number: "Número del certificado",
    begun: "Solicitado el",
    ended: "Concluido el",
    by: "Solicitado por",
    company: "Empresa",
    law: "Los datos de una persona fueron eliminados de este sistema a pedido de la empresa (LGPD, art. 18, VI). Este certificado no lleva nombre ni número. La empresa reconoce a la persona por un código que solo este sistema puede comprobar.",
    code: "Código de reconocimiento",
    removed: "Lo que fue eliminado",
    stays: "Lo que permanece, y hasta cuándo",
    kinds: {
      ...{
        tickets: "Conversaciones",
        messages: "Mensajes",
        files: "Archivos",
        notes: "Notas internas",
      },
      ...{
        drafts: "Borradores",
        schedules: "Mensajes programados",
        campaigns: "Envíos de campañas",
      },
      ...{
        lists: "Entradas en listas",
        imports: "Filas de planillas",
        phoneBook: "Entradas de agendas y consultas de números",
      },
      ...{
        helpers: "Registros de agentes de IA y bots",
        deliveries: "Entregas a otros programas",
        ratings: "Calificaciones",
      },
      ...{
        history: "Historial del contacto",
        contact: "Contacto, identidades y datos adicionales",
      },
      ...{
        audit: "Registros de auditoría con el nombre cambiado",
        channel: "Registros internos de los canales",
      },
    },
    remaining: {
      attendances: (n: number) =>
        `${n} ciclos de servicio con sus calificaciones, como números de las estadísticas: fechas, cola, agente y nota, sin relación con la persona.`,
      mentions: (n: number) =>
        `${n} textos de otras conversaciones o del equipo que mencionan a la persona. Son palabras de otras personas.`,
      sharedFiles: (n: number) =>
        `${n} archivos que también están en conversaciones de otras personas.`,
      backups: (n: number) =>
        n === 0
          ? "Este sistema no hace copias de seguridad por sí mismo. Las hechas a mano contienen los datos hasta que se borren."
          : `Las copias de seguridad hechas antes de concluir contienen los datos hasta que se reemplacen: se guardan las ${n} más recientes. Una copia restaurada repite esta eliminación.`,
    },
    always: [
      "Las facturas y otros documentos que la ley manda guardar no son datos de esta persona en este sistema.",
      "La aplicación de mensajes del teléfono de la empresa guarda su propia copia: bórrela allí también.",
      "Claves de cifrado de grupos del teléfono vinculado, selladas, hasta que se desvincule.",
      "Las exportaciones de toda la empresa hechas antes se borran de este sistema en un día. Los archivos que alguien descargó quedan con esa persona.",
      "Los navegadores del equipo guardan las últimas conversaciones, cifradas, hasta tres días sin conexión; después, o al cerrar la sesión, desaparecen.",
    ],
    person: "Datos personales",
    madeAt: "Generado el",
    officer: "Delegado de protección de datos (DPO)",
    conversations: "Conversaciones",
    them: "Persona",
    us: "Empresa",
    others: "Otros datos",
  },
} as const satisfies Record<PageLanguage, object>;

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;color:#111;background:#fff;overflow-wrap:anywhere}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #ccc;vertical-align:top}th{overflow-wrap:normal}td.n{text-align:right}
small{color:#555}pre{white-space:pre-wrap;font:inherit;margin:0}@media print{body{margin:0;max-width:none}h2{break-after:avoid}tr{break-inside:avoid}}`;

const pageHead = (language: PageLanguage, title: string): string =>
  `<!doctype html><html lang="${words[language].locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'">` +
  `<title>${escapeHtml(title)}</title><style>${style}</style></head><body><h1>${escapeHtml(title)}</h1>`;
const pageEnd = "</body></html>\n";

const fact = (name: string, value: string): string =>
  `<tr><th>${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`;

const momentOf = (language: PageLanguage, at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat(words[language].locale, {
    ...{ dateStyle: "long", timeStyle: "medium", timeZone },
  }).format(at);

/** The certificate as a page without scripts. It names the company and who asked, never the person. */
export function certificatePage(
  language: PageLanguage,
  row: ErasureRow,
  company: { name: string; timeZone: string },
): string {
  const w = words[language];
  const removed = heldKinds.flatMap((kind: HeldKind) => {
    const count = row.counts[kind] ?? 0;
    return count === 0
      ? []
      : [`<tr><td>${escapeHtml(w.kinds[kind])}</td><td class="n">${count}</td></tr>`];
  });
  const { remains } = row;
  const stays = (["attendances", "mentions", "sharedFiles", "backups"] as const).flatMap(
    (kind: RemainingKind) => {
      const count = remains[kind] ?? 0;
      return count > 0 || kind === "backups" ? [w.remaining[kind](count)] : [];
    },
  );
  return [
    pageHead(language, w.certificate),
    `<p>${escapeHtml(w.law)}</p><table>`,
    fact(w.number, row.id),
    fact(w.company, company.name),
    fact(w.by, row.requesterName),
    fact(w.begun, momentOf(language, row.createdAt, company.timeZone)),
    row.endedAt ? fact(w.ended, momentOf(language, row.endedAt, company.timeZone)) : "",
    ...row.hashes.map((hash) => fact(w.code, hash)),
    `</table><h2>${escapeHtml(w.removed)}</h2><table>${removed.join("")}</table>`,
    `<h2>${escapeHtml(w.stays)}</h2><ul>`,
    ...[...stays, ...w.always].map((line) => `<li>${escapeHtml(line)}</li>`),
    "</ul>",
    pageEnd,
  ].join("");
}

type Row = Record<string, unknown>;
const textOf = (value: unknown): string => {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
};

/** The readable form of an export: the conversations in order with their files, then every other row. */
export function* personPage(
  language: PageLanguage,
  file: PersonFile,
  timeZone: string,
): Generator<string> {
  const w = words[language];
  const { tables, files } = file;
  const at = (value: unknown) => {
    const moment = parseISO(textOf(value));
    return isValid(moment) ? momentOf(language, moment, timeZone) : "";
  };
  yield pageHead(language, w.person);
  yield `<table>${fact(w.company, file.company.name)}${fact(w.madeAt, at(file.createdAt))}`;
  const officer = [file.officer.name, file.officer.email, file.officer.phone].filter(Boolean);
  yield `${officer.length > 0 ? fact(w.officer, officer.join(", ")) : ""}</table>`;
  yield* table(tables["contacts"] ?? []);
  yield `<h2>${escapeHtml(w.conversations)}</h2><table>`;
  const media = new Map((tables["message_media"] ?? []).map((row) => [row["message_id"], row]));
  for (const message of tables["messages"] ?? []) {
    const found = media.get(message["id"]);
    const path = found && files[textOf(found["file_key"])];
    yield `<tr><td><small>${escapeHtml(at(message["created_at"]))}<br>${escapeHtml(message["from_me"] === true ? w.us : w.them)}</small></td><td><pre>${escapeHtml(textOf(message["body"]))}</pre>`;
    if (path) yield shown(path, textOf(found["kind"]), textOf(found["name"]));
    const transcript = found ? textOf(found["transcript"]) : "";
    if (transcript !== "") yield `<pre><small>${escapeHtml(transcript)}</small></pre>`;
    yield "</td></tr>";
  }
  yield `</table><h2>${escapeHtml(w.others)}</h2>`;
  for (const [name, rows] of Object.entries(tables)) {
    if (rows.length === 0 || ["contacts", "messages"].includes(name)) continue;
    yield `<h3>${escapeHtml(name)}</h3>`;
    yield* table(rows);
  }
  yield pageEnd;
}

function shown(path: string, kind: string, name: string): string {
  const address = escapeHtml(path);
  if (kind === "image" || kind === "sticker")
    return `<img src="${address}" alt="${escapeHtml(name)}" style="max-width:100%;max-height:20rem">`;
  return `<a href="${address}">${escapeHtml(name)}</a>`;
}

function* table(rows: readonly Row[]): Generator<string> {
  for (const row of rows) {
    const filled = Object.entries(row).filter(([, value]) => textOf(value) !== "");
    yield `<table>${filled.map(([name, value]) => fact(name, textOf(value))).join("")}</table><br>`;
  }
}
