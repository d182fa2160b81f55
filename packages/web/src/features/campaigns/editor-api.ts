import type {
  Campaign,
  CampaignEstimate,
  CampaignId,
  CampaignPreview,
  CampaignTemplate,
  ContactList,
  MessageTemplate,
  RequestOf,
} from "@balcao/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { upload } from "../../api/upload.ts";
import { readAgain } from "../../realtime/live.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { useCampaignSettings } from "./settings-api.ts";

/** The texts of a campaign, and as many of its confirmations. */
export const TEXTS = 5;

/** What the editor changes. Times are `YYYY-MM-DDTHH:mm` on the company's clock, "" is none. */
export type Draft = Readonly<{
  name: string;
  messages: readonly string[];
  confirmations: readonly string[];
  confirmation: boolean;
  scheduledAt: string;
  whatsappId: number | null;
  contactListId: number | null;
  tagListId: number | null;
  fileListId: number | null;
  answerQueueId: number | null;
  answerTagId: number | null;
  template: CampaignTemplate | null;
  textInWindow: boolean;
}>;

/** More pages of file lists than anybody chooses from. */
const FILE_PAGES_MAX = 10;

type Body = RequestOf<"POST /campaigns">["body"];

/** What a draft asks of the server, without its date. */
function contentOf(draft: Draft): Omit<Body, "scheduledAt" | "isDraft"> {
  const { messages, confirmations } = draft;
  const [message1, message2, message3, message4, message5] = messages;
  const [one, two, three, four, five] = confirmations;
  return {
    name: draft.name.trim(),
    ...{ message1, message2, message3, message4, message5 },
    ...{ confirmationMessage1: one, confirmationMessage2: two, confirmationMessage3: three },
    ...{ confirmationMessage4: four, confirmationMessage5: five },
    confirmation: draft.confirmation,
    whatsappId: draft.whatsappId,
    contactListId: draft.contactListId,
    tagListId: draft.tagListId,
    fileListId: draft.fileListId,
    answerQueueId: draft.answerQueueId,
    answerTagId: draft.answerTagId,
    template: draft.template,
    textInWindow: draft.textInWindow,
  };
}

/** The body's time: a space and seconds, as other clients write it (wire-contract 5.15). */
const wireTime = (local: string): string | null =>
  local === "" ? null : `${local.replace("T", " ")}:00`;

const bodyOf = (draft: Draft, isDraft: boolean): Body => ({
  ...contentOf(draft),
  scheduledAt: wireTime(draft.scheduledAt),
  isDraft,
});

const campaignKey = (id: number) => ["campaigns", "editor", id];

/** One campaign, as it is changed. Events do not change the open form. */
export function useCampaign(id: CampaignId | null) {
  return useQuery({
    queryKey: campaignKey(id ?? 0),
    queryFn: ({ signal }): Promise<Campaign> =>
      call("GET /campaigns/:campaignId", { params: { campaignId: id ?? 0 } }, { signal }),
    enabled: id !== null,
    staleTime: 0,
    meta: { live: false },
  });
}

type SaveWish = { id: number | null; draft: Draft; isDraft: boolean; file: AttachmentChange };

/**
 * Saves a new (`id` null) or known campaign with its attachment. One that is planned is planned last, because a file cannot be
 * added during the last hour. `onSaved` is told each state that the server has, so that a second try creates no second campaign.
 */
export async function saveCampaign(
  { id, draft, isDraft, file }: SaveWish,
  onSaved: (campaign: Campaign) => void,
): Promise<Campaign> {
  const hasFile = file.kind !== "keep";
  let saved = await put(id, bodyOf(draft, isDraft || hasFile));
  onSaved(saved);
  if (hasFile) {
    const params = { campaignId: saved.id };
    if (file.kind === "attach") {
      const files = { file: [file.file] };
      await upload("POST /campaigns/:campaignId/media-upload", { params, files });
    } else await call("DELETE /campaigns/:campaignId/media-upload", { params });
    saved = isDraft
      ? await call("GET /campaigns/:campaignId", { params })
      : await put(saved.id, bodyOf(draft, false));
    onSaved(saved);
  }
  return saved;
}

async function put(id: number | null, body: Body): Promise<Campaign> {
  const saved =
    id === null
      ? await call("POST /campaigns", { body })
      : await call("PUT /campaigns/:campaignId", { params: { campaignId: id }, body });
  keep(saved);
  return saved;
}

