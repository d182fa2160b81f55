import "@mantine/core/styles/Tabs.layer.css";
import type { Prompt } from "@balcao/contract";
import { promptDefaults } from "@balcao/contract/prompt-choices";
import { Tabs } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconAlertTriangle, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense, useId, useState } from "react";
import { flushSync } from "react-dom";
import { useWatch } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { UsedDialog } from "../../ui/dialogs/used-dialog.tsx";
import { DraftNotice } from "../../ui/dialogs/form-draft.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { errorText, NoticeStrip, notifySuccess } from "../../ui/index.ts";
import { Pill } from "../../ui/marks.tsx";
import { ActionQuestion } from "../../ui/page/record-page.tsx";
import { checkKey, deletePrompt, promptList, savePrompt, stateOf, stateTones } from "./api.ts";
import type { PromptValues } from "./prompt-fields.tsx";
import { bodyOf, fieldsOfErrors, PromptFields, valuesOf } from "./prompt-fields.tsx";
import { PromptTrial } from "./prompt-trial.tsx";
import classes from "./prompts.module.css";

/** What an answer needs; an agent without name and queue can be tried. */
const neededToTry: readonly (keyof PromptValues)[] = [
  ...(["prompt", "baseUrl", "model", "apiKey"] as const),
  ...(["maxTokens", "temperature", "maxMessages", "dayTokens", "ticketTokens"] as const),
  ...(["priceIn", "priceOut"] as const),
];

type Side = "form" | "trial";

type Props = {
  /** Null: a new one. */
  prompt: Prompt | null;
  onClose: () => void;
};

