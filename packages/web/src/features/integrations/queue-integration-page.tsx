import type { Integration } from "@balcao/contract";
import { IconWebhook } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { agoWords } from "../../ui/ago-words.ts";
import { useNow } from "../../ui/clock.ts";
import { QueueDot } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Pill } from "../../ui/marks.tsx";
import { EmptyCell } from "../../ui/page/cells.tsx";
import { RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import { integrationLog, integrationPages, resumeIntegration, testIntegration } from "./api.ts";
import { Deliveries, useLogAddress } from "./deliveries.tsx";
import classes from "./integrations.module.css";
import { failureWords, TypeGlyph } from "./integration-words.tsx";
import { ReceiverName, Stopped, TestButton, TestedState, useTests } from "./receiver-parts.tsx";

const IntegrationDialog = lazyPart(
  async () => (await import("./integration-dialog.tsx")).IntegrationDialog,
  "over",
  "programs",
);
const IntegrationRemoval = lazyPart(
  async () => (await import("./integration-dialog.tsx")).IntegrationRemoval,
  "over",
  "programs",
);

/** "há 2 min" becomes another text after a minute. */
const CLOCK_MS = 20_000;

/** The integrations of the company with their newest deliveries. */
export function QueueIntegrationPage(): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(CLOCK_MS);
  const log = useLogAddress(integrationLog);
  const address = useListAddress(log.place);
  const pages = integrationPages.usePages(address.words);
  const tests = useTests(testIntegration, nowMs);
  const { receiverId } = log;

  const choose = ({ id }: Integration): void =>
    log.change({ receiverId: id === receiverId ? null : id });
  const chosen = pages.rows?.find(({ id }) => id === receiverId);
  const isEmpty = pages.rows?.length === 0 && address.words === "";
  return (
    <RecordPage
      texts="integrations"
      icon={IconWebhook}
      address={address}
      pages={pages}
      nameOf={({ name }) => name}
      onOpen={choose}
      columns={[
        {
          id: "name",
          title: t("integrations.name"),
          isName: true,
          sortBy: ({ name }) => name,
          renderCell: (row) => (
            <span className={classes["name"]}>
              <TypeGlyph type={row.type} />
              <ReceiverName
                name={row.name}
                detail={t(`integrations.types.${row.type}`)}
                isChosen={row.id === receiverId}
                onChoose={() => choose(row)}
              />
            </span>
          ),
        },
        {
          id: "usedBy",
          title: t("integrations.usedBy"),
          isExtra: true,
          renderCell: ({ usedBy }) => <UsedBy usedBy={usedBy} />,
        },
        {
          id: "last",
          title: t("integrations.last"),
          renderCell: (row) => (
            <TestedState tests={tests} id={row.id} news={newsOf(row)}>
              <LastDelivery integration={row} nowMs={nowMs} />
            </TestedState>
          ),
        },
        {
          id: "delivered",
          title: t("integrations.delivered"),
          fit: "content",
          renderCell: ({ delivered, sent }) => <Delivered delivered={delivered} sent={sent} />,
          sortBy: ({ delivered, sent }) => (sent === 0 ? null : delivered / sent),
        },
        {
          id: "test",
          title: t("integrations.test.title"),
          fit: "content",
          renderCell: (row) => (
            <TestButton tests={tests} id={row.id} name={row.name} news={newsOf(row)} />
          ),
        },
      ]}
      renderForm={(integration, onClose) => (
        <IntegrationDialog integration={integration} onClose={onClose} />
      )}
      renderRemoval={(integration, onClose) => (
        <IntegrationRemoval integration={integration} onClose={onClose} />
      )}
      foot={
        isEmpty || pages.rows === undefined ? null : (
          <Deliveries log={integrationLog} address={log} receiverName={chosen?.name ?? null} />
        )
      }
    />
  );
}

const newsOf = ({ lastDelivery }: Integration): string | null => lastDelivery?.at ?? null;

/** The connections and queues whose tickets the integration gets. */
function UsedBy({ usedBy }: Pick<Integration, "usedBy">): ReactNode {
  const { t } = useTranslation();
  const { connections, queues } = usedBy;
  if (connections.length + queues.length === 0) return t("integrations.unused");
  return (
    <span className={classes["usedBy"]}>
      {connections.map(({ id, name }) => (
        <span key={`connection ${id}`}>{t("integrations.connection", { name })}</span>
      ))}
      {queues.map(({ id, name, color }) => (
        <span key={`queue ${id}`}>
          <QueueDot color={color} /> {name}
        </span>
      ))}
    </span>
  );
}

type LastProps = { integration: Integration; nowMs: number };

/** How the newest delivery ended, or that nothing is delivered any more. */
function LastDelivery({ integration, nowMs }: LastProps): ReactNode {
  const { t } = useTranslation();
  const { id, name, lastDelivery, failingSince, stoppedAt } = integration;
  if (stoppedAt !== null) return <Stopped name={name} resume={() => resumeIntegration(id)} />;
  if (lastDelivery === null) return <Pill tone={undefined}>{t("integrations.never")}</Pill>;
  const { state, at } = lastDelivery;
  if (state === "delivered") return <Pill tone="ok">{agoWords(t, at, nowMs)}</Pill>;
  const ago = agoWords(t, failingSince ?? at, nowMs);
  return (
    <Pill tone="bad">
      {t("integrations.failedAgo", { why: failureWords(t, lastDelivery), ago })}
    </Pill>
  );
}

/** From this part of failures on, the count is red. */
const BAD_PART = 0.1;

function Delivered({ delivered, sent }: Pick<Integration, "delivered" | "sent">): ReactNode {
  const { t } = useTranslation();
  if (sent === 0) return <EmptyCell />;
  const isBad = sent - delivered >= sent * BAD_PART && delivered < sent;
  return (
    <span className={classes["figures"]} data-bad={isBad || undefined}>
      {t("integrations.ofSent", { delivered: formatNumber(delivered), sent: formatNumber(sent) })}
    </span>
  );
}
