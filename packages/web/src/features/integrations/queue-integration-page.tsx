import type { Integration } from "@balcao/contract";
import { IconFlask2, IconWebhook, IconX } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { agoWords } from "../../ui/ago-words.ts";
import { Button } from "../../ui/button.tsx";
import { epochMs, useNow } from "../../ui/clock.ts";
import { IconButton, notifyError, notifySuccess, QueueDot } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Pill } from "../../ui/marks.tsx";
import { EmptyCell } from "../../ui/page/cells.tsx";
import { RecordPage, useListAddress } from "../../ui/page/record-page.tsx";
import type { TestAnswer } from "./api.ts";
import { integrationPages, resumeIntegration, testIntegration } from "./api.ts";
import { Deliveries, useLogAddress } from "./deliveries.tsx";
import classes from "./integrations.module.css";
import { failureWords, secondsText, TypeGlyph } from "./integration-words.tsx";

const IntegrationDialog = lazyPart(
  async () => (await import("./integration-dialog.tsx")).IntegrationDialog,
  "over",
  "provider",
);
const IntegrationRemoval = lazyPart(
  async () => (await import("./integration-dialog.tsx")).IntegrationRemoval,
  "over",
  "provider",
);

/** "há 2 min" becomes another text after a minute. */
const CLOCK_MS = 20_000;

/** The integrations of the company with their newest deliveries. */
export function QueueIntegrationPage(): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(CLOCK_MS);
  const log = useLogAddress();
  const address = useListAddress(log.place);
  const pages = integrationPages.usePages(address.words);
  const tests = useTests(nowMs);
  const { integrationId } = log;

  const choose = ({ id }: Integration): void =>
    log.change({ integrationId: id === integrationId ? null : id });
  const chosen = pages.rows?.find(({ id }) => id === integrationId) ?? null;
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
              <button
                type="button"
                className={classes["choose"]}
                aria-pressed={row.id === integrationId}
                onClick={() => choose(row)}
              >
                <span className={classes["nameText"]}>{row.name}</span>
                <span className={classes["type"]}>{t(`integrations.types.${row.type}`)}</span>
              </button>
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
          renderCell: (row) => {
            const test = tests.of(row);
            return test === null ? (
              <LastDelivery integration={row} nowMs={nowMs} />
            ) : (
              <TestResult answer={test} onClose={() => tests.clear(row.id)} />
            );
          },
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
            <Button
              className={classes["test"]}
              size="xs"
              variant="default"
              leftSection={<IconFlask2 size={15} stroke={1.7} aria-hidden="true" />}
              loading={tests.busyId === row.id}
              disabled={tests.busyId !== null}
              aria-label={t("integrations.test.of", { name: row.name })}
              onClick={() => tests.run(row)}
            >
              {t("integrations.test.run")}
            </Button>
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
          <Deliveries address={log} integration={chosen} />
        )
      }
    />
  );
}

/** The answer to a test, and the newest delivery at that time. */
type Tested = { answer: TestAnswer; atMs: number; lastAt: string | undefined };

/** After this time an answer gives way to a newer delivery. */
const READ_MS = 30_000;

/** The tests of this visit of the page; one runs at a time. */
function useTests(nowMs: number) {
  const [tested, setTested] = useState<ReadonlyMap<number, Tested>>(new Map());
  const clear = (id: number): void =>
    setTested((known) => new Map([...known].filter(([one]) => one !== id)));
  const { mutate, isPending, variables } = useMutation({
    mutationFn: ({ id }: Integration) => testIntegration(id),
    onMutate: ({ id }) => clear(id),
    onSuccess: (answer, { id, lastDelivery }) =>
      setTested((known) =>
        new Map(known).set(id, { answer, atMs: epochMs(), lastAt: lastDelivery?.at }),
      ),
    onError: notifyError,
  });
  return {
    of({ id, lastDelivery }: Integration): TestAnswer | null {
      const known = tested.get(id);
      if (known === undefined) return null;
      const isNew = nowMs - known.atMs < READ_MS;
      return isNew || known.lastAt === lastDelivery?.at ? known.answer : null;
    },
    busyId: isPending ? variables.id : null,
    run: (integration: Integration): void => mutate(integration),
    clear,
  };
}

function TestResult({ answer, onClose }: { answer: TestAnswer; onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <span className={classes["result"]} role="status">
      <span className={classes["resultText"]}>
        <Pill tone={answer.isOk ? "ok" : "bad"}>
          {t("integrations.test.result", { result: answerWords(t, answer) })}
        </Pill>
      </span>
      <IconButton
        size="small"
        label={t("integrations.test.close")}
        icon={IconX}
        onClick={onClose}
      />
    </span>
  );
}

/** "200 em 0,3 s", what a bot said, or the reason. */
function answerWords(t: TFunction, answer: TestAnswer): string {
  const { isOk, status, messages, tookMs } = answer;
  const [said] = messages;
  if (isOk && said !== undefined) return t("integrations.test.said", { text: said });
  const time = secondsText(t, tookMs);
  if (status !== null) return t("integrations.test.status", { status, time });
  return isOk ? t("integrations.test.answered", { time }) : failureWords(t, answer);
}

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
  const resuming = useMutation({
    mutationFn: () => resumeIntegration(id),
    onSuccess: () => notifySuccess(t("integrations.resumed", { name })),
    onError: notifyError,
  });
  if (stoppedAt !== null) {
    return (
      <span className={classes["result"]}>
        <Pill tone="bad">{t("integrations.stopped")}</Pill>
        <Button
          size="xs"
          variant="default"
          loading={resuming.isPending}
          aria-label={t("integrations.resumeOf", { name })}
          onClick={() => resuming.mutate()}
        >
          {t("integrations.resume")}
        </Button>
      </span>
    );
  }
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