function keep(saved: Campaign): void {
  queryClient.setQueryData<Campaign>(campaignKey(saved.id), saved);
  readListsAgain();
}

function readListsAgain(): void {
  void readAgain({
    predicate: ({ queryKey }) => queryKey[0] === "campaigns" && queryKey[1] !== "editor",
  });
}

export async function startCampaign(campaignId: number): Promise<void> {
  await call("POST /campaigns/:campaignId/start", { params: { campaignId } });
  readListsAgain();
}

/** An inactive copy. */
export async function duplicateCampaign(campaignId: number): Promise<Campaign> {
  const copy = await call("POST /campaigns/:campaignId/duplicate", { params: { campaignId } });
  keep(copy);
  return copy;
}

/** An inactive copy for the people to whom it can be sent again. */
export async function resendCampaign(campaignId: number): Promise<Campaign> {
  const copy = await call("POST /campaigns/:campaignId/resend", { params: { campaignId } });
  keep(copy);
  return copy;
}

/** Sends the saved campaign to one number, with the data of the person at `position`. */
export async function sendTest(
  campaignId: number,
  body: { number: string; position: number },
): Promise<void> {
  await call("POST /campaigns/:campaignId/test", { params: { campaignId }, body });
}

export function useEstimate(draft: Draft) {
  const { contactListId, tagListId, whatsappId, fileListId, confirmation } = draft;
  const scheduledAt = wireTime(draft.scheduledAt);
  const body = { contactListId, tagListId, whatsappId, fileListId, confirmation, scheduledAt };
  // Other settings give another estimate.
  const { settings } = useCampaignSettings();
  return useQuery({
    queryKey: ["campaigns", "editor", "estimate", body, settings],
    queryFn: ({ signal }): Promise<CampaignEstimate> =>
      call("POST /campaigns/estimate", { body }, { signal }),
    enabled: settings !== undefined && (contactListId !== null || tagListId !== null),
    placeholderData: keepPreviousData,
    staleTime: 0,
    meta: { live: false },
  });
}

export function usePreview(draft: Draft, position: number) {
  const body = { ...contentOf(draft), position };
  return useQuery({
    queryKey: ["campaigns", "editor", "preview", body],
    queryFn: ({ signal }): Promise<CampaignPreview> =>
      call("POST /campaigns/preview", { body }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    meta: { live: false },
  });
}

/** All contact lists by name; none while unknown. */
export function useListNames(): readonly ContactList[] {
  const { data } = useQuery({
    queryKey: ["contact-lists", "names"],
    queryFn: ({ signal }) => call("GET /contact-lists/list", {}, { signal }),
    staleTime: 0,
  });
  return data ?? [];
}

/** All lists of files; none while unknown. */
export function useFileLists(): readonly { id: number; name: string }[] {
  const { data } = useQuery({
    queryKey: ["file-lists", "names"],
    queryFn: async ({ signal }) => {
      const all: { id: number; name: string }[] = [];
      for (let page = 1, hasMore = true; hasMore && page <= FILE_PAGES_MAX; page += 1) {
        const query = { pageNumber: String(page) };
        const reply = await call("GET /files", { query }, { signal });
        all.push(...reply.files);
        ({ hasMore } = reply);
      }
      return all;
    },
    staleTime: 0,
  });
  return data ?? [];
}

/** The names of the files of a list, in their order. */
export function useFilesOf(fileListId: number | null): readonly string[] {
  const { data } = useQuery({
    queryKey: ["file-lists", "files", fileListId],
    queryFn: ({ signal }) =>
      call("GET /files/:fileListId", { params: { fileListId: fileListId ?? 0 } }, { signal }),
    enabled: fileListId !== null,
  });
  return data?.options.map(({ name, fileName }) => fileName ?? name) ?? [];
}

/** The templates that Meta has approved for a connection of the official API. */
export function useTemplates(connectionId: number | null) {
  return useQuery({
    queryKey: ["templates", connectionId],
    queryFn: async ({ signal }): Promise<MessageTemplate[]> => {
      const params = { connectionId: connectionId ?? 0 };
      return (await call("GET /whatsapp/:connectionId/templates", { params }, { signal }))
        .templates;
    },
    enabled: connectionId !== null,
    meta: { live: false },
  });
}
