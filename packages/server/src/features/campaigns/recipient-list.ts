import type {
  CampaignId,
  CampaignRecipient,
  InputOf,
  ReplyOf,
  SentFile,
  SheetLanguage,
} from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { findRecord, readPage, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import { campaigns, normalNumber } from "../../platform/db/schema/index.ts";
import type { SheetPages } from "../../platform/spreadsheets/write.ts";
import { writeSheet } from "../../platform/spreadsheets/write.ts";
import { searchedDigits } from "../contacts/index.ts";
import type { CampaignRow } from "./campaign.ts";
import { NO_CAMPAIGN } from "./campaign.ts";
import { writtenTexts } from "./texts.ts";

type Filter = { searchParam: string; status?: CampaignRecipient["status"] | undefined };

/** One page of a campaign's people. "delivered" are those on the phone, read or not, as the numbers of the report count them. */
export async function listRecipients(
  { db }: { db: Database },
  ctx: UserCtx,
  id: CampaignId,
  { pageNumber, ...filter }: InputOf<"GET /campaigns/:campaignId/recipients">["query"],
): Promise<ReplyOf<"GET /campaigns/:campaignId/recipients">> {
  return db.transaction(ctx, async (tx) => {
    const campaign = await findRecord(ctx, tx, campaigns, id, NO_CAMPAIGN);
    const { rows, ...totals } = await readPage(
      pageNumber,
      pageSizes.campaignRecipients,
      (limit, offset) =>
        tx.query<ListedRow>(listStatement, [...filterValues(ctx, campaign, filter), limit, offset]),
    );
    return { records: rows.map(toRecipient), ...totals };
  });
}

type ListedRow = Omit<CampaignRecipient, "at" | "answeredAt" | "leftAt"> & {
  at: Date;
  answeredAt: Date | null;
  leftAt: Date | null;
  total: number;
};

function toRecipient({
  total: _total,
  at,
  answeredAt,
  leftAt,
  ...row
}: ListedRow): CampaignRecipient {
  return {
    ...row,
    at: toIso(at),
    answeredAt: toIsoOrNull(answeredAt),
    leftAt: toIsoOrNull(leftAt),
  };
}

function filterValues(
  { companyId }: UserCtx,
  campaign: CampaignRow,
  { searchParam, status }: Filter,
): unknown[] {
  const texts = campaign.template === null ? writtenTexts(campaign.messages).length : 1;
  const digits = searchedDigits(searchParam);
  return [companyId, campaign.id, searchParam, digits, status ?? null, Math.max(1, texts)];
}

/** People that are read at once for a spreadsheet. */
const EXPORTED_AT_ONCE = 2_000;

/** The campaign's people by their place, read page by page while the file is fetched. */
export async function exportRecipients(
  { db }: { db: Database },
  ctx: UserCtx,
  id: CampaignId,
  { format, language, ...filter }: InputOf<"POST /campaigns/:campaignId/export">["body"],
): Promise<SentFile> {
  const campaign = await db.transaction(ctx, (tx) =>
    findRecord(ctx, tx, campaigns, id, NO_CAMPAIGN),
  );
  const words = titles[language];
  const pages = async function* (): SheetPages {
    yield [words.columns];
    let last = -1;
    do {
      const values = [...filterValues(ctx, campaign, filter), last, EXPORTED_AT_ONCE];
      const rows = await db.transaction(ctx, (tx) => tx.query<Exported>(exportStatement, values));
      yield rows.map((row) => [
        ...[row.name, row.number, row.email, `${row.textNumber}`, words.statuses[row.status]],
        ...[row.errorCode, row.changed, row.sent, row.delivered, row.read, row.answered],
      ]);
      last = rows.length < EXPORTED_AT_ONCE ? -1 : (rows.at(-1)?.position ?? -1);
    } while (last >= 0);
  };
  return writeSheet(campaign.name, format, pages());
}

type Exported = Record<"name" | "number" | "email" | "errorCode" | "changed", string> &
  Record<"sent" | "delivered" | "read" | "answered", string> & {
    status: CampaignRecipient["status"];
    textNumber: number;
    position: number;
  };

type Words = {
  columns: readonly string[];
  statuses: Record<CampaignRecipient["status"], string>;
};

const titles: Record<SheetLanguage, Words> = {
  pt: {
    columns: [
      ...["nome", "número", "e-mail", "mensagem", "situação", "motivo", "mudou em"],
      ...["enviada em", "entregue em", "lida em", "respondeu em"],
    ],
    statuses: {
      ...{ waiting: "aguardando", asked: "confirmação pedida", sending: "enviando" },
      ...{ sent: "enviada", delivered: "entregue", read: "lida", failed: "falha" },
      ...{ invalid: "inválida: sem WhatsApp", notConfirmed: "não confirmada" },
      ...{ optedOut: "saiu", removed: "saiu da lista" },
    },
  },
  en: {
    columns: [
      ...["name", "number", "email", "message", "status", "reason", "changed"],
      ...["sent", "delivered", "read", "answered"],
    ],
    statuses: {
      ...{ waiting: "waiting", asked: "confirmation asked", sending: "sending" },
      ...{ sent: "sent", delivered: "delivered", read: "read", failed: "failed" },
      ...{ invalid: "invalid: not on WhatsApp", notConfirmed: "not confirmed" },
      ...{ optedOut: "opted out", removed: "off the list" },
    },
  },
  es: {
    columns: [
      ...["nombre", "número", "correo", "mensaje", "estado", "motivo", "cambió"],
      ...["enviado", "entregado", "leído", "respondió"],
    ],
    statuses: {
      ...{ waiting: "en espera", asked: "confirmación pedida", sending: "enviando" },
      ...{ sent: "enviado", delivered: "entregado", read: "leído", failed: "falló" },
      ...{ invalid: "inválido: sin WhatsApp", notConfirmed: "no confirmado" },
      ...{ optedOut: "se dio de baja", removed: "fuera de la lista" },
    },
  },
};

const filtered = `
r.company_id = $1 and r.campaign_id = $2
  and ($3 = '' or position(f_norm($3) in f_norm(r.name)) > 0 or ($4 <> '' and (
    position($4 in r.number) > 0 or position(${normalNumber("$4")} in r.number_normal) > 0)))
  and ($5::text is null or r.status = $5::text or $5::text = 'delivered' and r.status = 'read')`;

const listStatement = {
  name: "campaigns.list-recipients",
  text: `
select r.id, r.name, r.number, r.position % $6::int + 1 as "textNumber", r.status, r.error_code as "errorCode", r.changed_at as at,
  r.confirmed_at is not null as "isConfirmed", r.answered_at as "answeredAt", r.left_at as "leftAt", r.ticket_id as "ticketId",
  (count(*) over ())::int as total
from campaign_recipients r
where ${filtered}
order by r.changed_at desc, r.id desc limit $7 offset $8`,
};

const localTime = (moment: string): string =>
  `coalesce(to_char(${moment} at time zone z.time_zone, 'DD/MM/YYYY HH24:MI'), '')`;

const exportStatement = {
  name: "campaigns.export-recipients",
  text: `
select r.position, r.name, r.number, r.email, r.position % $6::int + 1 as "textNumber", r.status, coalesce(r.error_code, '') as "errorCode",
  ${localTime("r.changed_at")} as changed, ${localTime("r.sent_at")} as sent, ${localTime("r.delivered_at")} as delivered,
  ${localTime("r.read_at")} as read, ${localTime("r.answered_at")} as answered
from campaign_recipients r join companies z on z.id = $1
where ${filtered} and r.position > $7::int
order by r.position limit $8`,
};
