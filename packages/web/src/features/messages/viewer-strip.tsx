import type { AgentState } from "@balcao/contract";
import { IconEye, IconMicrophone, IconPencil } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { AppAvatar } from "../../ui/index.ts";
import { useTicketViewers } from "./ticket-viewers.ts";
import classes from "./viewer-strip.module.css";

const AVATARS_MAX = 3;
/** Worst first: two answers at once are what this is there to avoid. */
const states = ["typing", "recording", "viewing"] as const satisfies readonly AgentState[];
const icons = { typing: IconPencil, recording: IconMicrophone, viewing: IconEye };

/** Which colleagues have the ticket open, and who of them is about to answer. Nothing when nobody. */
export function ViewerStrip({ ticketId }: { ticketId: number }): ReactNode {
  const { t } = useTranslation();
  const viewers = useTicketViewers(ticketId);
  if (viewers.length === 0) return null;
  const shown = states.find((state) => viewers.some((one) => one.state === state)) ?? "viewing";
  const doing = viewers.filter((one) => one.state === shown).map((one) => one.user.name);
  const StateIcon = icons[shown];
  const text =
    doing.length === 1
      ? t(`messages.viewers.${shown}`, { name: doing[0] ?? "" })
      : t(`messages.viewers.${shown}Several`, { names: doing.join(", ") });
  return (
    <div className={classes["strip"]} role="status" data-state={shown}>
      <span className={classes["avatars"]} title={viewers.map((one) => one.user.name).join(", ")}>
        {viewers.slice(0, AVATARS_MAX).map(({ user }) => (
          <AppAvatar key={user.id} name={user.name} id={user.id} size={20} />
        ))}
      </span>
      <StateIcon size={14} stroke={1.7} aria-hidden="true" />
      <span className={classes["text"]}>{text}</span>
    </div>
  );
}
