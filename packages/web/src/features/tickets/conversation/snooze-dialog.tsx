import type { Ticket } from "@balcao/contract";
import {
  IconCalendarWeek,
  IconClock,
  IconMessageReply,
  IconMoon,
  IconSun,
  IconSunrise,
} from "@tabler/icons-react";
import type { Icon } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { formatDayLabel, formatTime } from "../../../i18n/format.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { epochMs } from "../../../ui/clock.ts";
import { DialogFrame } from "../../../ui/dialogs/dialog-frame.tsx";
import { notifyError } from "../../../ui/index.ts";
import { useSession } from "../../auth/index.ts";
import { useQueues } from "../../queues/index.ts";
import { useCompany, useSetting } from "../../settings/index.ts";
import { snoozeTicket } from "../api.ts";
import classes from "./dialog.module.css";
import type { OpenTimes, SnoozeTime } from "./snooze-times.ts";
import { snoozeTimes } from "./snooze-times.ts";
import type { Leave } from "./ticket-actions.ts";

type Props = {
  ticket: Ticket;
  opened: boolean;
  /** Called before the ticket leaves; its result is called afterwards. */
  onLeave: () => Leave;
  onClose: () => void;
};

const icons: Readonly<Record<SnoozeTime["id"], Icon>> = {
  hour: IconClock,
  afternoon: IconSun,
  evening: IconMoon,
  tomorrow: IconSunrise,
  opening: IconSunrise,
  nextWeek: IconCalendarWeek,
  reply: IconMessageReply,
};

/** Puts a ticket off: a press on one of the times does it. */
export function SnoozeDialog({ ticket, opened, onLeave, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const hours = useOpenTimes(ticket);
  const { name } = ticket.contact;
  const snooze = useMutation({
    mutationFn: (until: Date | null) => snoozeTicket(ticket.id, until),
  });

  function choose(until: Date | null): void {
    const leave = onLeave();
    snooze.mutate(until, {
      onSuccess: ({ undo }) => {
        onClose();
        leave({ kind: "snoozed", name, undo });
      },
      onError: notifyError,
    });
  }

  const times = opened ? snoozeTimes(new Date(epochMs()), user.company.timeZone, hours) : [];
  return (
    <DialogFrame opened={opened} onClose={onClose} title={t("tickets.snoozing.title", { name })}>
      <p className="bc-small">{t("tickets.snoozing.help")}</p>
      <ul className={classes["times"]}>
        {times.map(({ id, until }, index) => {
          const Sign = icons[id];
          return (
            <li key={id}>
              <button
                type="button"
                className={classes["time"]}
                disabled={snooze.isPending}
                data-autofocus={index === 0 || undefined}
                onClick={() => choose(until)}
              >
                <Sign size={17} stroke={1.7} aria-hidden="true" />
                {t(`tickets.snoozing.${id}`)}
                {until === null ? null : <span className={classes["meta"]}>{shown(until)}</span>}
              </button>
            </li>
          );
        })}
      </ul>
    </DialogFrame>
  );
}

function shown(until: Date): string {
  const iso = until.toISOString();
  return `${formatDayLabel(iso)}, ${formatTime(iso)}`;
}

const alwaysOpen: OpenTimes = { days: [], holidays: null };

/** The hours that count for the ticket; none where the company checks none. */
function useOpenTimes({ queue }: Ticket): OpenTimes {
  const type = useSetting("scheduleType");
  const { user } = useSession();
  const { data: company } = useCompany(user.companyId, { enabled: type !== "disabled" });
  const queues = useQueues();
  if (company === undefined || type === "disabled") return alwaysOpen;
  const { schedules, holidays } = company;
  if (type === "company") return { days: schedules, holidays };
  return { days: queues?.find(({ id }) => id === queue?.id)?.schedules ?? [], holidays };
}
