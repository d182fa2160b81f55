import "@mantine/core/styles/Tabs.layer.css";
import { Tabs } from "@mantine/core";
import {
  IconAlertCircle,
  IconClock,
  IconEye,
  IconEyeOff,
  IconReload,
  IconWebhook,
} from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { formatDate, formatTime } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { formatSecond } from "../../ui/ago-words.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock, CopyButton, JsonText, prettyJson } from "../../ui/code-block.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import {
  ErrorWords,
  IconButton,
  ListSkeleton,
  LoadFailed,
  notifyError,
  notifySuccess,
} from "../../ui/index.ts";
import { ActionQuestion } from "../../ui/page/record-page.tsx";
import { useSession } from "../auth/index.ts";
import type { DeliveryLog, ShownRow } from "./api.ts";
import { sendAgain, useDelivery } from "./api.ts";
import { kindWords, secondsText } from "./integration-words.tsx";
import classes from "./integrations.module.css";

const tabs = ["request", "answer", "signature"] as const;
type DetailTab = (typeof tabs)[number];

type Props = { log: DeliveryLog; deliveryId: number };

/** One delivery over the page, for narrow screens. */
export function DeliveryPanel({ onClose, ...props }: Props & { onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <DialogFrame opened isSide title={t("integrations.detail.title")} onClose={onClose}>
      <DeliveryDetail {...props} />
    </DialogFrame>
  );
}

/** What was sent to a receiver, what it answered, and how it checks that it came from here. */
export function DeliveryDetail({ log, deliveryId }: Props): ReactNode {
  const { data, error, refetch } = useDelivery(log, deliveryId);
  if (data !== undefined) return <Shown log={log} delivery={data} />;
  if (!error) return <ListSkeleton rows={5} />;
  return <LoadFailed icon={IconWebhook} error={error} onRetry={() => void refetch()} />;
}

type ShownProps = { log: DeliveryLog; delivery: ShownRow };