/** The settings of an agent, and beside them a trial of the settings as they stand. */
export function PromptDialog({ prompt: opened, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const prompt = useCurrent(opened);
  const isNarrow = useMediaQuery("(max-width: 1023px)", false, { getInitialValueInEffect: false });
  const [side, setSide] = useState<Side>("form");
  const [isRemoving, setRemoving] = useState(false);
  const { dialog, ...form } = useRecordForm({
    id: opened?.id ?? null,
    values: valuesOf(opened),
    save: (promptId, values) => savePrompt(promptId, bodyOf(values)),
    savedText: t("prompts.saved"),
    fieldErrors: fieldsOfErrors,
    reveal(field) {
      // A hidden field cannot be focused.
      flushSync(() => setSide("form"));
      form.setFocus(field);
    },
    onClose,
  });
  const checking = useMutation({
    mutationFn: () => {
      const { baseUrl, model, apiKey } = form.getValues();
      return checkKey({
        baseUrl: baseUrl.trim(),
        model: model.trim() || promptDefaults.model,
        apiKey: apiKey.trim(),
        ...(opened === null ? {} : { promptId: opened.id }),
      });
    },
  });
  const check = {
    isRunning: checking.isPending,
    error: checking.error,
    models: checking.data ?? null,
    run(): void {
      const { baseUrl, apiKey } = form.getValues();
      if (baseUrl.trim() !== "" && apiKey.trim() !== "") checking.mutate();
    },
    forget: checking.reset,
  };
  const instructions = useWatch({ control: form.control, name: "prompt" });
  const state = prompt === null ? null : stateOf(prompt);
  const paneOf = (one: Side) => ({
    id: `${id}-panel-${one}`,
    ...(isNarrow ? { role: "tabpanel", "aria-labelledby": `${id}-tab-${one}` } : {}),
    hidden: isNarrow && side !== one,
  });
  return (
    <>
      <DialogFrame
        opened
        size={1080}
        hasPanes
        isCovered={isRemoving}
        onClose={dialog.onClose}
        title={
          <span className={classes["heading"]}>
            {opened === null ? t("prompts.newTitle") : opened.name}
            {state === null ? null : (
              <Pill tone={stateTones[state]}>{t(`prompts.states.${state}`)}</Pill>
            )}
          </span>
        }
      >
        {isNarrow ? (
          <Tabs
            id={id}
            value={side}
            onChange={(next) => setSide(next === "trial" ? "trial" : "form")}
          >
            <Tabs.List className={classes["tabs"] ?? ""}>
              <Tabs.Tab value="form">{t("prompts.form")}</Tabs.Tab>
              <Tabs.Tab value="trial">{t("prompts.trial.title")}</Tabs.Tab>
            </Tabs.List>
          </Tabs>
        ) : null}
        <div className={classes["panes"]}>
          <div {...paneOf("form")} className={classes["fields"]}>
            <form id={`${id}-form`} noValidate className="bc-form" onSubmit={dialog.onSubmit}>
              <DraftNotice onDrop={dialog.onDropDraft} />
              {prompt === null || prompt.fault === null ? null : (
                <div className={classes["fault"]}>
                  <NoticeStrip
                    tone={state === "stopped" ? "bad" : "warn"}
                    icon={IconAlertTriangle}
                    action={{
                      label: t(check.isRunning ? "prompts.checking" : "prompts.checkAgain"),
                      onClick: check.run,
                    }}
                  >
                    {check.error === null
                      ? t(`prompts.faultHelp.${prompt.fault}`)
                      : errorText(t, check.error)}
                  </NoticeStrip>
                </div>
              )}
              <PromptFields form={form} prompt={prompt} check={check} />
            </form>
          </div>
          <div {...paneOf("trial")} className={classes["side"]}>
            <PromptTrial
              promptId={opened?.id ?? null}
              instructions={instructions}
              readForm={async () =>
                (await form.trigger(neededToTry)) ? bodyOf(form.getValues()) : null
              }
            />
          </div>
        </div>
        <footer className={classes["foot"]}>
          {prompt === null ? null : (
            <Button
              variant="subtle"
              className={classes["delete"] ?? ""}
              leftSection={<IconTrash size={15} stroke={1.7} aria-hidden="true" />}
              onClick={() => setRemoving(true)}
            >
              {t("common.deleteConfirm")}
            </Button>
          )}
          <div className={classes["footEnd"]}>
            {dialog.error === null ? null : (
              <p className="bc-failure" role="alert">
                {dialog.error}
              </p>
            )}
            {form.formState.isDirty && dialog.error === null ? (
              <span className={`bc-wide-only ${classes["unsaved"]}`}>{t("prompts.unsaved")}</span>
            ) : null}
            <Button variant="default" onClick={dialog.onCancel}>
              {t("common.cancel")}
            </Button>
            <Button type="submit" form={`${id}-form`} loading={dialog.isBusy}>
              {dialog.submitLabel}
            </Button>
          </div>
        </footer>
      </DialogFrame>
      <Suspense fallback={null}>
        {isRemoving && prompt !== null ? (
          <PromptRemoval
            prompt={prompt}
            onDone={dialog.onCancel}
            onClose={() => setRemoving(false)}
          />
        ) : null}
      </Suspense>
    </>
  );
}

/** The agent as the live list has it; as it was when it was opened while the list is read, or once it is gone. */
function useCurrent<P extends Prompt | null>(opened: P): P | Prompt {
  const { data } = useQuery(promptList.query);
  return data?.find(({ id }) => id === opened?.id) ?? opened;
}

type RemovalProps = { prompt: Prompt; onDone?: () => void; onClose: () => void };

/** Asks before an agent is deleted; one that is used somewhere says where. */
export function PromptRemoval({ prompt: opened, onDone, onClose }: RemovalProps): ReactNode {
  const { t } = useTranslation();
  const { id, name, usedBy } = useCurrent(opened);
  const { connections, queues } = usedBy;
  if (connections.length + queues.length === 0) {
    return (
      <ActionQuestion
        isDestructive
        title={t("prompts.deleteTitle", { name })}
        text={t("prompts.deleteText")}
        confirm={t("common.deleteConfirm")}
        run={() => deletePrompt(id)}
        onDone={() => {
          notifySuccess(t("prompts.deleted"));
          onDone?.();
        }}
        onClose={onClose}
      />
    );
  }
  return (
    <UsedDialog
      title={t("prompts.inUseTitle", { name })}
      text={t("prompts.inUseText")}
      places={[
        ...connections.map((one) => ({
          to: `/connections?edit=${one.id}`,
          label: t("prompts.atConnection", { name: one.name }),
        })),
        ...queues.map((one) => ({
          to: `/queues?edit=${one.id}`,
          label: t("prompts.atQueue", { name: one.name }),
        })),
      ]}
      onClose={onClose}
    />
  );
}
