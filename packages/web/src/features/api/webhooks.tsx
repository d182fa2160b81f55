import type { Webhook } from "@balcao/contract";
import type { WebhookEvent } from "@balcao/contract/api-choices";
import { webhookEvents } from "@balcao/contract/api-choices";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconPencil, IconPlus, IconTrash, IconWebhook } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import type { Control } from "react-hook-form";
import { useController } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { agoWords } from "../../ui/ago-words.ts";
import { Button } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { DraftOf } from "../../ui/drafts.ts";
import { FieldGroup } from "../../ui/field-group.tsx";
import { IconButton, notifySuccess } from "../../ui/index.ts";
import { Pill } from "../../ui/marks.tsx";
import { ActionQuestion, useListAddress, useOpenRow } from "../../ui/page/record-page.tsx";
import { RecordTable } from "../../ui/page/record-table.tsx";
import {
  Deliveries,
  isWebAddress,
  kindWords,
  ReceiverName,
  Signature,
  Stopped,
  TestButton,
  TestedState,
  useLogAddress,
  useTests,
} from "../integrations/index.ts";
import classes from "./api.module.css";
import {
  deleteWebhook,
  resumeWebhook,
  saveWebhook,
  testWebhook,
  webhookLog,
  webhookPages,
} from "./webhook-calls.ts";

const CLOCK_MS = 20_000;

