import type { Campaign, CampaignBody, CampaignId, FileListId, TagId } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { and, eq } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  hasId,
  holdReferences,
  lockRecord,
  requireRow,
  timeZoneOf,
} from "../../platform/db/records.ts";
import {
  campaigns,
  connections,
  contactLists,
  fileLists,
  queues,
  tags,
} from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { AddressedRealtime, Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import { saveFailedList, saveTagList } from "../contact-lists/index.ts";
import type { IncomingFile, MediaFiles, StoredFile } from "../media/index.ts";
import { attachFile, detachFile } from "../media/index.ts";
import { instantOf } from "../schedules/index.ts";
import type { CampaignRow } from "./campaign.ts";
import { isEditable, NO_CAMPAIGN, tellCampaign } from "./campaign.ts";
import { lastingFailures } from "./recipients.ts";
import { requireReady } from "./readiness.ts";

export type EditingDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime & AddressedRealtime;
  domainEvents: DomainEvents;
  media: Pick<MediaFiles, "storeFiles" | "removeUnused" | "signedPath">;
};

export async function createCampaign(
  deps: EditingDeps,
  ctx: UserCtx,
  body: CampaignBody,
): Promise<Campaign> {
  const name = requireName(body.name);
  const { companyId, actor } = ctx;
  return deps.db.transaction(ctx, async (tx) => {
    const now = deps.clock.now();
    const values = await valuesOf(deps, ctx, tx, { ...body, name }, null);
    const isPlanned = values.scheduledAt !== null && !body.isDraft;
    if (isPlanned) await requirePlannable(ctx, tx, values, now);
    const status = isPlanned ? "PROGRAMADA" : "INATIVA";
    const rows = await tx.orm
      .insert(campaigns)
      .values({
        ...values,
        companyId,
        status,
        createdBy: actor.userId,
        createdAt: now,
        updatedAt: now,
      })
      .returning({ id: campaigns.id });
    const { id } = requireRow(rows);
    if (isPlanned) await deps.domainEvents.publish(tx, ctx, "campaign.planned", { campaignId: id });
    return tellCampaign(deps, ctx, tx, id, "create");
  });
}

/** One that was cancelled stays so; the others are planned while they have a date (behaviour 5.2). */
export async function updateCampaign(
  deps: EditingDeps,
  ctx: UserCtx,
  id: CampaignId,
  body: CampaignBody,
): Promise<Campaign> {
  const name = requireName(body.name);
  return deps.db.transaction(ctx, async (tx) => {
    const before = await lockEditable(deps, ctx, tx, id);
    const values = await valuesOf(deps, ctx, tx, { ...body, name }, before);
    const now = deps.clock.now();
    const isCancelled = before.status === "CANCELADA";
    const isPlanned = !isCancelled && values.scheduledAt !== null && !body.isDraft;
    if (isPlanned) await requirePlannable(ctx, tx, values, now);
    const status = isCancelled ? before.status : isPlanned ? "PROGRAMADA" : "INATIVA";
    await tx.orm
      .update(campaigns)
      .set({ ...values, status, updatedAt: now })
      .where(hasId(ctx, campaigns, id));
    await deps.domainEvents.publish(tx, ctx, "campaign.planned", { campaignId: id });
    return tellCampaign(deps, ctx, tx, id);
  });
}

/** Hides it: its messages and recipients stay, so that who answers later can still leave. */
export async function removeCampaign(
  deps: EditingDeps,
  ctx: UserCtx,
  id: CampaignId,
): Promise<void> {
  const { companyId } = ctx;
  const fileKey = await deps.db.transaction(ctx, async (tx) => {
    const campaign = await lockRecord(ctx, tx, campaigns, id, NO_CAMPAIGN);
    if (campaign.status === "EM_ANDAMENTO") throw new DomainError("ERR_CAMPAIGN_RUNNING");
    await tx.orm
      .update(campaigns)
      .set({ deletedAt: deps.clock.now(), fileKey: null })
      .where(hasId(ctx, campaigns, id));
    tx.onCommit(() =>
      deps.realtime.publish(companyId, "campaign", { action: "delete", id, record: { id } }, [
        rooms.main(companyId),
      ]),
    );
    return campaign.fileKey;
  });
  if (fileKey !== null) await deps.media.removeUnused(companyId, [fileKey]);
}

/** Checks whether the campaign can change before a file is stored. */
export async function attachMedia(
  deps: EditingDeps,
  ctx: UserCtx,
  id: CampaignId,
  incoming: AsyncIterable<IncomingFile>,
): Promise<void> {
  await deps.db.transaction(ctx, (tx) => lockEditable(deps, ctx, tx, id));
  await attachFile(deps.media, ctx, incoming, "any", (file) => saveFile(deps, ctx, id, file));
}

