import { limits } from "@balcao/contract/limits";
import {
  IconMessageCircle,
  IconPencil,
  IconPhone,
  IconRepeat,
  IconTrash,
  IconUser,
  IconX,
} from "@tabler/icons-react";
import type { ReactNode, RefObject } from "react";
import { useEffect, useLayoutEffect, useRef } from "react";
import { ApiError } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { AppAvatar, errorText, IconButton } from "../../ui/index.ts";
import { openNewTicket } from "../tickets/index.ts";
import type { ShownSchedule } from "./calendar-api.ts";
import { isChangeable, stateOf } from "./calendar-view.ts";
import { localOf, momentOf } from "./schedule-words.ts";
import { StateIcon } from "./state-icon.tsx";

type Props = {
  schedule: ShownSchedule;
  /** The entry that was pressed; the card stands beside it. */
  anchor: HTMLElement;
  onEdit: () => void;
  onDelete: () => void;
  onClose: () => void;
};

/** Reasons that another number of the contact takes away. */
const numberErrors: ReadonlySet<string> = new Set([
  "ERR_WAPP_INVALID_CONTACT",
  "ERR_CONTACT_NUMBER_CHANGED",
]);

const WIDTH_PX = 316;
const GAP_PX = 8;

/** The whole of a scheduled message, beside its entry in the calendar. */
export function ScheduleCard({ schedule, anchor, onEdit, onDelete, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const card = usePlace(anchor);
  const { contact, body, sendAt, user, connection, series, errorCode } = schedule;
  const state = stateOf(schedule);
  useClosing(card, anchor, onClose);
  return (
    <div
      ref={card}
      role="dialog"
      aria-label={t("schedules.card", { name: contact.name })}
      className="sc-card"
    >
      <div className="sc-card-head">
        <AppAvatar name={contact.name} id={contact.id} size={32} />
        <div className="bc-fill">
          <p className="sc-card-name">{contact.name}</p>
          <p className="bc-meta">{t("schedules.when", momentOf(localOf(sendAt)))}</p>
        </div>
        <IconButton size="small" label={t("common.close")} icon={IconX} onClick={onClose} />
      </div>
      <p className="sc-card-body">{body}</p>
      <p className="sc-reason" data-state={state}>
        <StateIcon schedule={schedule} />
        <span>
          <strong>{t(`schedules.states.${state}`)}</strong>
          {errorCode === null
            ? null
            : ` ${errorText(t, new ApiError({ status: 400, code: errorCode }))}`}
        </span>
      </p>
      <p className="sc-card-facts">
        <span>
          <IconUser size={15} stroke={1.7} aria-hidden="true" />
          {user.name === "" ? t("schedules.formerUser") : user.name}
        </span>
        {connection ? (
          <span>
            <IconPhone size={15} stroke={1.7} aria-hidden="true" />
            {connection.name}
          </span>
        ) : null}
        {series === null ? null : (
          <span>
            <IconRepeat size={15} stroke={1.7} aria-hidden="true" />
            {t(`schedules.repeat.${series.repeat.every}`)}
          </span>
        )}
      </p>
      <div className="sc-card-actions">
        <IconButton
          label={t("schedules.conversation")}
          icon={IconMessageCircle}
          onClick={() => {
            onClose();
            openNewTicket({ contact });
          }}
        />
        {errorCode !== null && numberErrors.has(errorCode) ? (
          <Link className="bc-text-button" to={`/contacts?edit=${contact.id}`}>
            {t("schedules.fixNumber")}
          </Link>
        ) : null}
        <IconButton
          label={t(isChangeable(schedule) ? "schedules.change" : "schedules.open")}
          icon={IconPencil}
          onClick={onEdit}
        />
        <IconButton label={t("schedules.remove")} icon={IconTrash} onClick={onDelete} />
      </div>
    </div>
  );
}

/** Beside the entry and inside the window; a narrow window has the card at its bottom edge. */
function usePlace(anchor: HTMLElement): RefObject<HTMLDivElement | null> {
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { innerWidth, innerHeight } = window;
    const element = card.current;
    if (element === null || innerWidth < limits.drawerOverlayBelowPx) return;
    const entry = anchor.getBoundingClientRect();
    const right = entry.right + GAP_PX;
    const left = entry.left - WIDTH_PX - GAP_PX;
    const beside = right + WIDTH_PX < innerWidth ? right : left;
    const lowest = innerHeight - element.offsetHeight - GAP_PX;
    element.style.left = `${Math.max(GAP_PX, Math.min(beside, innerWidth - WIDTH_PX - GAP_PX))}px`;
    element.style.top = `${Math.max(GAP_PX, Math.min(entry.top - GAP_PX, lowest))}px`;
  }, [anchor]);
  return card;
}

/** Takes the focus, and gives it back to the entry; closes on Escape and a press elsewhere. */
function useClosing(
  card: { current: HTMLElement | null },
  anchor: HTMLElement,
  onClose: () => void,
) {
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    const element = card.current;
    element?.querySelector("button")?.focus({ preventScroll: true });
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      close.current();
      anchor.focus({ preventScroll: true });
    };
    const onPointerDown = (event: PointerEvent): void => {
      const isInside = event.target instanceof Node && element?.contains(event.target);
      if (!isInside) close.current();
    };
    document.addEventListener("keydown", onKeyDown);
    document.addEventListener("pointerdown", onPointerDown);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
      document.removeEventListener("pointerdown", onPointerDown);
    };
  }, [card, anchor]);
}
