import type { Chat, ChatMember, Message } from "@balcao/contract";
import {
  IconBell,
  IconBellOff,
  IconLogout,
  IconPencil,
  IconSearch,
  IconTrash,
  IconUserPlus,
} from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { createContext, Suspense, useContext, useMemo, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Link, useNavigate } from "../../router/index.tsx";
import { AppAvatar, IconButton, notifyError, QueueDot } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { useSession } from "../auth/index.ts";
import { TeamComposer } from "../composer/index.ts";
import type { TeamParts } from "../messages/index.ts";
import { FormattedText, MessageList, showSearch, useSearchKey } from "../messages/index.ts";
import { notePieces } from "../notes/index.ts";
import {
  conversationOf,
  deleteChat,
  leaveChat,
  othersOf,
  ownId,
  ownMember,
  silenceChat,
  titleOf,
} from "./api.ts";
import { ChatFaces } from "./chat-row.tsx";
import classes from "./chats.module.css";
import { chatMessageOf, lastReadOwn, useLinkedTicket } from "./messages.ts";
import { firstName, namesOf } from "./words.ts";

const ReadersPopover = lazyPart(
  async () => (await import("./chats-popover.tsx")).ReadersPopover,
  "inline",
  "teamwork",
);
const ChatDialog = lazyPart(
  async () => (await import("./chat-dialog.tsx")).ChatDialog,
  "over",
  "teamwork",
);
const ActionQuestion = lazyPart(
  async () => (await import("../../ui/dialogs/question-dialog.tsx")).ActionQuestion,
  "over",
);

/** What the message whose readers are shown needs of the chat. */
const ShownChat = createContext<Chat | null>(null);

/** An open chat: its head, messages and composer. Mount it per chat. */
export function ChatPane({ chat }: { chat: Chat }): ReactNode {
  const { user } = useSession();
  const { t } = useTranslation();
  const id = conversationOf(chat.id);
  useSearchKey(id);
  const people = useMemo(
    () => othersOf(chat).map(({ userId, user: { name } }) => ({ id: userId, name })),
    [chat],
  );
  const title = titleOf(chat);
  return (
    <ShownChat value={chat}>
      <ChatHead chat={chat} title={title} />
      <MessageList
        ticketId={id}
        customerName={title}
        unread={ownMember(chat)?.unreads ?? 0}
        isReader
        isGroup={!chat.isDirect}
        canWrite
        team={teamParts}
      />
      <TeamComposer
        conversationId={id}
        title={title}
        placeholder={t("chats.write", { title })}
        userId={user.id}
        people={people}
      />
    </ShownChat>
  );
}

function ChatHead({ chat, title }: { chat: Chat; title: string }): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [open, setOpen] = useState<"edit" | "delete" | "leave" | null>(null);
  const close = (): void => setOpen(null);
  const isOwner = chat.ownerId === ownId();
  const names = [t("chats.self"), ...othersOf(chat).map(({ user }) => firstName(user.name))];
  const question =
    open === "delete"
      ? {
          title: t("chats.deleteTitle", { title }),
          text: t("chats.deleteText", { count: chat.users.length }),
          confirm: t("chats.delete"),
          run: () => deleteChat(chat),
        }
      : {
          title: t("chats.leaveTitle", { title }),
          text: t("chats.leaveText"),
          confirm: t("chats.leave"),
          run: () => leaveChat(chat),
        };
  return (
    <header className={classes["chatHead"]}>
      <ChatFaces chat={chat} />
      <div className="bc-fill">
        <h2 className={`${classes["chatTitle"]} bc-ellipsis`}>{title}</h2>
        <p className={`${classes["members"]} bc-ellipsis`}>{names.join(", ")}</p>
      </div>
      <IconButton
        icon={IconSearch}
        label={t("chats.find")}
        onClick={() => showSearch(conversationOf(chat.id), true)}
      />
      <IconButton
        icon={chat.isSilenced === true ? IconBellOff : IconBell}
        label={t(chat.isSilenced === true ? "chats.unsilence" : "chats.silence")}
        isActive={chat.isSilenced === true}
        onClick={() => void silenceChat(chat, chat.isSilenced !== true).catch(notifyError)}
      />
      {isOwner ? (
        <>
          <IconButton
            icon={chat.isDirect ? IconUserPlus : IconPencil}
            label={t(chat.isDirect ? "chats.addPeople" : "chats.edit")}
            onClick={() => setOpen("edit")}
          />
          <IconButton
            icon={IconTrash}
            label={t("chats.deleteNamed", { title })}
            onClick={() => setOpen("delete")}
          />
        </>
      ) : chat.isDirect ? null : (
        <IconButton icon={IconLogout} label={t("chats.leave")} onClick={() => setOpen("leave")} />
      )}
      <Suspense fallback={null}>
        {open === "edit" ? <ChatDialog chat={chat} onClose={close} onSaved={close} /> : null}
        {open === "delete" || open === "leave" ? (
          <ActionQuestion
            {...question}
            isDestructive
            onDone={() => navigate("/chats", { replace: true })}
            onClose={close}
          />
        ) : null}
      </Suspense>
    </header>
  );
}

