import type { SimulatorMember, SimulatorMessage } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { NativeSelect } from "@mantine/core";
import {
  IconAlertTriangle,
  IconMessage2,
  IconPaperclip,
  IconSend2,
  IconX,
} from "@tabler/icons-react";
import type { FormEvent, KeyboardEvent, ReactNode, RefObject, UIEvent } from "react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState, IconButton, LoadFailed } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import type { ChatAddress } from "./api.ts";
import { readAsCustomer, useConversation } from "./api.ts";
import type { MessageActions } from "./attach-menu.tsx";
import { edgesOf, Message, UnsentBubble } from "./bubbles.tsx";
import classes from "./conversation.module.css";
import type { CustomerSends } from "./customer-acts.ts";
import { useCustomerActs, useTypingSignal, useUnsent } from "./customer-acts.ts";

const AttachMenu = lazyPart(async () => (await import("./attach-menu.tsx")).AttachMenu);

/** Below this ack the customer has not read a message of the company. */
const READ_ACK = 4;

type Props = {
  chat: ChatAddress;
  /** The members of a group; empty otherwise. */
  members: readonly SimulatorMember[];
  readsAtOnce: boolean;
  startsWriting: boolean;
};

/** One customer's conversation with the company. Mounted per customer. */
export function Conversation(props: Props): ReactNode {
  const { chat, members, readsAtOnce, startsWriting } = props;
  const { t } = useTranslation();
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } =
    useConversation(chat);
  const messages = data ?? [];
  const [aim, setAim] = useState<Aim | null>(null);
  const [author, setAuthor] = useState(members[0]?.phone);
  const quotedId = aim?.kind === "reply" ? aim.message.id : undefined;
  const acts = useCustomerActs(chat, { author, quotedId });
  const actions: MessageActions = {
    reply: (message) => setAim({ kind: "reply", message }),
    edit: (message) => setAim({ kind: "edit", message }),
    remove: acts.remove,
    react: acts.react,
    vote: acts.vote,
  };
  const { unsent, send, retry, discard } = useUnsent(chat);
  const onTheWay = unsent.filter(({ id }) => !messages.some((message) => message.id === id));
  const edges = edgesOf(messages);
  const { ref, onScroll } = useStickToEnd(messages[0]?.id);
  const unread = messages.findLast(({ fromCustomer, ack }) => !fromCustomer && ack < READ_ACK);
  useReading(chat, readsAtOnce ? (unread?.id ?? null) : null);

  return (
    <>
      <div
        className={classes["list"]}
        ref={ref}
        onScroll={onScroll}
        role="log"
        aria-label={t("simulator.conversation")}
        aria-busy={isPending}
        tabIndex={0}
      >
        {hasNextPage ? (
          <Button
            className={classes["older"] ?? ""}
            size="xs"
            variant="default"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {t("simulator.older")}
          </Button>
        ) : null}
        {error && messages.length === 0 ? (
          <LoadFailed icon={IconAlertTriangle} error={error} onRetry={() => void refetch()} />
        ) : null}
        {data && messages.length === 0 && onTheWay.length === 0 ? (
          <EmptyState
            icon={IconMessage2}
            title={t("simulator.noMessagesTitle")}
            text={t("simulator.noMessagesText")}
          />
        ) : null}
        {messages.map((message, index) => {
          const edge = edges[index];
          return edge ? (
            <Message key={message.id} message={message} edges={edge} actions={actions} />
          ) : null;
        })}
        {onTheWay.map((message) => (
          <UnsentBubble key={message.id} message={message} onRetry={retry} onDiscard={discard} />
        ))}
      </div>
      {members.length === 0 ? null : (
        <NativeSelect
          className={classes["author"] ?? ""}
          size="xs"
          aria-label={t("simulator.author")}
          value={author ?? ""}
          onChange={(event) => setAuthor(event.currentTarget.value)}
          data={members.map(({ phone, name }) => ({ value: phone, label: name }))}
        />
      )}
      <Composer
        // The field starts with the text to edit.
        key={aim?.kind === "edit" ? aim.message.id : "new"}
        chat={chat}
        aim={aim}
        sends={acts.sends}
        startsWriting={startsWriting}
        onAimless={() => setAim(null)}
        onSend={(body) => {
          if (aim?.kind === "edit") acts.edit(aim.message, body);
          else send({ body, quotedId, author });
          setAim(null);
        }}
      />
    </>
  );
}

/**
 * Marks messages as read while the page is visible. One request per newest unread message, so that an unreachable
 * network is not asked in a loop.
 */
