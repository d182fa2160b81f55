import type { Message } from "@balcao/contract";
import { Menu, Popover } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconCheckbox,
  IconCopy,
  IconDownload,
  IconLanguage,
  IconMoodPlus,
  IconPencil,
  IconTextRecognition,
  IconTrash,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { call } from "../../../api/client.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { epochMs } from "../../../ui/clock.ts";
import { copyText } from "../../../ui/copy-text.ts";
import { notifyError, notifySuccess } from "../../../ui/index.ts";
import { useAiOffer } from "../../../realtime/ai-offer.ts";
import { MessageTranslation } from "../../ai-help/index.ts";
import { writeMessageEvent } from "../history/message-history.ts";
import {
  aimComposer,
  belowMessages,
  react,
  replyTo,
  selectMessages,
  useConversation,
} from "../list/conversation.ts";
import {
  isDeletable,
  isEditable,
  isForwardable,
  isLine,
  mayBeMissing,
  ownReaction,
  quickEmojis,
  splitSignature,
  writtenText,
} from "./message-content.ts";
import classes from "./message-menu.module.css";

type Props = {
  message: Message;
  /** Decides the side of the menu. */
  isOwn: boolean;
  onClose: () => void;
};

/** The menu of one message. Mounted open. */
export function MessageMenu({ message, isOwn, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { canWrite, onOverlay, EmojiPicker, team } = useConversation();
  const isTeam = team !== null;
  const [isChoosing, setIsChoosing] = useState(false);
  const [nowMs] = useState(epochMs);
  const isThere = !message.isDeleted && !mayBeMissing(message);
  const canAnswer = canWrite && isThere && !isLine(message);
  const { text } = splitSignature(writtenText(message));
  const downloadUrl = message.isDeleted ? null : (message.media?.url ?? null);
  const own = ownReaction(message);
  const { helps, transcribes } = useAiOffer(!isTeam);
  const isSound = message.media?.kind === "voice" || message.media?.kind === "audio";
  const isUnwritten = isSound && downloadUrl !== null && message.transcript === null;
  const copied = text || message.transcript || "";
  const isTranslatable = !message.fromMe && (text !== "" || Boolean(message.transcript));

  function choose(emoji: string): void {
    react(message, emoji === own ? "" : emoji);
    onClose();
  }

  if (isChoosing && EmojiPicker !== null) {
    return (
      <Popover
        opened
        position={isOwn ? "bottom-end" : "bottom-start"}
        width={328}
        shadow="md"
        trapFocus
        returnFocus={false}
        onDismiss={onClose}
      >
        <Popover.Target>
          <button
            type="button"
            className={classes["anchor"]}
            tabIndex={-1}
            aria-label={t("messages.moreReactions")}
          />
        </Popover.Target>
        <Popover.Dropdown className={classes["picker"]} aria-label={t("messages.moreReactions")}>
          <Suspense fallback={<p className={classes["wait"]}>{t("common.loading")}</p>}>
            <EmojiPicker onPick={choose} />
          </Suspense>
        </Popover.Dropdown>
      </Popover>
    );
  }
  return (
    <Menu
      opened
      onClose={onClose}
      position={isOwn ? "bottom-end" : "bottom-start"}
      width={228}
      returnFocus={false}
      // Not "keydown": the event of the key that opened the menu is still being dispatched.
      clickOutsideEvents={["mousedown", "touchstart"]}
    >
      {/* It hangs beside the button that opened it, which stays as it is. */}
      <Menu.Target>
        <button
          type="button"
          className={classes["anchor"]}
          tabIndex={-1}
          aria-label={t("messages.options")}
        />
      </Menu.Target>
      <Menu.Dropdown aria-label={t("messages.options")}>
        {canAnswer && !isTeam ? (
          <div className={classes["quick"]}>
            {quickEmojis.map((emoji) => (
              <Menu.Item
                key={emoji}
                className={classes["emoji"]}
                data-own={emoji === own || undefined}
                aria-label={t("messages.reactWith", { emoji })}
                onClick={() => choose(emoji)}
              >
                {emoji}
              </Menu.Item>
            ))}
            {EmojiPicker === null ? null : (
              <Menu.Item
                className={classes["emoji"]}
                aria-label={t("messages.moreReactions")}
                title={t("messages.moreReactions")}
                closeMenuOnClick={false}
                onClick={() => setIsChoosing(true)}
              >
                <IconMoodPlus size={19} stroke={1.7} aria-hidden="true" />
              </Menu.Item>
            )}
          </div>
        ) : null}
        {canAnswer ? (
          <Item
            icon={IconArrowBackUp}
            text={t("messages.reply")}
            keys="R"
            onClick={() => replyTo(message)}
          />
        ) : null}
        {isForwardable(message) && !isTeam ? (
          <>
            <Item
              icon={IconArrowForwardUp}
              text={t("messages.forward")}
              onClick={() => onOverlay({ kind: "forward", messages: [message] })}
            />
            <Item
              icon={IconCheckbox}
              text={t("messages.selectMore")}
              onClick={() => selectMessages(message.ticketId, new Set([message.id]))}
            />
          </>
        ) : null}
        {copied === "" || message.isDeleted ? null : (
          <Item
            icon={IconCopy}
            text={t("messages.copyText")}
            onClick={() => {
              copyText(copied)
                .then(() => notifySuccess(t("messages.copied")))
                .catch(notifyError);
            }}
          />
        )}
        {transcribes && isThere && isUnwritten ? (
          <Item
            icon={IconTextRecognition}
            text={t("messages.transcribe")}
            onClick={() => transcribe(message, t("messages.transcribing"))}
          />
        ) : null}
        {helps && isThere && isTranslatable ? (
          <Item
            icon={IconLanguage}
            text={t("aiHelp.translate")}
            onClick={() => showTranslation(message)}
          />
        ) : null}
        {downloadUrl === null ? null : (
          <Menu.Item
            component="a"
            className={classes["item"]}
            href={downloadUrl}
            download={message.media?.name}
            leftSection={<IconDownload size={15} stroke={1.7} aria-hidden="true" />}
          >
            {t("messages.download")}
          </Menu.Item>
        )}
        {canWrite && isEditable(message, nowMs) ? (
          <Item
            icon={IconPencil}
            text={t("messages.edit")}
            onClick={() => aimComposer(message.ticketId, { kind: "edit", message })}
          />
        ) : null}
        {canWrite && isDeletable(message) && !isTeam ? (
          <Item
            icon={IconTrash}
            text={t("messages.delete")}
            isGrave
            onClick={() => onOverlay({ kind: "delete", message })}
          />
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Shows a translation below the message, until it is closed. */
function showTranslation({ ticketId, id }: Message): void {
  showBelow(
    id,
    <Suspense fallback={null}>
      <MessageTranslation ticketId={ticketId} messageId={id} onClose={() => showBelow(id, null)} />
    </Suspense>,
  );
}

function showBelow(id: string, below: ReactNode): void {
  const next = new Map(belowMessages.get());
  if (below === null) next.delete(id);
  else next.set(id, below);
  belowMessages.set(next);
}

/** The service has 30 seconds; the server then says that it did not answer. */
const TRANSCRIPT_LIMIT_MS = 40_000;

/** Has a voice note written down; the text comes with the message. */
function transcribe({ id }: Message, waiting: string): void {
  showBelow(
    id,
    <p className={classes["wait"]} role="status">
      {waiting}
    </p>,
  );
  const params = { messageId: id };
  call("POST /messages/:messageId/transcript", { params }, { limitMs: TRANSCRIPT_LIMIT_MS })
    .then((message) => writeMessageEvent({ action: "update", message }))
    .catch(notifyError)
    .finally(() => showBelow(id, null));
}

type ItemProps = {
  icon: Icon;
  text: string;
  keys?: string;
  isGrave?: boolean;
  onClick: () => void;
};

function Item({ icon: ItemIcon, text, keys, isGrave = false, onClick }: ItemProps): ReactNode {
  return (
    <Menu.Item
      leftSection={<ItemIcon size={15} stroke={1.7} aria-hidden="true" />}
      rightSection={keys === undefined ? null : <span className="bc-meta">{keys}</span>}
      data-grave={isGrave || undefined}
      className={classes["item"]}
      onClick={onClick}
    >
      {text}
    </Menu.Item>
  );
}