function Shown({ log, delivery }: ShownProps): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const [tab, setTab] = useState<DetailTab>("request");
  const { id, kind, createdAt, tries, state, receiverId } = delivery;
  const again = useMutation({
    mutationFn: () => sendAgain(log, [id]),
    onSuccess: (count) => notifySuccess(t("integrations.log.again", { count })),
    onError: notifyError,
  });
  const request = requestText(delivery);
  const answer = prettyJson(delivery.answer);
  const isSigned = Object.keys(delivery.requestHeaders).some(
    (name) => name.toLowerCase() === "webhook-signature",
  );
  const shown = tabs.filter(
    (one) => one !== "signature" || (isSigned && can(log.secretPermission)),
  );

  return (
    <article className={classes["detail"]}>
      <div className={classes["detailHead"]}>
        <div className="bc-fill">
          <h3 className={classes["logTitle"]}>{kindWords(t, kind)}</h3>
          <p className="bc-detail">
            {formatDate(createdAt)}, {formatSecond(createdAt)},{" "}
            {t("integrations.detail.tries", { count: tries })}
          </p>
        </div>
        <Button
          variant="default"
          leftSection={<IconReload size={15} stroke={1.7} aria-hidden="true" />}
          disabled={state === "waiting"}
          loading={again.isPending}
          onClick={() => again.mutate()}
        >
          {t("integrations.detail.again")}
        </Button>
      </div>
      <Outcome log={log} delivery={delivery} />
      <Tabs
        value={tab}
        onChange={(next) => setTab(tabs.find((one) => one === next) ?? "request")}
        keepMounted={false}
      >
        <div className={classes["tabs"]}>
          <Tabs.List className="bc-fill">
            {shown.map((one) => (
              <Tabs.Tab key={one} value={one}>
                {t(`integrations.detail.tabs.${one}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {tab === "signature" || (tab === "answer" && answer === "") ? null : (
            <CopyButton
              text={tab === "request" ? request : answer}
              label={t(`integrations.detail.copy.${tab}`)}
            />
          )}
        </div>
        <Tabs.Panel value="request" className={classes["panel"] ?? ""}>
          <CodeBlock label={t("integrations.detail.tabs.request")}>
            <strong>{delivery.method}</strong> {delivery.url}
            {"\n"}
            {headerLines(delivery)}
            {"\n\n"}
            <JsonText text={prettyJson(delivery.request)} />
          </CodeBlock>
        </Tabs.Panel>
        <Tabs.Panel value="answer" className={classes["panel"] ?? ""}>
          {answer === "" ? (
            <p className="bc-small">
              {t(
                delivery.status === null
                  ? "integrations.detail.noAnswer"
                  : "integrations.detail.emptyAnswer",
              )}
            </p>
          ) : (
            <CodeBlock label={t("integrations.detail.tabs.answer")}>
              <JsonText text={answer} />
            </CodeBlock>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="signature" className={classes["panel"] ?? ""}>
          <Signature log={log} receiverId={receiverId} />
        </Tabs.Panel>
      </Tabs>
    </article>
  );
}

const headerLines = ({ requestHeaders }: ShownRow): string =>
  Object.entries(requestHeaders)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

const requestText = (delivery: ShownRow): string =>
  `${delivery.method} ${delivery.url}\n${headerLines(delivery)}\n\n${prettyJson(delivery.request)}`;

/** How it ended; a failure says what became of the conversation. */
function Outcome({ log, delivery }: ShownProps): ReactNode {
  const { t } = useTranslation();
  const { state, tries, nextTryAt } = delivery;
  if (state === "waiting") {
    return (
      <p className={classes["notice"]} data-tone={tries === 0 ? "info" : "warn"}>
        <IconClock size={17} stroke={1.7} aria-hidden="true" />
        <span>
          {tries === 0 ? null : <strong>{reasonOf(t, delivery)} </strong>}
          {nextTryAt === null
            ? t("integrations.detail.waits")
            : t("integrations.detail.nextTry", { time: formatTime(nextTryAt) })}
        </span>
      </p>
    );
  }
  if (state === "delivered") {
    const { status, tookMs } = delivery;
    if (status === null || tookMs === null) return null;
    return (
      <p className="bc-small">
        {t("integrations.detail.answered", { status, time: secondsText(t, tookMs) })}
      </p>
    );
  }
  return (
    <p className={classes["notice"]} data-tone="bad">
      <IconAlertCircle size={17} stroke={1.7} aria-hidden="true" />
      <span>
        <strong>{reasonOf(t, delivery)}</strong> {t(`integrations.detail.failed.${log.receiver}`)}
      </span>
    </p>
  );
}

function reasonOf(t: TFunction, { status, fault }: ShownRow): string {
  if (fault !== null) return t(`integrations.reasons.${fault}`);
  if (status === null) return t("integrations.reasons.unreachable");
  return t("integrations.reasons.status", { status });
}

const check = `import { createHmac, timingSafeEqual } from "node:crypto";

function isGenuine(secret, headers, body) {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = createHmac("sha256", key)
    .update(\`\${id}.\${timestamp}.\${body}\`)
    .digest();
  return headers["webhook-signature"].split(" ").some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}`;

type SignatureProps = {
  log: DeliveryLog;
  receiverId: number;
  /** Told while a question is over the page. */
  onCover?: (isCovered: boolean) => void;
};

/** The secret of a receiver, shown on demand, and how a receiver uses it. */
export function Signature({ log, receiverId, onCover }: SignatureProps): ReactNode {
  const { t } = useTranslation();
  const [asksNew, setAsking] = useState(false);
  const setAsksNew = (isAsking: boolean): void => {
    setAsking(isAsking);
    onCover?.(isAsking);
  };
  const [isNew, setNew] = useState(false);
  const known = useMutation({ mutationFn: () => log.readSecret(receiverId) });
  const [made, setMade] = useState<string | null>(null);
  const [isShown, setShown] = useState(false);
  const secret = made ?? known.data?.secret ?? null;

  function toggle(): void {
    setShown(!isShown);
    if (!isShown && secret === null) known.mutate();
  }

  return (
    <div className={classes["signature"]}>
      <p className="bc-small">{t("integrations.signature.text")}</p>
      <div className={classes["secret"]}>
        <code className={classes["secretText"]} aria-label={t("integrations.signature.secret")}>
          {isShown && secret !== null ? secret : "••••••••••••••••••••••••"}
        </code>
        <IconButton
          label={t(isShown ? "integrations.signature.hide" : "integrations.signature.show")}
          icon={isShown ? IconEyeOff : IconEye}
          aria-pressed={isShown}
          onClick={toggle}
        />
        {isShown && secret !== null ? (
          <CopyButton text={secret} label={t("integrations.signature.copy")} />
        ) : null}
        <Button variant="default" onClick={() => setAsksNew(true)}>
          {t("integrations.signature.renew")}
        </Button>
      </div>
      {known.error ? (
        <p className="bc-failure" role="alert">
          <ErrorWords error={known.error} />
        </p>
      ) : null}
      {isNew ? (
        <p className="bc-note" role="status">
          {t("integrations.signature.renewed")}
        </p>
      ) : null}
      <div className={classes["tabs"]}>
        <p className="bc-fill bc-small">{t("integrations.signature.check")}</p>
        <CopyButton text={check} label={t("integrations.signature.copyCheck")} />
      </div>
      <div className={classes["code"]}>
        <CodeBlock label={t("integrations.signature.check")}>{check}</CodeBlock>
      </div>
      {asksNew ? (
        <ActionQuestion
          title={t("integrations.signature.renewTitle")}
          text={t("integrations.signature.renewText")}
          confirm={t("integrations.signature.renew")}
          run={async () => {
            setMade((await log.renewSecret(receiverId)).secret);
          }}
          onDone={() => {
            setShown(true);
            setNew(true);
          }}
          onClose={() => setAsksNew(false)}
        />
      ) : null}
    </div>
  );
}
