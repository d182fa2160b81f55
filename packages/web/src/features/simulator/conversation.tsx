import type { SimulatorMember } from "@balcao/contract";
import { Button, NativeSelect } from "@mantine/core";
import { IconAlertTriangle, IconMessage2 } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { EmptyState, LoadFailed } from "../../ui/index.ts";
import type { Aim } from "./aim.tsx";
import type { ChatAddress } from "./api.ts";
import { readAsCustomer, useConversation } from "./api.ts";
import { Bubble, edgesOf, UnsentBubble } from "./bubbles.tsx";
import classes from "./bubbles.module.css";
import { Composer } from "./composer.tsx";
import type { MessageActions } from "./message-menu.tsx";
import { useCustomerActs } from "./sends.ts";
import { useStickToEnd } from "./stick-to-end.ts";
import { useUnsent } from "./unsent.ts";

/** A message of the company with less than this has not been read by the customer. */
const READ_ACK = 4;

type Props = {
  chat: ChatAddress;
  /** Of a group; empty otherwise. */
  members: readonly SimulatorMember[];
  readsAtOnce: boolean;
  startsWriting: boolean;
};

/** One customer's conversation with the company. Mounted anew for each customer. */
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
            <Bubble key={message.id} message={message} edges={edge} actions={actions} />
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
        // A text to edit stands in the field from the start.
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
 * The customer reads while somebody looks at his phone. Asked once for each newest unread message: a network that is out
 * of reach must not be asked again and again.
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