export async function detachMedia(deps: EditingDeps, ctx: UserCtx, id: CampaignId): Promise<void> {
  await detachFile(deps.media, ctx, (file) => saveFile(deps, ctx, id, file));
}

/** Returns the former file of the campaign. */
async function saveFile(
  deps: EditingDeps,
  ctx: UserCtx,
  id: CampaignId,
  file: StoredFile | null,
): Promise<string | null> {
  return deps.db.transaction(ctx, async (tx) => {
    const { fileKey } = await lockEditable(deps, ctx, tx, id);
    await tx.orm
      .update(campaigns)
      .set({
        fileKey: file?.key ?? null,
        fileName: file?.name ?? null,
        updatedAt: deps.clock.now(),
      })
      .where(hasId(ctx, campaigns, id));
    await tellCampaign(deps, ctx, tx, id);
    return fileKey;
  });
}

export async function duplicateCampaign(
  deps: EditingDeps,
  ctx: UserCtx,
  id: CampaignId,
): Promise<Campaign> {
  return deps.db.transaction(ctx, async (tx) => {
    const from = await lockRecord(ctx, tx, campaigns, id, NO_CAMPAIGN);
    const name = suffixed(from.name, " (cópia)");
    const contactListId =
      from.tagId === null
        ? from.contactListId
        : await tagListOf(deps, ctx, tx, { name, tagId: from.tagId });
    return insertCopy(deps, ctx, tx, { ...from, name, contactListId });
  });
}

/** People whose message failed and who can get it again become a list of their own; throws ERR_CAMPAIGN_NO_LIST without any. */
export async function resendCampaign(
  deps: EditingDeps,
  ctx: UserCtx,
  id: CampaignId,
): Promise<Campaign> {
  return deps.db.transaction(ctx, async (tx) => {
    const from = await lockRecord(ctx, tx, campaigns, id, NO_CAMPAIGN);
    const name = suffixed(from.name, " (novo envio)");
    const people = { campaignId: id, name, codes: lastingFailures };
    const contactListId = await saveFailedList(deps, ctx, tx, people);
    if (contactListId === null) throw new DomainError("ERR_CAMPAIGN_NO_LIST");
    return insertCopy(deps, ctx, tx, { ...from, name, contactListId, tagId: null });
  });
}

async function insertCopy(
  deps: EditingDeps,
  ctx: UserCtx,
  tx: Tx,
  from: CampaignRow,
): Promise<Campaign> {
  const { companyId, name, messages, confirmations, confirmation, connectionId } = from;
  const { contactListId, tagId, fileListId, fileKey, fileName } = from;
  const { answerQueueId, answerTagId, template, textInWindow } = from;
  const now = deps.clock.now();
  const rows = await tx.orm
    .insert(campaigns)
    .values({
      ...{ companyId, name, messages, confirmations, confirmation, connectionId, contactListId },
      ...{
        tagId,
        fileListId,
        fileKey,
        fileName,
        answerQueueId,
        answerTagId,
        template,
        textInWindow,
      },
      ...{ createdBy: ctx.actor.userId, createdAt: now, updatedAt: now },
    })
    .returning({ id: campaigns.id });
  return tellCampaign(deps, ctx, tx, requireRow(rows).id, "create");
}

const suffixed = (name: string, suffix: string): string =>
  `${name.slice(0, NAME_MAX - suffix.length)}${suffix}`;

const NAME_MAX = 50;

function requireName(name: string | undefined): string {
  if (name === undefined || name === "") throw new DomainError("ERR_CAMPAIGN_REQUIRED");
  const isFitting = name.length >= limits.nameMin && name.length <= NAME_MAX;
  if (!isFitting) throw new DomainError("ERR_CAMPAIGN_INVALID_NAME");
  return name;
}

/** Throws ERR_CAMPAIGN_LOCKED for one that cannot be changed any more. */
async function lockEditable(
  { clock }: EditingDeps,
  ctx: UserCtx,
  tx: Tx,
  id: CampaignId,
): Promise<CampaignRow> {
  const row = await lockRecord(ctx, tx, campaigns, id, NO_CAMPAIGN);
  if (!isEditable(row, clock.now())) throw new DomainError("ERR_CAMPAIGN_LOCKED");
  return row;
}

type Values = Awaited<ReturnType<typeof valuesOf>>;

