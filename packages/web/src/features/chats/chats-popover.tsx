import type { ChatMember } from "@balcao/contract";
import { Popover } from "@mantine/core";
import type { ComponentProps, ComponentType, ReactNode } from "react";
import { useState } from "react";
import { formatDayLabel, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import type { IconTargetProps } from "../../ui/index.ts";
import { EmptyState, ListSkeleton, LoadFailed } from "../../ui/index.ts";
import { IconMessages } from "@tabler/icons-react";
import { useChats } from "./api.ts";
import { ChatRow } from "./chat-row.tsx";
import classes from "./chats.module.css";

const SHOWN = 5;

/** The button and, after a press, the newest chats below it. */
export function ChatsPopover({
  target: Target,
}: {
  target: ComponentType<IconTargetProps>;
}): ReactNode {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const { rows, error, retry } = useChats("");
  const close = (): void => setOpen(false);
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width={360}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Target isActive={isOpen} onClick={() => setOpen(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown className={classes["panel"] ?? ""} aria-label={t("chats.title")}>
        {list()}
        <Link className={classes["openAll"]} to="/chats" onClick={close}>
          {t("chats.openAll")}
        </Link>
      </Popover.Dropdown>
    </Popover>
  );

  function list(): ReactNode {
    if (rows === undefined) {
      return error === null ? (
        <ListSkeleton />
      ) : (
        <LoadFailed icon={IconMessages} error={error} onRetry={retry} />
      );
    }
    if (rows.length === 0) return <EmptyState icon={IconMessages} title={t("chats.none")} />;
    return (
      <ul className={classes["list"]}>
        {rows.slice(0, SHOWN).map((chat) => (
          <ChatRow key={chat.id} chat={chat} onChosen={close} />
        ))}
      </ul>
    );
  }
}

type ReadersProps = {
  readers: readonly ChatMember[];
  target: ComponentType<ComponentProps<"button"> & { readers: readonly ChatMember[] }>;
};

/** The button and, after a press, a list of those who have read a message, with the times. */
export function ReadersPopover({ readers, target: Target }: ReadersProps): ReactNode {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="top-end" width={260} returnFocus>
      <Popover.Target>
        <Target readers={readers} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown aria-label={t("chats.readers")}>
        <ul className={classes["readers"]}>
          {readers.map(({ userId, user, lastReadAt }) => (
            <li key={userId}>
              <span className="bc-fill bc-ellipsis">{user.name}</span>
              {lastReadAt === null ? null : (
                <time dateTime={lastReadAt}>
                  {formatDayLabel(lastReadAt)}, {formatTime(lastReadAt)}
                </time>
              )}
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}