function useReading({ connectionId, phone }: ChatAddress, unreadId: string | null): void {
  const asked = useRef<string | null>(null);
  useEffect(() => {
    if (unreadId === null) return undefined;
    const read = (): void => {
      if (document.visibilityState !== "visible" || asked.current === unreadId) return;
      asked.current = unreadId;
      readAsCustomer({ connectionId, phone }).catch(() => {
        asked.current = null; // the next message or the next look at the page asks again
      });
    };
    read();
    document.addEventListener("visibilitychange", read);
    return () => document.removeEventListener("visibilitychange", read);
  }, [connectionId, phone, unreadId]);
}

/** A list this close to its end stays at its end. */
const NEAR_END_PX = 80;

/**
 * Keeps the scroll position of a list: at the end when it is near it, at the same messages when older ones come
 * in above. `firstId` is the list's first message; one list for the whole life of the component.
 */
function useStickToEnd(firstId: string | undefined): {
  ref: RefObject<HTMLDivElement | null>;
  onScroll: (event: UIEvent) => void;
} {
  const ref = useRef<HTMLDivElement>(null);
  const fromEnd = useRef(0);
  const shownFirst = useRef<string | undefined>(undefined);
  const shownHeight = useRef(0);

  useLayoutEffect(() => {
    const list = ref.current;
    if (!list || list.scrollHeight === shownHeight.current) return;
    const hasMoreAbove = shownFirst.current !== firstId;
    shownFirst.current = firstId;
    shownHeight.current = list.scrollHeight;
    // Away from the end only older messages above are compensated.
    if (fromEnd.current < NEAR_END_PX) scrollToEnd(list, 0);
    else if (hasMoreAbove) scrollToEnd(list, fromEnd.current);
  });

  // A strip or keyboard that reduces the height must not hide the last message.
  useLayoutEffect(() => {
    const list = ref.current;
    if (!list) return undefined;
    const observer = new ResizeObserver(() => {
      if (fromEnd.current < NEAR_END_PX) scrollToEnd(list, 0);
    });
    observer.observe(list);
    return () => observer.disconnect();
  }, []);

  return {
    ref,
    onScroll: ({ currentTarget: list }) => {
      fromEnd.current = list.scrollHeight - list.clientHeight - list.scrollTop;
    },
  };
}

function scrollToEnd(list: HTMLElement, distancePx: number): void {
  list.scrollTop = list.scrollHeight - list.clientHeight - distancePx;
}

type ComposerProps = {
  chat: ChatAddress;
  aim: Aim | null;
  sends: CustomerSends;
  startsWriting: boolean;
  onAimless: () => void;
  onSend: (body: string) => void;
};

/** The text field of the customer. Enter sends, Shift Enter adds a line, Escape cancels a reply or an edit. */
function Composer(props: ComposerProps): ReactNode {
  const { chat, aim, sends, startsWriting, onAimless, onSend } = props;
  const { t } = useTranslation();
  const [text, setText] = useState(aim?.kind === "edit" ? aim.message.body : "");
  const { typed, stopped } = useTypingSignal(chat);

  function send(event: FormEvent): void {
    event.preventDefault();
    const body = text.trim();
    if (body === "") return;
    stopped();
    setText("");
    onSend(body);
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === "Escape" && aim !== null) onAimless();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    send(event);
  }

  return (
    <>
      {aim === null ? null : <AimBar aim={aim} onClose={onAimless} />}
      <form className={classes["composer"]} onSubmit={send}>
        <OnDemand
          part={AttachMenu}
          standIn={
            <IconButton
              label={t("simulator.attach")}
              icon={IconPaperclip}
              aria-haspopup="menu"
              aria-expanded={false}
            />
          }
        >
          <AttachMenu sends={sends} />
        </OnDemand>
        <textarea
          className={classes["field"]}
          autoFocus={startsWriting}
          rows={1}
          value={text}
          maxLength={limits.messageBodyMax}
          aria-label={t("simulator.messageLabel")}
          placeholder={t("simulator.messagePlaceholder")}
          autoComplete="off"
          enterKeyHint="send"
          onKeyDown={onKeyDown}
          onBlur={stopped}
          onChange={(event) => {
            setText(event.target.value);
            if (event.target.value.trim() !== "") typed();
          }}
        />
        <IconButton
          type="submit"
          variant="filled"
          label={t("simulator.send")}
          icon={IconSend2}
          disabled={text.trim() === ""}
        />
      </form>
    </>
  );
}

/** The message that the customer's next text replies to or edits. */
type Aim = { kind: "reply" | "edit"; message: SimulatorMessage };

/** Shows the message above the field, with a button to cancel. */
function AimBar({ aim, onClose }: { aim: Aim; onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["aim"]}>
      <p className="bc-detail bc-fill bc-ellipsis">
        {t(aim.kind === "reply" ? "simulator.replyingTo" : "simulator.editing", {
          text: aim.message.body,
        })}
      </p>
      <IconButton size="small" label={t("common.cancel")} icon={IconX} onClick={onClose} />
    </div>
  );
}
