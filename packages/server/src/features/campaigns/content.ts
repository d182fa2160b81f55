import type { CampaignTemplate, CompanyId, ConnectionId } from "@balcao/contract";
import { campaignTemplate } from "@balcao/contract";
import type { OutboundTemplate } from "../../channels/port.ts";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { isMediaKey } from "../../platform/media/media-store.ts";
import { filesOfList } from "../file-lists/index.ts";
import type { MediaFiles, StoredFile } from "../media/index.ts";
import type { OutgoingMessage } from "../messages/index.ts";
import type { TemplateSource } from "../templates/index.ts";
import type { CampaignRow } from "./campaign.ts";
import type { Candidate } from "./candidates.ts";

// What a person of a campaign is sent (behaviour 5.6).

export type ContentDeps = {
  media: Pick<MediaFiles, "describeFile">;
  templates: Pick<TemplateSource, "fill">;
};

export type Content = Pick<OutgoingMessage, "text" | "file" | "template">;
export type ListedFile = { key: string; fileName: string; caption: string };
export type Files = readonly ListedFile[];

/** The files of a campaign as they are now; one with a template has none. */
export async function filesOf(
  ctx: Ctx,
  tx: Tx,
  campaign: Pick<CampaignRow, "fileListId" | "fileKey" | "fileName"> & { isTemplate: boolean },
): Promise<{ list: ListedFile[]; attachment: ListedFile | null }> {
  const { fileListId, fileKey, fileName, isTemplate } = campaign;
  if (isTemplate) return { list: [], attachment: null };
  const listed = fileListId === null ? [] : await filesOfList(ctx, tx, fileListId);
  return {
    list: listed.map(({ key, fileName: own, name }) => ({ key, fileName: own, caption: name })),
    attachment:
      fileKey === null ? null : { key: fileKey, fileName: fileName ?? fileKey, caption: "" },
  };
}

/** All of them, to be examined before they are sent. */
export const wantedOf = ({
  list,
  attachment,
}: {
  list: Files;
  attachment: ListedFile | null;
}): Files => [...list, ...(attachment ? [attachment] : [])];

/** Campaigns send the same files repeatedly, so each is examined once per process. */
const KEPT = 200;

/** Files and filled templates, prepared outside of transactions. */
export function createContents({ media, templates }: ContentDeps) {
  const files = new Map<string, StoredFile | null>();
  const filled = new Map<string, OutboundTemplate>();
  const keyOf = (companyId: CompanyId, file: { key: string; fileName: string }): string =>
    `${companyId} ${file.key} ${file.fileName}`;

  return {
    /** Examines the files, and fills the template, which asks the network. Throws as `TemplateSource.fill`. */
    async prepare(
      ctx: Ctx,
      connectionId: ConnectionId,
      { wanted, template }: { wanted: Files; template: CampaignTemplate | null },
    ): Promise<void> {
      for (const file of wanted) {
        const key = keyOf(ctx.companyId, file);
        if (files.has(key)) continue;
        if (files.size >= KEPT) files.clear();
        const known = isMediaKey(file.key)
          ? await media.describeFile(ctx.companyId, file.key, file.fileName)
          : null;
        files.set(key, known);
      }
      if (template === null) return;
      if (filled.size >= KEPT) filled.clear();
      const name = JSON.stringify([connectionId, template]);
      filled.set(name, await templates.fill(ctx, connectionId, template));
    },

    isPrepared(
      ctx: Ctx,
      connectionId: ConnectionId,
      { wanted, template }: { wanted: Files; template: CampaignTemplate | null },
    ): boolean {
      const hasFiles = wanted.every((file) => files.has(keyOf(ctx.companyId, file)));
      return (
        hasFiles && (template === null || filled.has(JSON.stringify([connectionId, template])))
      );
    },

    /** The filled template of a person; it was prepared. */
    template(connectionId: ConnectionId, template: CampaignTemplate): Content {
      const name = JSON.stringify([connectionId, template]);
      const found = filled.get(name);
      if (!found) throw new Error("the template was not filled");
      // Most are of one person alone.
      filled.delete(name);
      return { text: found.text, template: found };
    },

    /**
     * Text, then the files of the list, each with its own caption, then the attachment; without a list the text is the caption of the
     * attachment, where its kind has one. Throws ERR_FILE_MISSING.
     */
    messages(ctx: Ctx, text: string, list: Files, attachment: ListedFile | null): Content[] {
      const found = (file: ListedFile): StoredFile => {
        const known = files.get(keyOf(ctx.companyId, file));
        if (!known) throw new DomainError("ERR_FILE_MISSING");
        return known;
      };
      const attached = attachment && found(attachment);
      const isCaption =
        attached !== null &&
        list.length === 0 &&
        !["audio", "voice", "sticker"].includes(attached.kind);
      return [
        ...(isCaption || text.trim() === "" ? [] : [{ text }]),
        ...list.map((file) => ({ text: file.caption, file: found(file) })),
        ...(attached === null ? [] : [{ text: isCaption ? text : "", file: attached }]),
      ];
    },

    /** The files that were made to go with those that were examined. */
    thumbnails: (): string[] => [...files.values()].flatMap((file) => file?.thumbnailKey ?? []),

    /** After an error: a thumbnail that nobody used yet may have been swept. */
    forget(): void {
      files.clear();
      filled.clear();
    },
  };
}

export type Contents = ReturnType<typeof createContents>;

/** The template of a person as it was prepared when the campaign started. */
export function templateOf({
  message,
  isTemplate,
}: Pick<Candidate, "message" | "isTemplate">): CampaignTemplate | null {
  return isTemplate ? campaignTemplate.parse(JSON.parse(message)) : null;
}
