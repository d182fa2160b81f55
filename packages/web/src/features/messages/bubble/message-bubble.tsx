import type { Message } from "@balcao/contract";
import {
  IconAlertCircle,
  IconArrowForwardUp,
  IconBan,
  IconChevronDown,
  IconEyeOff,
  IconPhoneX,
  IconReplaceUser,
  IconRobot,
  IconVideoOff,
} from "@tabler/icons-react";
import type { CSSProperties, PointerEvent, ReactNode } from "react";
import { memo, Suspense, useEffect, useMemo, useRef } from "react";
import { formatTime } from "../../../i18n/format.ts";
import type { TFunction } from "../../../i18n/index.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { hueOf } from "../../../ui/index.ts";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import {
  belowMessages,
  toggleSelected,
  useConversation,
  useIsSelected,
} from "../list/conversation.ts";
import { useStore } from "../../../store/index.ts";
import type { ListedMessage } from "../list/message-rows.ts";
import { isFromMe, ticketIdOf, timeOf } from "../list/message-rows.ts";
import { AckIcon, ackState, Bubble } from "./bubble.tsx";
import { codeOf, FailureLines, QueuedLines, ReactionChips, UndoLine } from "./below-bubble.tsx";
import classes from "./bubble.module.css";
import { FormattedText } from "./formatted-text.tsx";
import { MessageBody, UnsentBody } from "./message-body.tsx";
import {
  hasOptions,
  isForwardable,
  isLine,
  numberChangedText,
  previewText,
  splitSignature,
  writtenText,
} from "./message-content.ts";
import { Quote } from "./file-card.tsx";

// Reactions and menu load with the first use.
const MessageMenu = lazyPart(async () => (await import("./message-menu.tsx")).MessageMenu, "over");

type Props = {
  rowKey: string;
  item: ListedMessage;
  startsGroup: boolean;
  endsGroup: boolean;
  showsAuthor: boolean;
  /** Position among all messages of the ticket, 1-based. */
  position: number;
  /** Total number of messages. */
  total: number;
  isFlashed: boolean;
  isMenuOpen: boolean;
  onMenuClose: () => void;
};

/**
 * One message with all its parts. A new message changes the total count: only the frame renders it again, not its
 * contents.
 */
export const MessageBubble = memo(function MessageBubble(props: Props): ReactNode {
  const { position, total, isFlashed, ...content } = props;
  const { rowKey, item } = content;
  const { canWrite, onMenu } = useConversation();
  const stored = item.kind === "stored" ? item.message : null;
  const hasMenu = stored !== null && hasOptions(stored, canWrite);
  const { t } = useTranslation();
  const isSelected = useIsSelected(ticketIdOf(item), stored?.id ?? "");
  const longPress = useLongPress(hasMenu ? () => onMenu(rowKey) : null);
  return (
    <article
      className={classes["message"]}
      data-own={isFromMe(item) || undefined}
      data-ends-group={props.endsGroup || undefined}
      data-flashed={isFlashed || undefined}
      data-call={(stored !== null && isLine(stored)) || undefined}
      data-picking={isSelected !== null || undefined}
      data-row={rowKey}
      tabIndex={-1}
      aria-label={useMessageName(item)}
      aria-posinset={position}
      aria-setsize={total}
      {...longPress}
    >
      {isSelected === null || stored === null || !isForwardable(stored) ? null : (
        <label className={classes["pick"]}>
          <input
            type="checkbox"
            checked={isSelected}
            aria-label={t("messages.select")}
            onChange={() => toggleSelected(stored)}
          />
        </label>
      )}
      <Content {...content} hasMenu={hasMenu} />
    </article>
  );
});

type ContentProps = Omit<Props, "position" | "total" | "isFlashed"> & {
  hasMenu: boolean;
};

const Content = memo(function Content(props: ContentProps): ReactNode {
  const { rowKey, item, startsGroup, hasMenu } = props;
  const { t } = useTranslation();
  const { onMenu, team } = useConversation();
  const stored = item.kind === "stored" ? item.message : null;
  const line = stored !== null && isLine(stored) ? stored : null;
  const below = useStore(belowMessages, (all) => all.get(stored?.id ?? ""));
  return (
    <>
      {team === null || stored === null ? null : (
        <team.Beside message={stored} endsGroup={props.endsGroup} />
      )}
      <div className={classes["line"]}>
        {line !== null ? (
          <MessageLine message={line} />
        ) : (
          <MessageContent
            item={item}
            startsGroup={startsGroup}
            endsGroup={props.endsGroup}
            showsAuthor={props.showsAuthor}
          />
        )}
        {hasMenu ? (
          <button
            type="button"
            className={classes["menuButton"]}
            data-open={props.isMenuOpen || undefined}
            // Opened with M, so that a long conversation has few tab stops.
            tabIndex={-1}
            aria-label={t("messages.options")}
            aria-haspopup="menu"
            aria-expanded={props.isMenuOpen}
            title={`${t("messages.options")} (M)`}
            onClick={() => onMenu(rowKey)}
          >
            <IconChevronDown size={17} stroke={1.8} aria-hidden="true" />
          </button>
        ) : null}
        {stored !== null && hasMenu && props.isMenuOpen ? (
          <Suspense fallback={null}>
            <MessageMenu message={stored} isOwn={isFromMe(item)} onClose={props.onMenuClose} />
          </Suspense>
        ) : null}
      </div>
      {below}
      {stored === null ? null : <ReactionChips message={stored} />}
      {stored?.undoUntil == null ? null : (
        <UndoLine message={stored} undoUntil={stored.undoUntil} />
      )}
      {item.kind === "unsent" ? <QueuedLines unsent={item.unsent} /> : null}
      <FailureLines item={item} />
      {team === null || stored === null ? null : <team.Below message={stored} />}
    </>
  );
});

