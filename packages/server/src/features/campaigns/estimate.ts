import type {
  CampaignBody,
  CampaignEstimate,
  ConnectionId,
  DayLimit,
  InputOf,
  ReplyOf,
  SendingRules,
} from "@balcao/contract";
import { forecast, limitOn, warmUpSteps } from "@balcao/contract";
import { addDays } from "date-fns/addDays";
import { differenceInCalendarDays } from "date-fns/differenceInCalendarDays";
import { formatISO } from "date-fns/formatISO";
import { parseISO } from "date-fns/parseISO";
import type { UserCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { holdReferences, requireRow, toIso } from "../../platform/db/records.ts";
import { connections, contactLists, tags } from "../../platform/db/schema/index.ts";
import { audience, hasWritten } from "./audience.ts";
import { requireFileList, scheduledAtOf } from "./editing.ts";
import type { LineRow } from "./line-settings.ts";
import { readLines, sentToday } from "./line-settings.ts";
import type { ReadingDeps } from "./reading.ts";
import { isOfficial, limitOfLine, readRules, readSettings, today } from "./settings.ts";
import type { PersonTexts } from "./texts.ts";
import { renderTemplate, renderText, writtenTexts } from "./texts.ts";

type Audience = Pick<CampaignBody, "contactListId" | "tagListId">;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Costs below this are not worth a line. */
const LEAST_COST_HOURS = 0.1;
/** What does not end within a year ends later than this. */
const YEAR_MS = 366 * DAY_MS;

/** What a campaign would do if it had its connection to itself. */
export async function estimateCampaign(
  deps: ReadingDeps,
  ctx: UserCtx,
  body: InputOf<"POST /campaigns/estimate">["body"],
): Promise<CampaignEstimate> {
  const { people, rules, lines, settings, startsAt } = await deps.db.transaction(
    ctx,
    async (tx) => {
      await holdAudience(ctx, tx, body);
      const wanted = body.whatsappId === null ? [] : [body.whatsappId];
      await holdReferences(ctx, tx, connections, wanted, "ERR_NO_WAPP_FOUND");
      await requireFileList(ctx, tx, body.fileListId);
      const now = deps.clock.now();
      const at = await scheduledAtOf(ctx, tx, body.scheduledAt);
      const found = await readSettings(ctx, tx);
      const values = [ctx.companyId, body.contactListId, body.tagListId, now];
      return {
        startsAt: at === null || at < now ? now : at,
        settings: found,
        rules: await readRules(ctx, tx, found),
        lines: await readLines(ctx, tx, null),
        people: requireRow(await tx.query<People>(peopleStatement, values)),
      };
    },
  );
  const line = lines.find(({ id, isDefault }) =>
    body.whatsappId === null ? isDefault : id === body.whatsappId,
  );
  const { known, total } = people;
  const end = (given: SendingRules, of: LineRow | undefined, isLimited = true) =>
    forecast(given, {
      from: startsAt,
      people: { new: total - known, known },
      place: 0,
      sentToday: of ? sentToday(of, today(rules, startsAt)) : { new: 0, known: 0 },
      limitOn: (day) => (of && isLimited ? limitOfLine(of, settings, day) : noLimit),
    });
  const { days, endsAt } = end(rules, line);
  const endMs = endsAt?.getTime() ?? startsAt.getTime() + YEAR_MS;
  const cost = (kind: CampaignEstimate["limits"][number]["kind"], without: Date | null) => {
    const ms = endMs - (without?.getTime() ?? endMs);
    return { kind, costsHours: Math.round((ms / HOUR_MS) * 10) / 10 };
  };
  const limits = [
    cost("limit", end(rules, line, false).endsAt),
    cost("hours", end({ ...rules, hours: null }, line).endsAt),
    cost("holidays", end({ ...rules, holidays: null }, line).endsAt),
    cost("pace", end({ ...rules, messageInterval: 0, longerIntervalAfter: 0 }, line).endsAt),
  ];
  const others = lines.filter(
    (one) =>
      line !== undefined &&
      one.id !== line.id &&
      one.connectionStatus === "CONNECTED" &&
      isOfficial(one) === isOfficial(line),
  );
  return {
    people,
    startsAt: toIso(startsAt),
    endsAt: endsAt === null ? null : toIso(endsAt),
    days,
    limits: limits
      .filter(({ costsHours }) => costsHours >= LEAST_COST_HOURS)
      .toSorted((one, other) => other.costsHours - one.costsHours),
    limit: line
      ? limitFrom(line, limitOfLine(line, settings, today(rules, startsAt)), today(rules, startsAt))
      : null,
    faster: fastest(others, (one) => end(rules, one).endsAt, endMs),
  };
}

const noLimit: DayLimit = { new: null, known: null };

type People = CampaignEstimate["people"];

/** The limit of the day on which it starts, and when it grows. */
function limitFrom(line: LineRow, limit: DayLimit, day: string): CampaignEstimate["limit"] {
  if (limit.new === null) return null;
  if (isOfficial(line) || line.fixedLimit !== null) {
    return { perDay: limit.new, inUseDays: null, next: null };
  }
  const inUseDays = Math.max(0, differenceInCalendarDays(parseISO(day), parseISO(line.inUseSince)));
  const step = warmUpSteps.find(({ fromDay }) => fromDay > inUseDays);
  const from =
    step && formatISO(addDays(parseISO(line.inUseSince), step.fromDay), { representation: "date" });
  return {
    perDay: limit.new,
    inUseDays,
    next: from === undefined ? null : { day: from, perDay: limitOn(from, line).new },
  };
}

/** The connection on which it ends soonest, if that is a day sooner or more. */
function fastest(
  lines: readonly LineRow[],
  endOn: (line: LineRow) => Date | null,
  endMs: number,
): CampaignEstimate["faster"] {
  const ends = lines.flatMap(({ id, name, ...line }) => {
    const at = endOn({ id, name, ...line });
    return at === null ? [] : [{ id, name, at }];
  });
  const [best] = ends.toSorted((one, other) => one.at.getTime() - other.at.getTime());
  if (!best || endMs - best.at.getTime() < DAY_MS) return null;
  const id: ConnectionId = best.id;
  return { id, name: best.name, endsAt: toIso(best.at) };
}

async function holdAudience(
  ctx: UserCtx,
  tx: Tx,
  { contactListId, tagListId }: Audience,
): Promise<void> {
  const ids = <T>(id: T | null): T[] => (id === null ? [] : [id]);
  await holdReferences(ctx, tx, tags, ids(tagListId), "ERR_NO_TAG_FOUND");
  // The list of a tag is made when the campaign is saved.
  if (tagListId !== null) return;
  await holdReferences(ctx, tx, contactLists, ids(contactListId), "ERR_NO_CONTACTLIST_FOUND");
}

/** Stands for a person where there is none. */
export const samplePerson: PersonTexts = {
  ...{ name: "Cliente de exemplo", number: "5511999990000", email: "cliente@exemplo.com" },
};

/** The texts as one person gets them; beyond the last person it begins again. Of a template its parameters, as JSON. */
export async function previewCampaign(
  deps: ReadingDeps,
  ctx: UserCtx,
  body: InputOf<"POST /campaigns/preview">["body"],
): Promise<ReplyOf<"POST /campaigns/preview">> {
  return deps.db.transaction(ctx, async (tx) => {
    await holdAudience(ctx, tx, body);
    const { variables } = await readSettings(ctx, tx);
    const found = await findPerson(ctx, tx, body, body.position, deps.clock.now());
    const { position, total, person } = found;
    const written = writtenTexts([
      ...[body.message1, body.message2, body.message3, body.message4, body.message5],
    ]);
    const asked = writtenTexts([
      ...[body.confirmationMessage1, body.confirmationMessage2, body.confirmationMessage3],
      ...[body.confirmationMessage4, body.confirmationMessage5],
    ]);
    const shown = person ?? samplePerson;
    const inTurn = (texts: readonly string[]): string =>
      renderText(texts[position % Math.max(1, texts.length)] ?? "", variables, shown);
    const { template } = body;
    return {
      ...{ person, position, total },
      textNumber: template === null ? (position % Math.max(1, written.length)) + 1 : 1,
      message: template === null ? inTurn(written) : "",
      confirmation: body.confirmation ? inTurn(asked) : null,
      template: template === null ? null : renderTemplate(template, variables, shown),
    };
  });
}

type Found = { person: PersonTexts | null; position: number; total: number };

/** The person of the audience at a place, which begins again after the last. */
export async function findPerson(
  { companyId }: UserCtx,
  tx: Tx,
  { contactListId, tagListId }: Audience,
  place: number,
  now: Date,
): Promise<Found> {
  const values = [companyId, contactListId, tagListId, now, place];
  type Row = PersonTexts & { position: number; total: number };
  const [row] = await tx.query<Row>(personStatement, values);
  if (!row) return { person: null, position: place, total: 0 };
  const { position, total, ...person } = row;
  return { person, position, total };
}

const countOf = (condition: string): string => `count(*) filter (where ${condition})::int`;

const peopleStatement = {
  name: "campaigns.estimate-people",
  text: `
with ${audience}
select count(*)::int as listed, ${countOf("left_out = 'invalid'")} as invalid, ${countOf("left_out = 'optedOut'")} as "optedOut",
  ${countOf("left_out = 'repeated'")} as repeated, ${countOf("left_out is null")} as total,
  ${countOf(`left_out is null and ${hasWritten("contact_id")}`)} as known, ${countOf("left_out is null and checked_at is null")} as unchecked,
  ${countOf("left_out is null and trim(name) = ''")} as unnamed
from audience`,
};

const personStatement = {
  name: "campaigns.preview-person",
  text: `
with ${audience}, wanted as materialized (select count(*)::int as total from audience where left_out is null)
select a.name, a.number, a.email, a.place as position, w.total
from wanted w join audience a on a.left_out is null and a.place = $5::int % w.total where w.total > 0`,
};
