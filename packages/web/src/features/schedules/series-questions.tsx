import type { Schedule } from "@balcao/contract";
import type { ReactNode } from "react";
import { useId, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { ActionQuestion } from "../../ui/dialogs/question-dialog.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { notifySuccess } from "../../ui/toasts.tsx";
import type { Scope } from "./api.ts";
import { deleteSchedule } from "./api.ts";
import { dayMonth, localOf, momentOf, weekdayName } from "./schedule-words.ts";

type ScopeProps = {
  /** When the message of the series is sent. */
  sendAt: string;
  value: Scope;
  onChange: (scope: Scope) => void;
};

/** Whether one message of a series is meant, or also all later ones. */
export function ScopeChoice({ sendAt, value, onChange }: ScopeProps): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const day = localOf(sendAt).slice(0, 10);
  return (
    <div className="sc-scope">
      <span id={id} className="bc-hidden-text">
        {t("schedules.scope.label")}
      </span>
      <Segmented
        value={value}
        choices={[
          {
            value: "one",
            label: t("schedules.scope.one", { day: `${weekdayName(day)}, ${dayMonth(day)}` }),
          },
          { value: "following", label: t("schedules.scope.following") },
        ]}
        onChange={onChange}
        aria-labelledby={id}
      />
      {value === "following" ? <p className="bc-small">{t("schedules.scope.sentStay")}</p> : null}
    </div>
  );
}

type DeleteProps = {
  schedule: Schedule;
  /** Undefined: it is asked for, if the message belongs to a series. */
  scope?: Scope;
  onDeleted?: () => void;
  onClose: () => void;
};

/** Asks before a scheduled message is deleted. */
export function DeleteQuestion({ schedule, scope, onDeleted, onClose }: DeleteProps): ReactNode {
  const { t } = useTranslation();
  const { id, contact, sendAt, series } = schedule;
  const [chosen, setChosen] = useState<Scope>(scope ?? "one");
  return (
    <ActionQuestion
      isDestructive
      title={t("schedules.deleteTitle", { name: contact.name })}
      text={chosen === "one" ? whenText(sendAt) : t("schedules.deleteFollowing")}
      confirm={t("common.deleteConfirm")}
      run={() => deleteSchedule(id, chosen)}
      onDone={() => {
        notifySuccess(t("schedules.deleted"));
        onDeleted?.();
      }}
      onClose={onClose}
    >
      {scope === undefined && series !== null ? (
        <ScopeChoice sendAt={sendAt} value={chosen} onChange={setChosen} />
      ) : null}
    </ActionQuestion>
  );

  function whenText(iso: string): string {
    return t("schedules.when", momentOf(localOf(iso)));
  }
}

type MoveProps = {
  /** The message that was moved, and its new time: `YYYY-MM-DDTHH:mm`. */
  schedule: Schedule;
  to: string;
  move: (scope: Scope) => Promise<unknown>;
  onMoved: () => void;
  /** It stays where it was. */
  onClose: () => void;
};

/** Asks whether a moved message takes the later ones of its series along. */
export function MoveQuestion({ schedule, to, move, onMoved, onClose }: MoveProps): ReactNode {
  const { t } = useTranslation();
  const isMoved = useRef(false);
  const [scope, setScope] = useState<Scope>("one");
  return (
    <ActionQuestion
      title={t("schedules.moveTitle", momentOf(to))}
      text={t("schedules.moveText", { name: schedule.contact.name })}
      confirm={t("schedules.move")}
      run={() => move(scope)}
      onDone={() => {
        isMoved.current = true;
      }}
      onClose={() => (isMoved.current ? onMoved() : onClose())}
    >
      <ScopeChoice sendAt={schedule.sendAt} value={scope} onChange={setScope} />
    </ActionQuestion>
  );
}
