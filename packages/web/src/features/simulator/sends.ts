import type { SimulatorContent, SimulatorMessage } from "@balcao/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { upload } from "../../api/upload.ts";
import { notifyError } from "../../ui/index.ts";
import type { ChatAddress } from "./api.ts";
import { simulatorKeys } from "./api.ts";

/** What a file is sent as. */
export type FileKind = "image" | "video" | "voice" | "sticker" | "document";

export type CustomerSends = {
  file: (file: File, as: { as: FileKind; isViewOnce: boolean }) => void;
  content: (content: SimulatorContent, body: string) => void;
  call: (isVideo: boolean) => void;
};

/** Who of a group does it, and what is answered. */
type Manner = { author?: string | undefined; quotedId?: string | undefined };

/** Everything that a customer does beside writing text. What fails is said at once. */
export function useCustomerActs(chat: ChatAddress, manner: Manner) {
  const client = useQueryClient();
  const params = { connectionId: chat.connectionId, phone: chat.phone };
  const { author, quotedId } = manner;
  const asked = {
    ...(author === undefined ? {} : { author }),
    ...(quotedId === undefined ? {} : { quotedId }),
  };
  const { mutate: run } = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onError: notifyError,
    onSettled: () => client.invalidateQueries({ queryKey: simulatorKeys.messages(chat) }),
  });
  const of = (message: SimulatorMessage) => ({
    connectionId: chat.connectionId,
    messageId: message.id,
  });
  const path = "POST /simulator/connections/:connectionId/chats/:phone/messages";

  const sends: CustomerSends = {
    file: (file, { as, isViewOnce }) =>
      run(() =>
        upload(path, {
          params,
          fields: { as, ...(isViewOnce ? { isViewOnce: "true" } : {}), ...asked },
          files: { file: [file] },
        }),
      ),
    content: (content, body) =>
      run(() =>
        call(path, { params, body: { content, ...(body === "" ? {} : { body }), ...asked } }),
      ),
    call: (isVideo) =>
      run(() =>
        call("POST /simulator/connections/:connectionId/chats/:phone/calls", {
          params,
          body: { isVideo, ...(author === undefined ? {} : { author }) },
        }),
      ),
  };

  return {
    sends,
    edit: (message: SimulatorMessage, body: string) =>
      run(() =>
        call("PUT /simulator/connections/:connectionId/messages/:messageId", {
          params: of(message),
          body: { body },
        }),
      ),
    remove: (message: SimulatorMessage) =>
      run(() =>
        call("DELETE /simulator/connections/:connectionId/messages/:messageId", {
          params: of(message),
        }),
      ),
    react: (message: SimulatorMessage, emoji: string) =>
      run(() =>
        call("POST /simulator/connections/:connectionId/messages/:messageId/reactions", {
          params: of(message),
          body: { emoji, ...(author === undefined ? {} : { author }) },
        }),
      ),
    vote: (message: SimulatorMessage, option: string) =>
      run(() =>
        call(path, {
          params,
          body: {
            content: { kind: "poll-vote", options: [option] },
            quotedId: message.id,
            ...(author === undefined ? {} : { author }),
          },
        }),
      ),
  };
}
