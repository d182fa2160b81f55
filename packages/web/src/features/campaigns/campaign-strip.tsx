import type { CampaignLine, ConnectionStatus } from "@balcao/contract";
import { IconPlugConnected } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { ConnectionPill } from "../../ui/index.ts";
import { lineCount, lineWords } from "./campaign-words.ts";
import classes from "./campaigns.module.css";

const CELLS = 3;
const statuses = [
  "CONNECTED",
  "OPENING",
  "PAIRING",
  "qrcode",
  "TIMEOUT",
  "DISCONNECTED",
] as const satisfies readonly ConnectionStatus[];

/** The connections of campaigns that run or are planned: today's people, and what holds them back. */
export function CampaignStrip({
  lines,
  nowMs,
}: {
  lines: readonly CampaignLine[];
  nowMs: number;
}): ReactNode {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const used = lines.filter(({ running, planned }) => running + planned > 0);
  if (used.length === 0) return null;
  const others = used.length - CELLS;
  return (
    <section className={classes["strip"]} aria-label={t("campaigns.line.label")}>
      {/* Reached by the keyboard too, where it scrolls sideways. */}
      <ul className={classes["cells"]} tabIndex={0} aria-label={t("campaigns.line.label")}>
        {used.slice(0, isOpen ? undefined : CELLS).map((line) => (
          <Cell key={line.connection.id} line={line} nowMs={nowMs} />
        ))}
      </ul>
      {others > 0 ? (
        <button
          type="button"
          className={classes["others"]}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? t("campaigns.line.fewer") : t("campaigns.line.others", { count: others })}
        </button>
      ) : null}
    </section>
  );
}

function Cell({ line, nowMs }: { line: CampaignLine; nowMs: number }): ReactNode {
  const { t } = useTranslation();
  const { connection, isOfficial, newToday, newMax } = line;
  const status = statuses.find((one) => one === connection.status) ?? "DISCONNECTED";
  const words = lineWords(t, line, nowMs);
  const { done, rest } = lineCount(t, line);
  const isUsedUp = newMax !== null && newToday >= newMax;
  const look = status !== "CONNECTED" ? "down" : isUsedUp ? "full" : undefined;
  return (
    <li className={classes["cell"]}>
      <div className={classes["lineHead"]}>
        <IconPlugConnected size={17} stroke={1.7} aria-hidden="true" />
        <span className={classes["lineName"]}>{connection.name}</span>
        {isOfficial ? <span className="bc-detail">{t("campaigns.line.api")}</span> : null}
        <span className={classes["linePill"]}>
          <ConnectionPill status={status} />
        </span>
      </div>
      <Bar done={newToday} of={newMax ?? 0} look={look} />
      <div className={classes["lineFoot"]}>
        <span>
          <strong>{done}</strong> {rest}
        </span>
        {words === null ? null : (
          <span className={classes["words"]} data-tone={words.tone ?? undefined}>
            {words.text}
          </span>
        )}
      </div>
    </li>
  );
}

type BarProps = {
  done: number;
  of: number;
  /** `full`: today's limit is used up; `down`: the connection is down; `still`: it does not go on. */
  look?: "full" | "down" | "still" | undefined;
};

/** How much is done. The numbers stand beside it. */
export function Bar({ done, of, look }: BarProps): ReactNode {
  const percent = of === 0 ? 0 : Math.min(100, (100 * done) / of);
  return (
    <span className={classes["bar"]} data-look={look} aria-hidden="true">
      <span style={{ width: `${percent}%` }} />
    </span>
  );
}