/** The sender's face beside the last message of a group. */
function Beside({ message, endsGroup }: { message: Message; endsGroup: boolean }): ReactNode {
  const own = chatMessageOf(message);
  if (own === null || message.fromMe || !endsGroup) return null;
  return (
    <span className={classes["face"]}>
      <AppAvatar name={own.sender.name} id={own.senderId} size={32} />
    </span>
  );
}

/** The text with mentions as chips. */
function Text({ text, message }: { text: string; message: Message | null }): ReactNode {
  const mentions = chatMessageOf(message)?.mentions ?? [];
  if (mentions.length === 0) return <FormattedText text={text} />;
  return notePieces(text, mentions).map(({ text: piece, isMention }, at) =>
    isMention ? (
      // The pieces of a text have no other identity than their place.
      // oxlint-disable-next-line react/no-array-index-key
      <mark key={at} className={classes["mention"]}>
        {piece}
      </mark>
    ) : (
      // oxlint-disable-next-line react/no-array-index-key
      <FormattedText key={at} text={piece} />
    ),
  );
}

/** The card of a linked ticket, for those who may see it. */
function Above({ message }: { message: Message }): ReactNode {
  const own = chatMessageOf(message);
  return own?.hasTicket === true ? <TicketCard message={own} /> : null;
}

function TicketCard({
  message,
}: {
  message: NonNullable<ReturnType<typeof chatMessageOf>>;
}): ReactNode {
  const { t } = useTranslation();
  const { data, isError } = useLinkedTicket(message);
  if (data === undefined && !isError) return <div className={classes["card"]} aria-busy="true" />;
  const ticket = data?.ticket ?? null;
  if (ticket === null) return <div className={classes["card"]}>{t("chats.noAccess")}</div>;
  const { contactName, contactId, queue, user, id, uuid, status } = ticket;
  return (
    <div className={classes["card"]}>
      <AppAvatar name={contactName} id={contactId} size={34} />
      <span className="bc-fill">
        <span className={classes["cardName"]}>
          {contactName} <span className={classes["status"]}>{t(`chats.status.${status}`)}</span>
        </span>
        <span className={classes["cardFacts"]}>
          {queue === null ? null : <QueueDot color={queue.color} />}
          {[
            queue?.name,
            t("chats.ticketNumber", { id }),
            user === null ? null : t("chats.with", { name: firstName(user.name) }),
          ]
            .filter(Boolean)
            .join(", ")}
        </span>
      </span>
      <Link
        className={classes["cardOpen"]}
        to={`/tickets/${uuid}`}
        aria-label={t("chats.openTicket", { name: contactName })}
      >
        {t("chats.openCard")}
      </Link>
    </div>
  );
}

/** "Lida por …" under the last own message that somebody has read; a press lists who, and when. */
function Below({ message }: { message: Message }): ReactNode {
  const chat = useContext(ShownChat);
  const own = chatMessageOf(message);
  if (chat === null || own === null || !message.fromMe) return null;
  const readers = othersOf(chat).filter(({ lastReadId }) => (lastReadId ?? 0) >= own.id);
  return readers.length > 0 && lastReadOwn(chat) === own.id ? <Readers readers={readers} /> : null;
}

function Readers({ readers }: { readers: readonly ChatMember[] }): ReactNode {
  return (
    <OnDemand part={ReadersPopover} standIn={<ReadersButton readers={readers} />}>
      <ReadersPopover readers={readers} target={ReadersButton} />
    </OnDemand>
  );
}

type ReadersButtonProps = ComponentProps<"button"> & { readers: readonly ChatMember[] };

function ReadersButton({ readers, ...rest }: ReadersButtonProps): ReactNode {
  const { t } = useTranslation();
  return (
    <button type="button" aria-expanded={false} {...rest} className={classes["readBy"]}>
      {t("chats.readBy", { names: namesOf(t, readers) })}
      {readers.slice(0, 3).map(({ userId, user }) => (
        <AppAvatar key={userId} name={user.name} id={userId} size={16} />
      ))}
    </button>
  );
}

const teamParts: TeamParts = { Beside, Above, Text, Below };
