import type { Mail } from "@balcao/contract";
import type { MailState } from "@balcao/contract/mail-choices";
import { mailStates } from "@balcao/contract/mail-choices";
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconMail,
  IconMailForward,
  IconSend2,
} from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { formatDayLabel, formatTime } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { IconButton, NoticeStrip, notifyError, notifySuccess } from "../../ui/index.ts";
import type { Tone } from "../../ui/marks.tsx";
import { Pill } from "../../ui/marks.tsx";
import { FilteredList, RowButton } from "../../ui/page/filtered-list.tsx";
import { useListAddress, useOpenRow } from "../../ui/page/record-page.tsx";
import type { Column } from "../../ui/page/record-table.tsx";
import { RowName } from "../../ui/page/record-table.tsx";
import { mailPages, sendAgain, sendTest, useOutbox } from "./api.ts";
import classes from "./mails-panel.module.css";

const place = { tab: "mails" };
/** A job sends the waiting ones meanwhile. */
const READ_EVERY_MS = 10_000;
const chips = [null, ...mailStates] as const;

/** The e-mails that go out, and whether they do: a tab of the settings for super users. */
export function MailsPanel(): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress(place);
  const { words, openForm, closeForm } = address;
  const state = mailStates.find((one) => one === address.filter) ?? null;
  const pages = mailPages.usePages(
    { words, state },
    { staleTime: 0, refetchInterval: READ_EVERY_MS },
  );
  const outbox = useOutbox();
  const opened = useOpenRow(address, pages, () => true);
  const test = useMutation({ mutationFn: sendTest, onError: notifyError });
  const again = useMutation({
    mutationFn: (mail: Mail) => sendAgain(mail.id),
    onSuccess: () => {
      notifySuccess(t("mails.isQueued"));
      if (address.open !== null) closeForm();
    },
    onError: notifyError,
  });
  const hasServer = outbox !== null && outbox.server !== null;

  return (
    <div className={classes["panel"]}>
      {outbox === null ? null : <ServerNote server={outbox.server} />}
      {test.data ? <TestAnswer of={test.data} onClose={test.reset} /> : null}
      <FilteredList
        address={address}
        icon={IconMail}
        label={t("mails.title")}
        searchLabel={t("mails.search")}
        filters={{
          label: t("mails.stateTitle"),
          chips: chips.map((value) => ({
            value,
            label: t(`mails.states.${value ?? "all"}`),
            count: outbox?.totals[value ?? "all"] ?? null,
          })),
          chosen: state,
        }}
        buttons={
          hasServer ? (
            <Button
              variant="default"
              leftSection={<IconSend2 size={15} stroke={1.7} aria-hidden="true" />}
              loading={test.isPending}
              onClick={() => test.mutate()}
            >
              {t("mails.test")}
            </Button>
          ) : null
        }
        pages={pages}
        columns={columnsOf(t, openForm)}
        sort={null}
        onSort={() => undefined}
        identify={({ id }) => id}
        onOpen={({ id }) => openForm(id)}
        renderActions={(mail) =>
          hasServer && mail.maySend ? (
            <IconButton
              label={`${t("mails.again")}: ${mail.subject}`}
              icon={IconMailForward}
              onClick={() => again.mutate(mail)}
            />
          ) : null
        }
        none={{
          icon: IconMail,
          drawing: "sheet",
          title: t("common.noRecord"),
          text: t("mails.emptyText"),
        }}
      />
      {opened === null ? null : (
        <MailDialog
          mail={opened}
          onClose={closeForm}
          onAgain={hasServer && opened.maySend ? () => again.mutate(opened) : null}
          isBusy={again.isPending}
        />
      )}
    </div>
  );
}

type Server = { host: string; from: string } | null;

function ServerNote({ server }: { server: Server }): ReactNode {
  const { t } = useTranslation();
  if (server !== null) return <p className={classes["server"]}>{t("mails.server", server)}</p>;
  return (
    <div className={classes["strip"]}>
      <NoticeStrip tone="warn" icon={IconAlertTriangle} title={t("mails.noServer")}>
        {t("mails.noServerText")}
      </NoticeStrip>
    </div>
  );
}

