import type { Campaign } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { NativeSelect, Switch, TextInput } from "@mantine/core";
import { IconPaperclip } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { KeyboardEvent, ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { AttachmentField } from "../../ui/attachment-field.tsx";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";
import { notifyError } from "../../ui/index.ts";
import { useConnections } from "../connections/index.ts";
import { useQueues } from "../queues/index.ts";
import { tagList } from "../tags/index.ts";
import classes from "./campaign-editor.module.css";
import type { Field, Problem } from "./draft.ts";
import { ownVariables, unknownIn } from "./draft.ts";
import type { Draft } from "./editor-api.ts";
import { TEXTS, useFileLists, useListNames } from "./editor-api.ts";
import { createVariable, useCampaignSettings } from "./settings-api.ts";
import { EditorTemplate } from "./editor-template.tsx";
import { MessageBox } from "./message-box.tsx";

type Props = {
  campaign: Campaign | null;
  draft: Draft;
  problems: Partial<Record<Field, Problem>>;
  isOfficial: boolean;
  readOnly: boolean;
  file: AttachmentChange;
  /** The text that is being written, from 0. */
  tab: number;
  onTab: (tab: number) => void;
  onFile: (file: AttachmentChange) => void;
  onChange: (change: Partial<Draft>) => void;
};

/** The fields of a campaign, above its texts. */
export function EditorFields(props: Props): ReactNode {
  const { campaign, draft, problems, readOnly, file, onFile, onChange } = props;
  const { t } = useTranslation();
  const connections = useConnections();
  const lists = useListNames();
  const tags = useQuery(tagList.query).data ?? [];
  const fileLists = useFileLists();
  const none = t("campaignEditor.none");
  const textOf = (field: Field): string | undefined => {
    const problem = problems[field];
    return problem === undefined ? undefined : t(`campaignEditor.problems.${problem}`);
  };
  const choice = (field: keyof Draft & `${string}Id`, rows: readonly Row[], label: string) => ({
    label,
    disabled: readOnly,
    value: draft[field]?.toString() ?? "",
    data: [
      { value: "", label: none },
      ...rows.map(({ id, name }) => ({ value: id.toString(), label: name })),
    ],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      onChange({ [field]: value === "" ? null : Number(value) }),
  });
  return (
    <div className={classes["form"]}>
      <div className={classes["fields"]}>
        <TextInput
          className={classes["three"] ?? ""}
          label={t("campaignEditor.name")}
          value={draft.name}
          readOnly={readOnly}
          maxLength={limits.nameMax}
          error={textOf("name")}
          data-autofocus
          onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
        <TextInput
          className={classes["two"] ?? ""}
          type="datetime-local"
          label={t("campaignEditor.start")}
          value={draft.scheduledAt}
          readOnly={readOnly}
          error={textOf("scheduledAt")}
          onChange={({ currentTarget }) => onChange({ scheduledAt: currentTarget.value })}
        />
        <NativeSelect
          {...choice("whatsappId", connections, t("campaignEditor.connection"))}
          className={classes["two"] ?? ""}
          error={textOf("whatsappId")}
        />
        <NativeSelect
          {...choice("contactListId", lists, t("campaignEditor.list"))}
          error={textOf("contactListId")}
        />
        <NativeSelect {...choice("tagListId", tags, t("campaignEditor.tag"))} />
        <NativeSelect {...choice("fileListId", fileLists, t("campaignEditor.files"))} />
        <div className={classes["attachment"]}>
          <span className={classes["label"]}>{t("campaignEditor.attachment")}</span>
          <AttachmentField
            known={campaign?.mediaName ?? null}
            change={file}
            onChange={readOnly ? null : onFile}
            icon={IconPaperclip}
            attachLabel={t("campaignEditor.attach")}
            detachLabel={(name) => t("campaignEditor.detach", { name })}
          />
        </div>
      </div>
      <EditorMessages {...props} textOf={textOf} />
      <Answers draft={draft} tags={tags} readOnly={readOnly} choice={choice} />
    </div>
  );
}

type Row = { id: number; name: string };
type Choice = (
  field: keyof Draft & `${string}Id`,
  rows: readonly Row[],
  label: string,
) => Parameters<typeof NativeSelect>[0];

type AnswersProps = { draft: Draft; tags: readonly Row[]; readOnly: boolean; choice: Choice };

/** Where the answers go. */
function Answers({ tags, choice }: AnswersProps): ReactNode {
  const { t } = useTranslation();
  const { label: _queue, ...queues } = choice(
    "answerQueueId",
    useQueues() ?? [],
    t("campaignEditor.answerQueue"),
  );
  const { label: _tag, ...ofTags } = choice("answerTagId", tags, t("campaignEditor.answerTag"));
  return (
    <div className={classes["answers"]} role="group" aria-label={t("campaignEditor.answers")}>
      <span className={classes["label"]}>{t("campaignEditor.answers")}</span>
      <NativeSelect {...queues} aria-label={t("campaignEditor.answerQueue")} />
      <NativeSelect {...ofTags} aria-label={t("campaignEditor.answerTag")} />
    </div>
  );
}

type MessagesProps = Props & { textOf: (field: Field) => string | undefined };

/** The texts in tabs, each beside its confirmation; or the template of the official API. */
function EditorMessages(props: MessagesProps): ReactNode {
  const { draft, isOfficial, readOnly, tab, onTab, onChange, textOf } = props;
  const { t } = useTranslation();
  const own = useCampaignSettings().settings?.variables;
  const [creating, setCreating] = useState<string | null>(null);
  const variables = [
    ...ownVariables.map((key) => ({ key: key as string, value: t(`campaignEditor.own.${key}`) })),
    ...(own ?? []),
  ];
  const known = new Set(variables.map(({ key }) => key));
  const message = draft.messages[tab] ?? "";
  const confirmation = draft.confirmations[tab] ?? "";
  const shown = draft.confirmation ? `${message} ${confirmation}` : message;
  // Own variables are not known at once, and nothing is wrong before.
  const unknown = own === undefined || readOnly ? [] : unknownIn(shown, known);
  const written = draft.messages.filter((text) => text.trim() !== "").length;

  function step(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };
    const by = steps[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = (tab + by + TEXTS) % TEXTS;
    onTab(next);
    const tabs = event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]');
    tabs[next]?.focus();
  }

  const confirmationSwitch = (
    <Switch
      className={classes["confirm"] ?? ""}
      labelPosition="left"
      label={t("campaignEditor.confirmation")}
      checked={draft.confirmation}
      disabled={readOnly}
      onChange={({ currentTarget }) => onChange({ confirmation: currentTarget.checked })}
    />
  );
  if (isOfficial) {
    return (
      <section aria-label={t("campaignEditor.messages")} className={classes["messages"]}>
        <EditorTemplate
          draft={draft}
          variables={variables}
          error={textOf("template")}
          readOnly={readOnly}
          onChange={onChange}
        />
        {draft.textInWindow ? (
          <MessageBox
            label={t("campaignEditor.messageNumber", { number: 1 })}
            value={draft.messages[0] ?? ""}
            variables={variables}
            readOnly={readOnly}
            onChange={(text) => onChange({ messages: draft.messages.with(0, text) })}
          />
        ) : null}
      </section>
    );
  }
  return (
    <section aria-label={t("campaignEditor.messages")} className={classes["messages"]}>
      <div className={classes["tabLine"]}>
        <h3 className={classes["heading"]}>{t("campaignEditor.messages")}</h3>
        <div
          role="tablist"
          aria-label={t("campaignEditor.messages")}
          className={classes["tabs"]}
          onKeyDown={step}
        >
          {draft.messages.map(tabOf).map(({ id, index, text }) => (
            <button
              key={id}
              type="button"
              role="tab"
              id={id}
              aria-selected={index === tab}
              aria-controls="campaign-text"
              tabIndex={index === tab ? 0 : -1}
              className={classes["tab"]}
              data-written={text.trim() !== "" || undefined}
              onClick={() => onTab(index)}
            >
              {t("campaignEditor.tab", { number: index + 1 })}
              <span className="bc-hidden-text">
                {t(text.trim() === "" ? "campaignEditor.empty" : "campaignEditor.written")}
              </span>
            </button>
          ))}
        </div>
        {confirmationSwitch}
      </div>
      <div
        role="tabpanel"
        id="campaign-text"
        aria-labelledby={`campaign-tab-${tab}`}
        className={classes["boxes"]}
        data-two={draft.confirmation || undefined}
      >
        <MessageBox
          key={`text ${tab}`}
          label={t("campaignEditor.messageNumber", { number: tab + 1 })}
          value={message}
          variables={variables}
          error={textOf("messages")}
          isWrong={textOf("variables") !== undefined && unknownIn(message, known).length > 0}
          readOnly={readOnly}
          onChange={(text) => onChange({ messages: draft.messages.with(tab, text) })}
        />
        {draft.confirmation ? (
          <MessageBox
            key={`confirmation ${tab}`}
            label={t("campaignEditor.confirmationNumber", { number: tab + 1 })}
            value={confirmation}
            variables={variables}
            isWrong={textOf("variables") !== undefined && unknownIn(confirmation, known).length > 0}
            readOnly={readOnly}
            onChange={(text) => onChange({ confirmations: draft.confirmations.with(tab, text) })}
          />
        ) : null}
      </div>
      {unknown.map((name) => (
        <p key={name} className="bc-failure" role="alert">
          {t("campaignEditor.unknownVariable", { name: `{${name}}` })}{" "}
          <button type="button" className={classes["create"]} onClick={() => setCreating(name)}>
            {t("campaignEditor.createVariable", { name: `{${name}}` })}
          </button>
        </p>
      ))}
      {unknown.length === 0 && textOf("variables") !== undefined ? (
        <p className="bc-failure" role="alert">
          {textOf("variables")}
        </p>
      ) : null}
      <p className="bc-note">
        {draft.confirmation
          ? t("campaignEditor.confirmationHelp")
          : t("campaignEditor.rotation", { count: written })}
      </p>
      {creating === null ? null : <NewVariable name={creating} onClose={() => setCreating(null)} />}
    </section>
  );
}

/** A text with its tab: the place is what tells texts apart. */
const tabOf = (text: string, index: number) => ({ id: `campaign-tab-${index}`, index, text });

/** Asks what a new variable stands for. */
function NewVariable({ name, onClose }: { name: string; onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const [value, setValue] = useState("");
  const [isBusy, setBusy] = useState(false);

  async function create(): Promise<void> {
    setBusy(true);
    try {
      await createVariable({ key: name, value: value.trim() });
      onClose();
    } catch (error) {
      setBusy(false);
      notifyError(error);
    }
  }
  return (
    <QuestionDialog
      opened
      title={t("campaignEditor.createTitle", { name: `{${name}}` })}
      text={t("campaignEditor.createText")}
      confirm={t("campaignEditor.create")}
      isBusy={isBusy}
      onConfirm={() => {
        if (value.trim() !== "") void create();
      }}
      onClose={onClose}
    >
      <TextInput
        label={t("campaignEditor.variableValue")}
        value={value}
        maxLength={limits.campaignVariableMax}
        data-autofocus
        onChange={({ currentTarget }) => setValue(currentTarget.value)}
      />
    </QuestionDialog>
  );
}
