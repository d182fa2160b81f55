import { IconPrinter, IconReceipt } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatDate, formatMoney, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState, ListSkeleton, LoadFailed } from "../../ui/index.ts";
import { Page } from "../../ui/page/page.tsx";
import { invoiceWords, useInvoice, useSubscription } from "./api.ts";
import classes from "./receipt.module.css";

/** Opens the receipt in a tab of its own, so that the list stays where it is. */
export function ReceiptLink({ id }: { id: number }): ReactNode {
  const { t } = useTranslation();
  return (
    <a
      href={`/financeiro?receipt=${id}`}
      target="_blank"
      rel="noopener"
      className={classes["link"]}
      aria-label={t("receipt.open", { id })}
    >
      {t("receipt.link")}
    </a>
  );
}

/** The receipt of a paid invoice. The browser prints it, or saves it as PDF; on paper there is nothing else. */
export function ReceiptPage({ id }: { id: number }): ReactNode {
  const { t } = useTranslation();
  const { data: invoice, error, refetch } = useInvoice(id);
  const { data: subscription } = useSubscription();
  const back = <Link to="/financeiro">{t("invoices.title")}</Link>;
  const title = t("receipt.title", { id });
  const paidAt = invoice?.paidAt ?? null;
  if (!invoice || paidAt === null || !subscription) {
    const isRead = invoice === null || (invoice !== undefined && paidAt === null);
    return (
      <Page title={t("receipt.link")} back={back}>
        {isRead ? (
          <EmptyState icon={IconReceipt} title={t("receipt.missing")} />
        ) : error === null ? (
          <ListSkeleton />
        ) : (
          <LoadFailed icon={IconReceipt} error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  const facts = [
    [t("receipt.company"), subscription.company.name],
    [t("receipt.for"), invoiceWords(t, invoice)],
    [t("receipt.number"), String(id)],
    [t("receipt.due"), formatDate(invoice.dueDate)],
    [t("receipt.paidAt"), `${formatDate(paidAt)}, ${formatTime(paidAt)}`],
    [t("receipt.way"), "PIX"],
    [t("receipt.receiver"), subscription.receiver],
  ].filter(([, value]) => value !== "");
  return (
    <Page
      title={t("receipt.link")}
      back={back}
      tools={
        <Button
          leftSection={<IconPrinter size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => window.print()}
        >
          {t("receipt.print")}
        </Button>
      }
    >
      <article className={classes["sheet"]} aria-label={title}>
        <header className={classes["head"]}>
          <h2>{title}</h2>
          <strong>{formatMoney(invoice.value)}</strong>
        </header>
        <dl className={classes["facts"]}>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <p className={classes["words"]}>
          {t("receipt.words", {
            receiver: subscription.receiver,
            value: formatMoney(invoice.value),
            company: subscription.company.name,
          })}
        </p>
      </article>
    </Page>
  );
}