type MessageContentProps = Pick<Props, "item" | "startsGroup" | "endsGroup" | "showsAuthor">;

function MessageContent(props: MessageContentProps): ReactNode {
  const { item, startsGroup, endsGroup, showsAuthor } = props;
  const { t } = useTranslation();
  const { customerName, isGroup, team } = useConversation();
  const isOwn = isFromMe(item);
  const stored = item.kind === "stored" ? item.message : null;
  const isDeleted = stored?.isDeleted ?? false;
  const body = item.kind === "stored" ? writtenText(item.message) : item.unsent.body;
  const { author, text } = isOwn ? splitSignature(body) : { author: null, text: body };
  const quoted = item.kind === "stored" ? item.message.quotedMsg : item.unsent.quotedMsg;
  const agent = stored?.fromMe === true ? (stored.user?.name ?? null) : null;
  return (
    <Bubble
      isOwn={isOwn}
      endsGroup={endsGroup}
      hasFailed={codeOf(item) !== null}
      look={isDeleted ? undefined : lookOf(item)}
      isBare={!isDeleted && text === "" && lookOf(item) === "picture"}
      text={
        isDeleted ? (
          <span className={classes["deleted"]}>
            <IconBan size={15} stroke={1.7} aria-hidden="true" /> {t("messages.deleted")}
          </span>
        ) : team === null ? (
          <FormattedText text={text} />
        ) : (
          <team.Text text={text} message={stored} />
        )
      }
      foot={<Foot item={item} />}
      footTitle={agent === null ? undefined : t("messages.sentBy", { name: agent })}
    >
      {isGroup && startsGroup && stored?.contact && !isOwn ? (
        <GroupAuthor id={stored.contact.id} name={stored.contact.name} />
      ) : null}
      {stored === null || isDeleted ? null : <Marks message={stored} />}
      {quoted && !isDeleted ? (
        <Quote quoted={quoted} customerName={customerName} ticketId={ticketIdOf(item)} />
      ) : null}
      {showsAuthor && !isDeleted ? (
        <div className={classes["author"]}>{author === null ? <Chatbot /> : `${author}:`}</div>
      ) : null}
      {team === null || stored === null ? null : <team.Above message={stored} />}
      {stored === null || isDeleted ? null : <MessageBody message={stored} />}
      {item.kind === "unsent" ? <UnsentBody unsent={item.unsent} /> : null}
    </Bubble>
  );
}

/** The author of automatic messages. */
function Chatbot(): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <IconRobot size={15} stroke={1.8} aria-hidden="true" /> {t("tickets.chatbot")}
    </>
  );
}

/** The author of a message in a group; each author has a colour. */
function GroupAuthor({ id, name }: { id: number; name: string }): ReactNode {
  const style: CSSProperties & Record<"--hue", number> = { "--hue": hueOf(id) };
  return (
    <div className={classes["groupAuthor"]} style={style}>
      {name}
    </div>
  );
}

function Marks({ message }: { message: Message }): ReactNode {
  const { t } = useTranslation();
  const isViewOnce = message.media?.isViewOnce === true;
  if (!message.isForwarded && !isViewOnce) return null;
  return (
    <div className={classes["mark"]}>
      {message.isForwarded ? (
        <span>
          <IconArrowForwardUp size={14} stroke={1.7} aria-hidden="true" /> {t("messages.forwarded")}
        </span>
      ) : null}
      {isViewOnce ? (
        <span>
          <IconEyeOff size={14} stroke={1.7} aria-hidden="true" /> {t("messages.viewOnce")}
        </span>
      ) : null}
    </div>
  );
}

/** The time and the delivery state. */
function Foot({ item }: { item: ListedMessage }): ReactNode {
  const { t } = useTranslation();
  const isEdited = item.kind === "stored" && item.message.isEdited && !item.message.isDeleted;
  return (
    <>
      {isEdited ? <span>{t("messages.edited")}</span> : null}
      <time dateTime={timeOf(item)}>{formatTime(timeOf(item))}</time>
      <State item={item} />
    </>
  );
}

