import type { Campaign, CampaignSettings } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { useRef, useState } from "react";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";
import { errorText, IconButton, notifyError } from "../../ui/index.ts";
import type { CardProps } from "./campaigns-config-page.tsx";
import { Card } from "./config-card.tsx";
import classes from "./config.module.css";

type Variable = CampaignSettings["variables"][number];

const SHORTCUT = /^[A-Za-z0-9_]{1,30}$/;
const ofEveryone = ["nome", "numero", "email"];

/** The company's own variables for the texts of campaigns. */
export function VariablesCard({ value, change }: CardProps): ReactNode {
  const { t } = useTranslation();
  const { variables } = value;
  const [shortcut, setShortcut] = useState("");
  const [content, setContent] = useState("");
  /** The shortcut of the variable that is being changed. */
  const [changed, setChanged] = useState<string | null>(null);
  const [isChecked, setChecked] = useState(false);
  const [asked, setAsked] = useState<{ key: string; names: string } | null>(null);
  const shortcutField = useRef<HTMLInputElement>(null);
  const contentField = useRef<HTMLInputElement>(null);
  const key = shortcut.replace(/^\{|\}$/g, "").trim();
  const isTaken =
    ofEveryone.includes(key) || variables.some((one) => one.key === key && one.key !== changed);
  const shortcutError = isTaken
    ? t("campaignConfig.variables.taken", { name: `{${key}}` })
    : SHORTCUT.test(key)
      ? null
      : t("campaignConfig.variables.letters");
  const isFull = changed === null && variables.length >= limits.campaignVariablesMax;

  const lookUp = useMutation({
    mutationFn: plannedCampaigns,
    onError: (error) => notifyError(errorText(t, error)),
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    setChecked(true);
    if (shortcutError !== null) shortcutField.current?.focus();
    else if (content.trim() === "") contentField.current?.focus();
    else {
      const one: Variable = { key, value: content };
      change({
        variables:
          changed === null
            ? [...variables, one]
            : variables.map((known) => (known.key === changed ? one : known)),
      });
      clear();
      shortcutField.current?.focus();
    }
  }

  function clear(): void {
    setShortcut("");
    setContent("");
    setChanged(null);
    setChecked(false);
  }

  function edit(one: Variable): void {
    setShortcut(one.key);
    setContent(one.value);
    setChanged(one.key);
    setChecked(false);
    contentField.current?.focus();
  }

  function remove(removed: string): void {
    if (removed === changed) clear();
    change({ variables: variables.filter((one) => one.key !== removed) });
  }

  function askToRemove(removed: string): void {
    lookUp.mutate(undefined, {
      onSuccess: (campaigns) => {
        const users = campaigns.filter((campaign) => uses(campaign, removed));
        if (users.length === 0) remove(removed);
        else setAsked({ key: removed, names: users.map(({ name }) => name).join(", ") });
      },
    });
  }

  return (
    <Card title={t("campaignConfig.variables.title")} text={t("campaignConfig.variables.text")}>
      {isFull ? null : (
        <form className={classes["newVariable"]} noValidate onSubmit={submit}>
          <TextInput
            ref={shortcutField}
            label={t("campaignConfig.variables.shortcut")}
            maxLength={32}
            autoComplete="off"
            value={shortcut}
            error={
              key !== "" && (isChecked || isTaken) ? shortcutError : isChecked && shortcutError
            }
            onChange={(event) => setShortcut(event.currentTarget.value)}
          />
          <TextInput
            ref={contentField}
            label={t("campaignConfig.variables.content")}
            maxLength={limits.campaignVariableMax}
            autoComplete="off"
            value={content}
            error={isChecked && content.trim() === "" && t("campaignConfig.variables.required")}
            onChange={(event) => setContent(event.currentTarget.value)}
          />
          <div className={classes["formButtons"]}>
            {changed === null ? null : (
              <Button variant="default" onClick={clear}>
                {t("common.cancel")}
              </Button>
            )}
            <Button
              type="submit"
              variant="default"
              leftSection={
                changed === null && <IconPlus size={15} stroke={1.7} aria-hidden="true" />
              }
            >
              {t(changed === null ? "common.add" : "campaignConfig.variables.change")}
            </Button>
          </div>
        </form>
      )}
      {variables.length === 0 ? null : (
        <ul className={classes["variables"]}>
          {variables.map((one) => (
            <li key={one.key}>
              <span className={classes["variable"]}>
                <span className="bc-label">{`{${one.key}}`}</span>
              </span>
              <span className={classes["content"]}>{one.value}</span>
              <IconButton
                size="small"
                label={t("common.edit", { name: `{${one.key}}` })}
                icon={IconPencil}
                onClick={() => edit(one)}
              />
              <IconButton
                size="small"
                label={t("common.delete", { name: `{${one.key}}` })}
                icon={IconTrash}
                disabled={lookUp.isPending}
                onClick={() => askToRemove(one.key)}
              />
            </li>
          ))}
        </ul>
      )}
      <QuestionDialog
        opened={asked !== null}
        isDestructive
        title={t("campaignConfig.variables.deleteTitle", { name: `{${asked?.key ?? ""}}` })}
        text={t("campaignConfig.variables.deleteText", { names: asked?.names ?? "" })}
        confirm={t("common.deleteConfirm")}
        onConfirm={() => {
          if (asked !== null) remove(asked.key);
          setAsked(null);
        }}
        onClose={() => setAsked(null)}
      />
    </Card>
  );
}

/** The next campaigns that are planned. */
async function plannedCampaigns(): Promise<readonly Campaign[]> {
  const query = { searchParam: "", pageNumber: "1", status: "PROGRAMADA" } as const;
  return (await call("GET /campaigns", { query })).records;
}

function uses(campaign: Campaign, key: string): boolean {
  const texts = [
    ...[campaign.message1, campaign.message2, campaign.message3, campaign.message4],
    ...[campaign.message5, campaign.confirmationMessage1, campaign.confirmationMessage2],
    ...[campaign.confirmationMessage3, campaign.confirmationMessage4],
    ...[campaign.confirmationMessage5, JSON.stringify(campaign.template)],
  ];
  return texts.some((text) => text.includes(`{${key}}`));
}
