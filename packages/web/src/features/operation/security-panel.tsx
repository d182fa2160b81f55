import type { SecurityCheck, SecurityState } from "@balcao/contract";
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconInfoCircle,
  IconRefresh,
  IconServerOff,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useId } from "react";
import { call } from "../../api/client.ts";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { formatSecond } from "../../ui/ago-words.ts";
import { Button } from "../../ui/button.tsx";
import { ListSkeleton, LoadFailed, NoticeStrip } from "../../ui/index.ts";
import classes from "./security-panel.module.css";

/** The list of parts with their licences, which the build writes beside the page. */
const COMPONENTS = "/third-party.txt";

const states = ["act", "look", "good"] as const satisfies readonly SecurityState[];
const signs = { act: IconAlertTriangle, look: IconInfoCircle, good: IconCircleCheck } as const;

/** How safe the installation is set up: what must be done first, then what is worth a look, then what is in order. */
export function SecurityPanel(): ReactNode {
  const { t } = useTranslation();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["operation", "security"],
    queryFn: ({ signal }) => call("GET /operation/security", {}, { signal }),
    staleTime: 0,
    retry: false,
  });
  if (data === undefined) {
    return error === null ? (
      <ListSkeleton rows={6} />
    ) : (
      <LoadFailed icon={IconServerOff} error={error} onRetry={() => void refetch()} />
    );
  }
  const time = formatSecond(data.at);
  const isFine = data.checks.every(({ state }) => state === "good");
  return (
    <div className={classes["panel"]}>
      {error === null ? null : (
        <NoticeStrip
          tone="warn"
          icon={IconAlertTriangle}
          title={t("selfCheck.stale", { time })}
          action={{ label: t("common.retry"), onClick: () => void refetch() }}
        />
      )}
      <div className={classes["bar"]}>
        <p className={classes["intro"]}>
          {t("selfCheck.intro")} <span role="status">{t("selfCheck.readAt", { time })}</span>
        </p>
        <Button
          variant="default"
          size="xs"
          loading={isFetching}
          leftSection={<IconRefresh size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => void refetch()}
        >
          {t("selfCheck.again")}
        </Button>
      </div>
      {isFine ? (
        <p className={classes["fine"]}>
          <IconCircleCheck size={22} stroke={1.7} aria-hidden="true" />
          <span>
            <strong>{t("selfCheck.fine")}</strong> {t("selfCheck.fineText")}
          </span>
        </p>
      ) : null}
      {states.map((state) => (
        <Group
          key={state}
          state={state}
          checks={data.checks.filter((one) => one.state === state)}
        />
      ))}
      <p className={classes["guide"]}>
        {t("selfCheck.guide")}
        <br />
        <a href={COMPONENTS} target="_blank" rel="noreferrer">
          {t("selfCheck.components")}
        </a>
      </p>
    </div>
  );
}

type GroupProps = { state: SecurityState; checks: readonly SecurityCheck[] };

function Group({ state, checks }: GroupProps): ReactNode {
  const { t } = useTranslation();
  const title = useId();
  if (checks.length === 0) return null;
  const Sign = signs[state];
  return (
    <section className={classes["card"]} aria-labelledby={title}>
      <h2 id={title} className={classes["title"]}>
        {t(`selfCheck.state.${state}`)} <span>{formatNumber(checks.length)}</span>
      </h2>
      <ul className={classes["list"]} data-state={state}>
        {checks.map((one) => (
          <li key={one.check}>
            <Sign size={19} stroke={1.7} className={classes["sign"]} aria-hidden="true" />
            <Check one={one} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A check that is in order needs no reasons. */
function Check({ one }: { one: SecurityCheck }): ReactNode {
  const { t } = useTranslation();
  const { check, state, finding, count, subjects } = one;
  const number = count > 0 ? `: ${formatNumber(count)}` : "";
  return (
    <div className={classes["check"]}>
      <h3>{t(`selfCheck.check.${check}.title`)}</h3>
      <p className={classes["found"]}>
        {t(`selfCheck.found.${finding}`)}
        {number}
        {subjects.length > 0 ? <span> ({subjects.join(", ")})</span> : null}
      </p>
      {state === "good" ? null : (
        <dl className={classes["advice"]}>
          <dt>{t("selfCheck.why")}</dt>
          <dd>{t(`selfCheck.check.${check}.why`)}</dd>
          <dt>{t("selfCheck.todo")}</dt>
          <dd>{t(`selfCheck.check.${check}.todo`)}</dd>
        </dl>
      )}
    </div>
  );
}
