import { useMediaQuery } from "@mantine/hooks";
import { IconMessages, IconPlus, IconSearch } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useEffect, useState } from "react";
import { hasCode } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { LiveNotice } from "../../realtime/index.ts";
import { useNavigate, useParams } from "../../router/index.tsx";
import { useStore } from "../../store/index.ts";
import { Button } from "../../ui/button.tsx";
import {
  EmptyState,
  IconButton,
  ListSkeleton,
  LoadFailed,
  MenuButton,
  notifyInfo,
} from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { PageSearch } from "../../ui/page/page.tsx";
import { goneChats, useChat, useChats } from "./api.ts";
import { ChatRow } from "./chat-row.tsx";
import classes from "./chats.module.css";

const ChatPane = lazyPart(
  async () => (await import("./chat-pane.tsx")).ChatPane,
  "inline",
  "teamwork",
);
const ChatDialog = lazyPart(
  async () => (await import("./chat-dialog.tsx")).ChatDialog,
  "over",
  "teamwork",
);

/** The team's chats: the list, and the chosen one beside it; under 600 px one of the two at a time. */
export function ChatsPage(): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { chatUuid } = useParams();
  const chat = useChat(chatUuid);
  const gone = useStore(goneChats);
  const isNarrow = useMediaQuery("(max-width: 599px)", false, { getInitialValueInEffect: false });
  const [tab, setTab] = useState<"list" | "messages">(chatUuid === undefined ? "list" : "messages");
  const [isMaking, setMaking] = useState(false);
  const isGone =
    (chat.data !== undefined && gone.has(chat.data.id)) ||
    hasCode(chat.error, "UNAUTHORIZED") ||
    hasCode(chat.error, "ERR_NO_CHAT_FOUND");

  useEffect(() => {
    if (!isGone) return;
    navigate("/chats", { replace: true });
    notifyInfo(t("chats.gone"));
  }, [isGone, navigate, t]);
  const [shownUuid, setShownUuid] = useState(chatUuid);
  if (shownUuid !== chatUuid) {
    setShownUuid(chatUuid);
    setTab(chatUuid === undefined ? "list" : "messages");
  }

  const list = <ChatList currentUuid={chatUuid} onNew={() => setMaking(true)} />;
  return (
    <div className={classes["page"]}>
      <LiveNotice />
      {isNarrow ? (
        <div className={classes["tabs"]} role="tablist" aria-label={t("chats.title")}>
          {(["list", "messages"] as const).map((one) => (
            <button
              key={one}
              type="button"
              role="tab"
              className={classes["tab"]}
              aria-selected={tab === one}
              tabIndex={tab === one ? 0 : -1}
              onClick={() => setTab(one)}
              onKeyDown={(event) => {
                if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
                setTab(one === "list" ? "messages" : "list");
                const row = event.currentTarget.parentElement;
                row?.querySelector<HTMLElement>('[aria-selected="false"]')?.focus();
              }}
            >
              {t(one === "list" ? "chats.tabList" : "chats.tabMessages")}
            </button>
          ))}
        </div>
      ) : null}
      {isNarrow && tab === "messages" ? (
        <h1 className="bc-hidden-text">{t("chats.title")}</h1>
      ) : null}
      <div className={classes["panes"]}>
        {isNarrow && tab === "messages" ? null : list}
        {isNarrow && tab === "list" ? null : (
          <section className={classes["chat"]} aria-label={t("chats.tabMessages")}>
            {content()}
          </section>
        )}
      </div>
      {isMaking ? (
        <Suspense fallback={null}>
          <ChatDialog
            chat={null}
            onClose={() => setMaking(false)}
            onSaved={({ uuid }) => navigate(`/chats/${uuid}`)}
          />
        </Suspense>
      ) : null}
    </div>
  );

  function content(): ReactNode {
    if (chatUuid === undefined || isGone) {
      return (
        <EmptyState icon={IconMessages} title={t("chats.choose")} text={t("chats.chooseText")} />
      );
    }
    if (chat.data !== undefined) {
      return (
        <Suspense fallback={<ListSkeleton />}>
          <ChatPane key={chat.data.id} chat={chat.data} />
        </Suspense>
      );
    }
    if (chat.error === null) return <ListSkeleton />;
    return (
      <LoadFailed icon={IconMessages} error={chat.error} onRetry={() => void chat.refetch()} />
    );
  }
}

/** The own chats, with their search. */
function ChatList(props: { currentUuid: string | undefined; onNew: () => void }): ReactNode {
  const { t } = useTranslation();
  const [words, setWords] = useState("");
  const [isSearching, setSearching] = useState(false);
  const { rows, error, retry, hasMore, isLoadingMore, loadMore } = useChats(words);
  return (
    <nav className={classes["side"]} aria-label={t("chats.title")}>
      <div className={classes["head"]}>
        <MenuButton />
        <h1 className={classes["title"]}>{t("chats.title")}</h1>
        <IconButton
          icon={IconSearch}
          label={t("chats.search")}
          aria-expanded={isSearching}
          onClick={() => {
            setSearching(!isSearching);
            setWords("");
          }}
        />
        <Button onClick={props.onNew}>
          <IconPlus size={15} stroke={1.9} aria-hidden="true" /> {t("chats.new")}
        </Button>
      </div>
      {isSearching ? (
        <div className={classes["find"]}>
          <PageSearch label={t("chats.search")} start={words} onSearch={setWords} />
        </div>
      ) : null}
      {body()}
    </nav>
  );

  function body(): ReactNode {
    if (rows === undefined) {
      if (error === null) return <ListSkeleton />;
      return <LoadFailed icon={IconMessages} error={error} onRetry={retry} />;
    }
    if (rows.length === 0) {
      return words === "" ? (
        <EmptyState icon={IconMessages} title={t("chats.none")} text={t("chats.noneText")} />
      ) : (
        <EmptyState icon={IconSearch} title={t("chats.notFound", { words })} />
      );
    }
    return (
      <div
        className={classes["scroll"]}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          if (hasMore && !isLoadingMore && scrollHeight - scrollTop - clientHeight < NEAR_PX)
            loadMore();
        }}
      >
        <ul className={classes["list"]}>
          {rows.map((chat) => (
            <ChatRow key={chat.id} chat={chat} isCurrent={chat.uuid === props.currentUuid} />
          ))}
        </ul>
      </div>
    );
  }
}

const NEAR_PX = 100;
