import type { Chat } from "@balcao/contract";
import { IconBellOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatDay } from "./words.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { AppAvatar } from "../../ui/index.ts";
import { lastTextOf, othersOf, ownId, ownMember, titleOf } from "./api.ts";
import classes from "./chats.module.css";

const FACES = 2;

/** The faces of a chat: one person, or the first two of a group. */
export function ChatFaces({ chat }: { chat: Chat }): ReactNode {
  const others = othersOf(chat);
  const first = others[0];
  if (first !== undefined && (chat.isDirect || others.length === 1)) {
    return <AppAvatar name={first.user.name} id={first.userId} />;
  }
  return (
    <span className={classes["faces"]}>
      {others.slice(0, FACES).map(({ userId, user }) => (
        <AppAvatar key={userId} name={user.name} id={userId} size={26} />
      ))}
    </span>
  );
}

type RowProps = { chat: Chat; isCurrent?: boolean; onChosen?: () => void };

/** A chat of the list and the popover: one link. */
export function ChatRow({ chat, isCurrent = false, onChosen }: RowProps): ReactNode {
  const { t } = useTranslation();
  const unreads = ownMember(chat)?.unreads ?? 0;
  const title = titleOf(chat);
  const last = usePreview(chat);
  return (
    <li>
      <Link
        to={`/chats/${chat.uuid}`}
        className={classes["rowLink"]}
        data-unread={unreads > 0 || undefined}
        aria-current={isCurrent ? "page" : undefined}
        onClick={onChosen}
      >
        <ChatFaces chat={chat} />
        <span className={classes["rowText"]}>
          <span className={classes["rowLine"]}>
            <span className={`${classes["rowName"]} bc-ellipsis`}>{title}</span>
            {chat.isSilenced === true ? (
              <IconBellOff size={14} stroke={1.8} aria-label={t("chats.silenced")} />
            ) : null}
            <time className={classes["rowTime"]} dateTime={chat.lastMessageAt}>
              {formatDay(t, chat.lastMessageAt)}
            </time>
          </span>
          <span className={classes["rowLine"]}>
            <span className={`${classes["rowLast"]} bc-ellipsis`}>{last}</span>
            {unreads === 0 ? null : (
              <>
                <span className={classes["count"]} aria-hidden="true">
                  {unreads > 99 ? "99+" : unreads}
                </span>
                <span className="bc-hidden-text">{t("chats.unread", { count: unreads })}</span>
              </>
            )}
          </span>
        </span>
      </Link>
    </li>
  );
}

/** "Você: …", in a group the first name of the sender. */
function usePreview(chat: Chat): string {
  const { t } = useTranslation();
  if (chat.lastMessage === "") return t("chats.noMessage");
  const text = lastTextOf(chat);
  if (chat.lastSenderId === ownId()) return t("chats.you", { text });
  if (chat.isDirect) return text;
  const [sender = ""] = chat.lastMessage.split(":", 1);
  return `${sender.split(" ", 1)[0] ?? ""}: ${text}`;
}