const notThereYet = { ack: 0, isUnconfirmed: false, isDeleted: false };

/** The icon beside the time, for own messages only. */
function State({ item }: { item: ListedMessage }): ReactNode {
  const { t } = useTranslation();
  if (!isFromMe(item)) return null;
  if (codeOf(item) !== null) {
    return (
      <span className={classes["failedIcon"]} role="img" aria-label={t("messages.failedName")}>
        <IconAlertCircle size={14} stroke={1.9} aria-hidden="true" />
      </span>
    );
  }
  if (item.kind === "stored" && item.message.isDeleted) return null;
  return <AckIcon {...(item.kind === "stored" ? item.message : notThereYet)} />;
}

/** A missed call, or a change of the contact's number with its author. */
function MessageLine({ message }: { message: Message }): ReactNode {
  const { t } = useTranslation();
  if (message.details?.kind === "number-changed") {
    const change = numberChangedText(t, message.details);
    return (
      <p className={classes["call"]} data-notice="">
        <IconReplaceUser size={16} stroke={1.8} aria-hidden="true" />
        {message.user === null
          ? change
          : t("messages.numberChangedBy", { name: message.user.name, change })}
        <time dateTime={message.createdAt}>{formatTime(message.createdAt)}</time>
      </p>
    );
  }
  const isVideo = message.details?.kind === "call" && message.details.isVideo;
  const CallIcon = isVideo ? IconVideoOff : IconPhoneX;
  return (
    <p className={classes["call"]}>
      <CallIcon size={16} stroke={1.8} aria-hidden="true" />
      {t(isVideo ? "messages.callVideo" : "messages.callVoice")}
      <time dateTime={message.createdAt}>{formatTime(message.createdAt)}</time>
    </p>
  );
}

/** The frame of a bubble, by its content. */
function lookOf(item: ListedMessage): "picture" | "sticker" | undefined {
  const kind = item.kind === "stored" ? item.message.media?.kind : item.unsent.file?.kind;
  if (kind === "sticker") return "sticker";
  return kind === "image" || kind === "video" ? "picture" : undefined;
}

/** The accessible name: sender, kind if it is no text, time and delivery state. */
function useMessageName(item: ListedMessage): string {
  const { t } = useTranslation();
  const { customerName, isGroup } = useConversation();
  return useMemo(
    () => nameOf(t, item, { customerName, isGroup }),
    [t, item, customerName, isGroup],
  );
}

function nameOf(
  t: TFunction,
  item: ListedMessage,
  { customerName, isGroup }: { customerName: string; isGroup: boolean },
): string {
  const stored = item.kind === "stored" ? item.message : null;
  const isBare = stored !== null && writtenText(stored) === "" && !stored.isDeleted;
  return [
    senderOf(),
    isBare ? previewText(t, stored) : "",
    formatTime(timeOf(item)),
    stateText(t, item),
  ]
    .filter(Boolean)
    .join(", ");

  function senderOf(): string {
    if (!isFromMe(item)) return (isGroup ? stored?.contact?.name : undefined) ?? customerName;
    if (stored?.isAutomatic) return t("tickets.chatbot");
    const { author } = splitSignature(stored?.body ?? "");
    return author ?? stored?.user?.name ?? t("messages.ours");
  }
}

function stateText(t: TFunction, item: ListedMessage): string {
  if (!isFromMe(item)) return "";
  if (codeOf(item) !== null) return t("messages.failedName");
  const message = item.kind === "stored" ? item.message : notThereYet;
  return message.isDeleted ? "" : t(`messages.ack.${ackState(message)}`);
}

const LONG_PRESS_MS = 450;
/** A finger always moves a little. */
const SLACK_PX = 10;

type Handlers = {
  onPointerDown: (event: PointerEvent) => void;
  onPointerMove: (event: PointerEvent) => void;
  onPointerUp: () => void;
  onPointerCancel: () => void;
};

/** Calls `action` on a long press by touch. Null disables it. */
function useLongPress(action: (() => void) | null): Handlers | null {
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number } | null>(null);

  function end(): void {
    if (press.current) clearTimeout(press.current.timer);
    press.current = null;
  }
  useEffect(
    () => () => {
      if (press.current) clearTimeout(press.current.timer);
    },
    [],
  );

  if (action === null) return null;
  return {
    onPointerDown(event) {
      if (event.pointerType !== "touch") return;
      end();
      const timer = setTimeout(action, LONG_PRESS_MS);
      press.current = { timer, x: event.clientX, y: event.clientY };
    },
    onPointerMove(event) {
      if (!press.current) return;
      const moved = Math.hypot(event.clientX - press.current.x, event.clientY - press.current.y);
      if (moved > SLACK_PX) end();
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}