type Answer = { mail: Pick<Mail, "address" | "state">; answer: string };

function TestAnswer({ of, onClose }: { of: Answer; onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const { address, state } = of.mail;
  const isSent = state === "sent";
  return (
    <div className={classes["strip"]}>
      <NoticeStrip
        tone={isSent ? "ok" : "bad"}
        icon={isSent ? IconCircleCheck : IconAlertTriangle}
        title={t(isSent ? "mails.testSent" : "mails.testRefused", { address })}
        close={{ label: t("common.close"), onClick: onClose }}
      >
        {of.answer}
      </NoticeStrip>
    </div>
  );
}

const tones: Readonly<Record<MailState, Tone | undefined>> = {
  waiting: "info",
  held: "warn",
  sent: "ok",
  failed: "bad",
};

function State({ mail: { state, tries } }: { mail: Mail }): ReactNode {
  const { t } = useTranslation();
  const isRepeated = tries > (state === "waiting" ? 0 : 1);
  return (
    <>
      <Pill tone={tones[state]}>{t(`mails.state.${state}`)}</Pill>
      {isRepeated ? (
        <span className={classes["tries"]}> {t("mails.tries", { count: tries })}</span>
      ) : null}
    </>
  );
}

function columnsOf(t: TFunction, open: (id: number) => void): readonly Column<Mail>[] {
  return [
    {
      id: "subject",
      title: t("mails.subject"),
      isName: true,
      renderCell: ({ id, subject }) => (
        <RowName name={<RowButton onOpen={() => open(id)}>{subject}</RowButton>} />
      ),
    },
    {
      id: "reader",
      title: t("mails.reader"),
      renderCell: ({ name, address }) => `${name} <${address}>`,
    },
    {
      id: "company",
      title: t("mails.company"),
      isExtra: true,
      renderCell: ({ company }) => company.name,
    },
    {
      id: "state",
      title: t("mails.stateTitle"),
      fit: "content",
      renderCell: (mail) => <State mail={mail} />,
    },
    {
      id: "answer",
      title: t("mails.answer"),
      renderCell: ({ fault }) => <span className={classes["fault"]}>{fault}</span>,
    },
    {
      id: "createdAt",
      title: t("mails.createdAt"),
      fit: "content",
      renderCell: ({ createdAt }) => momentText(createdAt),
    },
  ];
}

const momentText = (iso: string): string => `${formatDayLabel(iso)}, ${formatTime(iso)}`;

type DialogProps = {
  mail: Mail;
  onClose: () => void;
  /** Null: it is not sent again. */
  onAgain: (() => void) | null;
  isBusy: boolean;
};

function MailDialog({ mail, onClose, onAgain, isBusy }: DialogProps): ReactNode {
  const { t } = useTranslation();
  const facts: readonly (readonly [title: string, value: ReactNode])[] = [
    [t("mails.reader"), `${mail.name} <${mail.address}>`],
    [t("mails.company"), mail.company.name],
    [t("mails.stateTitle"), <State key="state" mail={mail} />],
    ...(mail.fault === null ? [] : [[t("mails.answer"), mail.fault] as const]),
    [t("mails.createdAt"), momentText(mail.createdAt)],
    ...(mail.sentAt === null ? [] : [[t("mails.sentAt"), momentText(mail.sentAt)] as const]),
  ];
  return (
    <FormDialog
      isSide
      title={mail.subject}
      submitLabel={onAgain === null ? null : t("mails.again")}
      cancelLabel={t("common.close")}
      isBusy={isBusy}
      error={null}
      onSubmit={(event) => {
        event.preventDefault();
        onAgain?.();
      }}
      onClose={onClose}
    >
      <dl className={classes["facts"]}>
        {facts.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {/* It may be long, and is read by the keyboard too. */}
      <div className={classes["text"]} role="region" aria-label={t("mails.text")}>
        {mail.text}
      </div>
    </FormDialog>
  );
}