/** The columns for a body, whose references exist. A tag makes a list, or brings the one that it made up to date. */
async function valuesOf(
  deps: EditingDeps,
  ctx: UserCtx,
  tx: Tx,
  body: CampaignBody & { name: string },
  before: CampaignRow | null,
) {
  const { name, confirmation, template, textInWindow } = body;
  const {
    whatsappId: connectionId,
    tagListId: tagId,
    fileListId,
    answerQueueId,
    answerTagId,
  } = body;
  const ids = <T>(id: T | null): T[] => (id === null ? [] : [id]);
  await holdReferences(ctx, tx, connections, ids(connectionId), "ERR_NO_WAPP_FOUND");
  await holdReferences(ctx, tx, tags, [...ids(tagId), ...ids(answerTagId)], "ERR_NO_TAG_FOUND");
  await holdReferences(ctx, tx, queues, ids(answerQueueId), "ERR_QUEUE_NOT_FOUND");
  await requireFileList(ctx, tx, fileListId);
  if (tagId === null) {
    await holdReferences(
      ctx,
      tx,
      contactLists,
      ids(body.contactListId),
      "ERR_NO_CONTACTLIST_FOUND",
    );
  }
  const listId = before?.tagId == null ? null : before.contactListId;
  const contactListId =
    tagId === null ? body.contactListId : await tagListOf(deps, ctx, tx, { name, tagId, listId });
  return {
    ...{
      name,
      confirmation,
      template,
      textInWindow,
      connectionId,
      tagId,
      contactListId,
      fileListId,
    },
    ...{ answerQueueId, answerTagId },
    messages: [body.message1, body.message2, body.message3, body.message4, body.message5],
    confirmations: [
      ...[body.confirmationMessage1, body.confirmationMessage2, body.confirmationMessage3],
      ...[body.confirmationMessage4, body.confirmationMessage5],
    ],
    scheduledAt: await scheduledAtOf(ctx, tx, body.scheduledAt),
  };
}

export async function requireFileList(ctx: Ctx, tx: Tx, id: FileListId | null): Promise<void> {
  await holdReferences(ctx, tx, fileLists, id === null ? [] : [id], "ERR_NO_FILE_FOUND");
}

type TagWish = { name: string; tagId: TagId; listId?: CampaignRow["contactListId"] };

/** The list of everybody who has the tag (behaviour 5.3). */
function tagListOf(
  deps: Pick<EditingDeps, "clock" | "realtime">,
  ctx: Ctx,
  tx: Tx,
  { name, tagId, listId = null }: TagWish,
): ReturnType<typeof saveTagList> {
  const day = deps.clock.now().toISOString();
  return saveTagList(deps, ctx, tx, { listId, tagId, name: `${name} | TAG: ${tagId} - ${day}` });
}

export async function scheduledAtOf(
  ctx: Ctx,
  tx: Tx,
  written: string | null,
): Promise<Date | null> {
  if (written === null) return null;
  const instant = instantOf(written, await timeZoneOf(ctx, tx));
  if (instant !== null) return instant;
  const issues = [{ path: "body.scheduledAt", message: "is no time of the calendar" }];
  throw new DomainError("ERR_INVALID_REQUEST", { issues });
}

/** Throws where the campaign could not be sent, or would have to be sent in the past. */
async function requirePlannable(ctx: Ctx, tx: Tx, values: Values, now: Date): Promise<void> {
  if (values.scheduledAt !== null && values.scheduledAt <= now) {
    throw new DomainError("ERR_CAMPAIGN_PAST");
  }
  await requireReady(ctx, tx, values);
}

/** A list that a planned or running campaign uses stays; others lose it. */
export async function keepUsedList(
  ctx: Ctx,
  tx: Tx,
  list: Partial<Pick<CampaignRow, "contactListId" | "fileListId">>,
): Promise<void> {
  const values = [ctx.companyId, list.contactListId ?? null, list.fileListId ?? null];
  const [user] = await tx.query<{ name: string }>(usingStatement, values);
  if (user) throw new DomainError("ERR_IN_CAMPAIGN", { campaign: user.name });
  const isOfCompany = eq(campaigns.companyId, ctx.companyId);
  if (list.contactListId != null) {
    const set = { contactListId: null, tagId: null };
    await tx.orm
      .update(campaigns)
      .set(set)
      .where(and(isOfCompany, eq(campaigns.contactListId, list.contactListId)));
  }
  if (list.fileListId != null) {
    await tx.orm
      .update(campaigns)
      .set({ fileListId: null })
      .where(and(isOfCompany, eq(campaigns.fileListId, list.fileListId)));
  }
}

const usingStatement = {
  name: "campaigns.using-list",
  text: `
select name from campaigns
where company_id = $1 and deleted_at is null and status in ('PROGRAMADA', 'EM_ANDAMENTO')
  and (contact_list_id = $2::int or file_list_id = $3::int)
order by id limit 1`,
};
