import type { CampaignTemplate, MessageTemplate } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { NativeSelect, Switch, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../../ui/index.ts";
import classes from "./campaign-editor.module.css";
import type { Draft } from "./editor-api.ts";
import { useTemplates } from "./editor-api.ts";

type Props = {
  draft: Draft;
  /** Names of the variables, which a parameter may have. */
  variables: readonly { key: string }[];
  error: string | undefined;
  readOnly: boolean;
  onChange: (change: Partial<Draft>) => void;
};

const parts = ["headerParameters", "bodyParameters", "buttonParameters"] as const;

/** What a campaign on the official API sends: an approved template with a text or variable for each of its parameters. */
export function EditorTemplate({ draft, variables, error, readOnly, onChange }: Props): ReactNode {
  const { t } = useTranslation();
  const { data: templates, error: failure } = useTemplates(draft.whatsappId);
  const { template } = draft;
  const shown = templates?.find((one) => isSame(one, template)) ?? null;
  const isGone = template !== null && templates !== undefined && shown === null;

  function choose(key: string): void {
    const chosen = templates?.find((one) => keyOf(one) === key);
    onChange({ template: chosen ? emptyTemplate(chosen) : null });
  }

  return (
    <div className={classes["template"]}>
      <NativeSelect
        label={t("campaignEditor.template")}
        value={template === null ? "" : keyOf(template)}
        disabled={readOnly}
        error={error ?? (isGone ? t("campaignEditor.templateGone") : undefined)}
        data={[
          { value: "", label: t("campaignEditor.chooseTemplate") },
          ...(isGone ? [{ value: keyOf(template), label: template.name, disabled: true }] : []),
          ...(templates ?? []).map((one) => ({
            value: keyOf(one),
            label: `${one.name} (${one.language})`,
          })),
        ]}
        onChange={({ currentTarget: { value } }) => choose(value)}
      />
      {failure === null ? null : (
        <p className="bc-failure" role="alert">
          {errorText(t, failure)}
        </p>
      )}
      {template === null || shown === null ? null : (
        <div className={classes["parameters"]}>
          {parts.flatMap((part) =>
            template[part].map(placeOf).map(({ place, value }) => (
              <TextInput
                key={`${part} ${place}`}
                label={t(`campaignEditor.${part}`, { place })}
                list="campaign-variables"
                value={value}
                readOnly={readOnly}
                maxLength={limits.templateParameterMax}
                error={
                  error !== undefined && value.trim() === ""
                    ? t("campaignEditor.parameterRequired")
                    : undefined
                }
                onChange={({ currentTarget }) =>
                  onChange({
                    template: {
                      ...template,
                      [part]: template[part].with(place - 1, currentTarget.value),
                    },
                  })
                }
              />
            )),
          )}
          <datalist id="campaign-variables">
            {variables.map(({ key }) => (
              <option key={key} value={`{${key}}`} />
            ))}
          </datalist>
        </div>
      )}
      <Switch
        label={t("campaignEditor.textInWindow")}
        checked={draft.textInWindow}
        disabled={readOnly}
        onChange={({ currentTarget }) => onChange({ textInWindow: currentTarget.checked })}
      />
    </div>
  );
}

/** A parameter with its number in Meta's texts, which is what tells it apart. */
const placeOf = (value: string, index: number) => ({ place: index + 1, value });

type Named = Pick<CampaignTemplate, "name" | "language">;

const keyOf = ({ name, language }: Named): string => `${name} ${language}`;

export const isSame = (one: Named, other: Named | null): boolean =>
  other !== null && keyOf(one) === keyOf(other);

function emptyTemplate({ name, language, header, bodyParameters, buttons }: MessageTemplate) {
  const blanks = (count: number): string[] => Array.from({ length: count }, () => "");
  return {
    ...{ name, language },
    headerParameters: blanks(header?.parameters ?? 0),
    bodyParameters: blanks(bodyParameters),
    buttonParameters: blanks(buttons.reduce((sum, { parameters }) => sum + parameters, 0)),
  };
}

const PLACE = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/** The template's text with what its parameters say; a blank one stays as it is. */
export function fillTemplate(template: MessageTemplate, values: CampaignTemplate | null): string {
  const fill = (text: string, parameters: readonly string[]): string => {
    const places = [...new Set(Array.from(text.matchAll(PLACE), ([, name = ""]) => name))];
    return text.replaceAll(PLACE, (place, name: string) => {
      const value = parameters[places.indexOf(name)]?.trim() ?? "";
      return value === "" ? place : value;
    });
  };
  const { header, body, footer } = template;
  const head = header === null ? "" : header.format === "TEXT" ? header.text : header.format;
  return [
    head === "" ? "" : `*${fill(head, values?.headerParameters ?? [])}*\n`,
    fill(body, values?.bodyParameters ?? []),
    footer === null ? "" : `\n_${footer}_`,
  ].join("");
}
