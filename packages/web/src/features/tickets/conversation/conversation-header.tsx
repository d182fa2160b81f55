import type { Ticket } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { IconChevronDown, IconChevronLeft, IconDotsVertical } from "@tabler/icons-react";
import type { ReactNode, RefObject } from "react";
import { Suspense, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { Button } from "../../../ui/button.tsx";
import { useNow } from "../../../ui/clock.ts";
import { AppAvatar, IconButton, QueueDot } from "../../../ui/index.ts";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import { OnDemand } from "../../../ui/on-demand.tsx";
import { useCustomerActivity } from "../../messages/index.ts";
import { useQueues } from "../../queues/index.ts";
import { queueOf, queueWithTarget } from "../list/card-texts.ts";
import { AnswerTarget } from "../list/ticket-card.tsx";
import classes from "./conversation.module.css";
import type { TicketAction } from "./ticket-actions.ts";
import type { TicketCommand } from "./ticket-commands.ts";
import { commandLooks } from "./ticket-commands.ts";

// Menus have much code and open after the conversation is shown.
const MoreCommands = lazyPart(async () => (await import("./more-commands.tsx")).MoreCommands);
const ResolveMenu = lazyPart(async () => (await import("./more-commands.tsx")).ResolveMenu);

type Props = {
  ticket: Ticket;
  isNarrow: boolean;
  busyWith: TicketAction | null;
  /** The allowed commands; the first is the primary one. */
  commands: readonly TicketCommand[];
  isContactOpen: boolean;
  onCommand: (command: TicketCommand) => void;
  onBack: () => void;
  end?: ReactNode;
};

/** Below this width only the primary action and the menu fit beside the name. */
const COMPACT_BELOW_PX = 560;

/** The commands with an own button if there is space. */
const withButton: ReadonlySet<TicketCommand> = new Set([
  ...(["pin", "unpin", "snooze", "unsnooze"] as const),
  ...(["schedule", "transfer", "return"] as const),
]);

/** The customer of the ticket and its commands. */
export function ConversationHeader(props: Props): ReactNode {
  const { ticket, isNarrow, busyWith, isContactOpen, onCommand, onBack } = props;
  const { t } = useTranslation();
  const headerRef = useRef<HTMLElement>(null);
  const isCompact = useIsCompact(headerRef, COMPACT_BELOW_PX) || isNarrow;
  const [primary, ...others] = props.commands;
  const buttons = others.filter((id) => withButton.has(id) && !isCompact);
  const inMenu = others.filter((id) => !buttons.includes(id));
  const isBusy = busyWith !== null;
  // Without the list this is the first heading.
  const Heading = isNarrow ? "h1" : "h2";

  return (
    <header ref={headerRef} className={classes["header"]}>
      {isNarrow ? (
        <IconButton
          className={classes["back"]}
          label={t("tickets.back")}
          icon={IconChevronLeft}
          onClick={onBack}
        />
      ) : null}
      <span className={classes["avatar"]}>
        <AppAvatar name={ticket.contact.name} id={ticket.contact.id} size={40} />
      </span>
      <div className="bc-fill">
        <Heading className={classes["name"]}>
          <button
            type="button"
            className={classes["contact"]}
            title={`${t("tickets.contact")} (Alt I)`}
            aria-expanded={isContactOpen}
            onClick={() => onCommand("contact")}
          >
            {isNarrow ? <ShortName name={ticket.contact.name} /> : ticket.contact.name}
          </button>
        </Heading>
        <Line ticket={ticket} isNarrow={isNarrow} />
      </div>
      <div className={classes["actions"]}>
        {isCompact ? null : <TicketTarget ticket={ticket} />}
        {buttons.map((id) => (
          <IconButton
            key={id}
            label={t(`tickets.${id}`)}
            shortcut={commandLooks[id].keys}
            icon={commandLooks[id].icon}
            disabled={isBusy}
            onClick={() => onCommand(id)}
          />
        ))}
        {primary === undefined ? null : (
          <Primary
            command={primary}
            isRunning={busyWith === primary}
            isDisabled={isBusy && busyWith !== primary}
            onClick={() => onCommand(primary)}
          />
        )}
        {primary === "resolve" ? (
          <OnDemand
            part={ResolveMenu}
            standIn={
              <IconButton
                className={classes["options"]}
                label={t("tickets.resolveOptions")}
                icon={IconChevronDown}
                disabled={isBusy}
                aria-haspopup="menu"
                aria-expanded={false}
              />
            }
          >
            <ResolveMenu
              className={classes["options"] ?? ""}
              isDisabled={isBusy}
              onAsk={() => onCommand("resolveAsking")}
            />
          </OnDemand>
        ) : null}
        {inMenu.length === 0 ? null : (
          <OnDemand
            part={MoreCommands}
            standIn={
              <IconButton
                label={t("tickets.more")}
                icon={IconDotsVertical}
                disabled={isBusy}
                aria-haspopup="menu"
                aria-expanded={false}
              />
            }
          >
            <MoreCommands commands={inMenu} isDisabled={isBusy} onCommand={onCommand} />
          </OnDemand>
        )}
        {props.end}
      </div>
    </header>
  );
}

/** The target of the answer that the customer waits for. */
export function TicketTarget({ ticket }: { ticket: Ticket }): ReactNode {
  const queue = queueWithTarget(useQueues(), ticket);
  const nowMs = useNow(limits.timeLabelRefreshMs);
  if (!queue) return null;
  return (
    <Suspense fallback={null}>
      <AnswerTarget ticket={ticket} queue={queue} nowMs={nowMs} place="header" />
    </Suspense>
  );
}

type PrimaryProps = {
  command: TicketCommand;
  isRunning: boolean;
  isDisabled: boolean;
  onClick: () => void;
};

function Primary({ command, isRunning, isDisabled, onClick }: PrimaryProps): ReactNode {
  const { t } = useTranslation();
  const { icon: Sign, keys } = commandLooks[command];
  return (
    <Button
      className={classes["primary"]}
      leftSection={<Sign size={17} stroke={1.9} aria-hidden="true" />}
      loading={isRunning}
      disabled={isDisabled}
      aria-keyshortcuts={keys?.replace(" ", "+")}
      title={keys}
      onClick={onClick}
    >
      {t(`tickets.${command}`)}
    </Button>
  );
}

/** A long name would push the actions off a narrow screen (spec 2, 9); screen readers get the full name. */
function ShortName({ name }: { name: string }): ReactNode {
  const letters = Array.from(name);
  if (letters.length <= limits.mobileNameLength) return name;
  return (
    <>
      <span aria-hidden="true">
        {letters.slice(0, limits.mobileNameLength).join("").trimEnd()}…
      </span>
      <span className="bc-hidden-text">{name}</span>
    </>
  );
}

/** Queue and number, or the customer's typing. */
function Line({ ticket, isNarrow }: { ticket: Ticket; isNarrow: boolean }): ReactNode {
  const { t } = useTranslation();
  const activity = useCustomerActivity(ticket.id);
  if (activity !== null) {
    return (
      <p className={classes["activity"]} role="status">
        {t(`messages.${activity}`)}
      </p>
    );
  }
  const queue = queueOf(ticket);
  const name = queue?.name ?? t("tickets.noQueue");
  return (
    <p className={classes["line"]}>
      <QueueDot color={queue?.color ?? "var(--bc-line2)"} />
      <span className={classes["cut"]}>
        {isNarrow ? name : `${name}, ${t("tickets.number", { id: ticket.id })}`}
      </span>
    </p>
  );
}

/** True while an element is narrower than `belowPx`. */
function useIsCompact(ref: RefObject<HTMLElement | null>, belowPx: number): boolean {
  const [isCompact, setIsCompact] = useState(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = (): void => {
      const widthPx = element.getBoundingClientRect().width;
      // Before the first layout.
      if (widthPx > 0) setIsCompact(widthPx < belowPx);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref, belowPx]);
  return isCompact;
}