/** The systems that are told what happens in the company's tickets, and what went to them. */
export function WebhooksTab(): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(CLOCK_MS);
  const log = useLogAddress(webhookLog);
  const address = useListAddress({ tab: "webhooks", ...log.place });
  const { open, openForm, closeForm } = address;
  const pages = webhookPages.usePages("", { staleTime: 0 });
  const opened = useOpenRow(address, pages, () => true);
  const tests = useTests(testWebhook, nowMs);
  const [removed, setRemoved] = useState<Webhook | null>(null);
  const { receiverId } = log;
  const choose = ({ id }: Webhook): void =>
    log.change({ receiverId: id === receiverId ? null : id });
  const chosen = pages.rows?.find(({ id }) => id === receiverId);
  const count = pages.rows?.length ?? 0;
  const add = (): void => openForm("new");
  return (
    <>
      <div className={classes["head"]}>
        <h2 className={classes["headTitle"]}>
          {t("api.tabs.webhooks")}{" "}
          {count === 0 ? null : <span className={classes["count"]}>{count}</span>}
        </h2>
        {count === 0 ? null : (
          <Button
            variant="default"
            leftSection={<IconPlus size={15} stroke={1.7} aria-hidden="true" />}
            onClick={add}
          >
            {t("api.webhooks.add")}
          </Button>
        )}
      </div>
      <RecordTable
        label={t("api.tabs.webhooks")}
        pages={pages}
        sort={null}
        onSort={() => undefined}
        identify={({ id }) => id}
        onOpen={choose}
        columns={[
          {
            id: "name",
            title: t("integrations.name"),
            isName: true,
            renderCell: (row) => (
              <ReceiverName
                name={row.name}
                detail={row.url}
                isChosen={row.id === receiverId}
                onChoose={() => choose(row)}
              />
            ),
          },
          {
            id: "events",
            title: t("api.webhooks.events"),
            renderCell: ({ events }) => (
              <span className={classes["events"]}>
                {events.map((event) => kindWords(t, event)).join(", ")}
              </span>
            ),
          },
          {
            id: "state",
            title: t("api.webhooks.state"),
            renderCell: (row) => (
              <TestedState tests={tests} id={row.id} news={newsOf(row)}>
                <State webhook={row} nowMs={nowMs} />
              </TestedState>
            ),
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
        renderActions={(row) => (
          <>
            <IconButton
              label={t("common.edit", { name: row.name })}
              icon={IconPencil}
              onClick={() => openForm(row.id)}
            />
            <IconButton
              label={t("common.delete", { name: row.name })}
              icon={IconTrash}
              onClick={() => setRemoved(row)}
            />
          </>
        )}
        empty={{
          icon: IconWebhook,
          drawing: "sheet",
          title: t("api.webhooks.none"),
          text: t("api.webhooks.noneText"),
          action: <Button onClick={add}>{t("api.webhooks.add")}</Button>,
        }}
      />
      {count === 0 ? null : (
        <Deliveries log={webhookLog} address={log} receiverName={chosen?.name ?? null} />
      )}
      {open === "new" || opened !== null ? (
        <DraftOf value={`webhooks ${open}`}>
          <WebhookDialog webhook={opened} onClose={closeForm} />
        </DraftOf>
      ) : null}
      {removed === null ? null : (
        <ActionQuestion
          isDestructive
          title={t("integrations.deleteTitle", { name: removed.name })}
          text={t("api.webhooks.deleteText")}
          confirm={t("common.deleteConfirm")}
          run={() => deleteWebhook(removed.id)}
          onDone={() => {
            notifySuccess(t("api.webhooks.deleted"));
            if (removed.id === receiverId) log.change({ receiverId: null });
          }}
          onClose={() => setRemoved(null)}
        />
      )}
    </>
  );
}

const newsOf = ({ failingSince, stoppedAt }: Webhook): string =>
  `${failingSince ?? ""} ${stoppedAt ?? ""}`;

type StateProps = { webhook: Webhook; nowMs: number };

function State({ webhook, nowMs }: StateProps): ReactNode {
  const { t } = useTranslation();
  const { id, name, failingSince, stoppedAt } = webhook;
  if (stoppedAt !== null) return <Stopped name={name} resume={() => resumeWebhook(id)} />;
  if (failingSince === null) return <Pill tone="ok">{t("api.webhooks.serving")}</Pill>;
  return (
    <Pill tone="bad">{t("api.webhooks.failing", { ago: agoWords(t, failingSince, nowMs) })}</Pill>
  );
}

type Values = { name: string; url: string; events: WebhookEvent[] };

type DialogProps = {
  /** Null: a new one, which has no secret yet. */
  webhook: Webhook | null;
  onClose: () => void;
};

function WebhookDialog({ webhook, onClose }: DialogProps): ReactNode {
  const { t } = useTranslation();
  const [isCovered, setCovered] = useState(false);
  const { dialog, ...form } = useRecordForm<Values, Webhook>({
    id: webhook?.id ?? null,
    values: {
      name: webhook?.name ?? "",
      url: webhook?.url ?? "",
      events: webhook?.events ?? ["message.received"],
    },
    save: (id, { name, url, events }) =>
      saveWebhook(id, { name: name.trim(), url: url.trim(), events }),
    savedText: t("api.webhooks.saved"),
    onClose,
  });
  const min = limits.apiTokenNameMin;
  return (
    <FormDialog
      {...dialog}
      size={640}
      isCovered={isCovered}
      title={
        webhook === null ? t("api.webhooks.newTitle") : t("common.edit", { name: webhook.name })
      }
    >
      <NameField
        {...form.register(
          "name",
          nameRule(t("api.form.nameRequired"), t("api.form.nameShort", { min }), min),
        )}
        label={t("integrations.name")}
        error={form.errors.name?.message}
        maxLength={limits.apiTokenNameMax}
      />
      <TextInput
        {...form.register("url", {
          validate: (value) => isWebAddress(value) || t("errors.ERR_INTEGRATION_ADDRESS_INVALID"),
        })}
        label={t("integrations.form.address.webhook")}
        description={t("api.webhooks.addressHelp")}
        error={form.errors.url?.message}
        maxLength={1_000}
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
      />
      <EventField control={form.control} />
      {webhook === null ? null : (
        <FieldGroup legend={t("integrations.detail.tabs.signature")}>
          <Signature log={webhookLog} receiverId={webhook.id} onCover={setCovered} />
        </FieldGroup>
      )}
    </FormDialog>
  );
}

function EventField({ control }: { control: Control<Values> }): ReactNode {
  const { t } = useTranslation();
  const { field, fieldState } = useController({
    control,
    name: "events",
    rules: { validate: (events) => events.length > 0 || t("api.webhooks.eventsRequired") },
  });
  const chosen = field.value;
  const toggle = (event: WebhookEvent): void =>
    field.onChange(
      chosen.includes(event) ? chosen.filter((one) => one !== event) : [...chosen, event],
    );
  return (
    <fieldset className={classes["scopeField"]}>
      <legend>{t("api.webhooks.events")}</legend>
      {webhookEvents.map((event, index) => (
        <label key={event} className={classes["eventChoice"]}>
          <input
            type="checkbox"
            ref={index === 0 ? field.ref : undefined}
            checked={chosen.includes(event)}
            onChange={() => toggle(event)}
          />
          <span>
            {kindWords(t, event)}
            <span className={classes["fieldText"]}>
              {t(`api.webhooks.eventHelp.${wordOf(event)}`)}
            </span>
          </span>
        </label>
      ))}
      {fieldState.error === undefined ? null : (
        <p className="bc-failure" role="alert">
          {fieldState.error.message}
        </p>
      )}
    </fieldset>
  );
}

/** Names of texts have no dots. */
function wordOf(event: WebhookEvent): "received" | "sent" | "changed" {
  if (event === "ticket.changed") return "changed";
  return event === "message.sent" ? "sent" : "received";
}
