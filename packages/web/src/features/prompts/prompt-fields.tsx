import type { ErrorCode, Prompt, PromptVoice } from "@balcao/contract";
import { promptBounds, promptDefaults, promptVoices } from "@balcao/contract/prompt-choices";
import { secretMask } from "@balcao/contract/setting-keys";
import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useId } from "react";
import { flushSync } from "react-dom";
import type { FieldPathByValue, FieldValues, UseFormReturn } from "react-hook-form";
import { useController, useWatch } from "react-hook-form";
import { formatMoney, formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { NameField } from "../../ui/dialogs/name-field.tsx";
import { SwitchField } from "../../ui/dialogs/switch-field.tsx";
import { FieldGroup } from "../../ui/field-group.tsx";
import { errorText } from "../../ui/index.ts";
import { useQueues } from "../queues/index.ts";
import type { PromptBody } from "./api.ts";
import { stateOf } from "./api.ts";
import classes from "./prompts.module.css";

/** The values of the form: numbers and ids are held as text. */
export type PromptValues = {
  name: string;
  queueId: string;
  prompt: string;
  baseUrl: string;
  model: string;
  apiKey: string;
  maxTokens: string;
  temperature: string;
  maxMessages: string;
  voice: PromptVoice;
  voiceKey: string;
  voiceRegion: string;
  dayTokens: string;
  ticketTokens: string;
  useKnowledge: boolean;
  priceIn: string;
  priceOut: string;
};

/** The values of an agent; null is a new one. An empty budget has no limit. */
export function valuesOf(prompt: Prompt | null): PromptValues {
  const { maxTokens, temperature, maxMessages, dayTokens, ticketTokens } = promptBounds;
  return {
    name: prompt?.name ?? "",
    queueId: String(prompt?.queueId ?? ""),
    prompt: prompt?.prompt ?? "",
    baseUrl: prompt?.baseUrl ?? promptDefaults.baseUrl,
    model: prompt?.model ?? promptDefaults.model,
    apiKey: prompt?.apiKey ?? "",
    maxTokens: String(prompt?.maxTokens ?? maxTokens.default),
    temperature: decimalText(prompt?.temperature ?? temperature.default),
    maxMessages: String(prompt?.maxMessages ?? maxMessages.default),
    voice: prompt?.voice ?? promptDefaults.voice,
    voiceKey: prompt?.voiceKey ?? "",
    voiceRegion: prompt?.voiceRegion ?? "",
    dayTokens: countText(prompt?.dayTokens ?? dayTokens.default),
    ticketTokens: countText(prompt?.ticketTokens ?? ticketTokens.default),
    useKnowledge: prompt?.useKnowledge ?? false,
    priceIn: decimalText(prompt?.priceIn ?? null),
    priceOut: decimalText(prompt?.priceOut ?? null),
  };
}

/** The request body of valid values. Masked keys are sent as they are and stay. */
export function bodyOf(values: PromptValues): PromptBody {
  const { name, prompt, baseUrl, model, apiKey, voice, voiceKey, voiceRegion, queueId } = values;
  return {
    ...{ name: name.trim(), prompt: prompt.trim(), baseUrl: baseUrl.trim(), model: model.trim() },
    ...{ apiKey: apiKey.trim(), voice, voiceKey: voiceKey.trim(), voiceRegion: voiceRegion.trim() },
    maxTokens: countOf(values.maxTokens),
    temperature: decimalOf(values.temperature),
    maxMessages: countOf(values.maxMessages),
    dayTokens: countOf(values.dayTokens),
    ticketTokens: countOf(values.ticketTokens),
    useKnowledge: values.useKnowledge,
    priceIn: values.priceIn.trim() === "" ? null : decimalOf(values.priceIn),
    priceOut: values.priceOut.trim() === "" ? null : decimalOf(values.priceOut),
    queueId: queueId === "" ? null : Number(queueId),
  };
}

/** The field that an error of the server belongs to. */
export const fieldsOfErrors = {
  ERR_PROMPT_NAME_INVALID: "name",
  ERR_PROMPT_INTELLIGENCE_INVALID: "prompt",
  ERR_PROMPT_PROMPT_INVALID: "prompt",
  ERR_PROMPT_APIKEY_INVALID: "apiKey",
  ERR_PROMPT_QUEUEID_INVALID: "queueId",
  ERR_QUEUE_NOT_FOUND: "queueId",
  ERR_PROMPT_MAX_MESSAGES_INVALID: "maxMessages",
  ERR_PROMPT_ADDRESS_INVALID: "baseUrl",
} as const satisfies Partial<Record<ErrorCode, keyof PromptValues>>;

/** "0,4", as the chosen language writes it, without groups; "" for none. */
function decimalText(value: number | null): string {
  return value === null ? "" : String(value).replace(".", formatNumber(0.5).charAt(1));
}

/** A typed number with a comma or a point; NaN for anything else. */
function decimalOf(typed: string): number {
  const text = typed.trim();
  return /^\d+([.,]\d+)?$/.test(text) ? Number(text.replace(",", ".")) : Number.NaN;
}

export const countText = (value: number): string => (value === 0 ? "" : formatNumber(value));

/** A typed whole number, also with groups: "200.000". Empty is 0; NaN for anything else. */
export function countOf(typed: string): number {
  const digits = typed.replaceAll(/[\s.,]/g, "");
  return /^\d*$/.test(digits) ? Number(digits) : Number.NaN;
}

/** What is known of the key since it was left. */
export type KeyCheck = {
  isRunning: boolean;
  error: Error | null;
  /** The models of the provider, once it took the key. */
  models: readonly string[] | null;
  run: () => void;
  /** What was checked has changed. */
  forget: () => void;
};

type Props = { form: UseFormReturn<PromptValues>; prompt: Prompt | null; check: KeyCheck };

/** All fields of an agent. */
export function PromptFields({ form, prompt, check }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <FieldGroup legend={t("prompts.who")}>
        <Identity form={form} />
      </FieldGroup>
      <Instructions form={form} />
      <FieldGroup legend={t("prompts.model")}>
        <Model form={form} prompt={prompt} check={check} />
      </FieldGroup>
      <FieldGroup legend={t("prompts.voiceAndBudget")}>
        <Voice form={form} prompt={prompt} />
        <Budget form={form} prompt={prompt} />
      </FieldGroup>
    </>
  );
}

type FormProps = { form: UseFormReturn<PromptValues> };

function Identity({ form: { register, formState, control } }: FormProps): ReactNode {
  const { t } = useTranslation();
  const { min, max } = promptBounds.name;
  const queues = useQueues();
  const { field } = useController({
    control,
    name: "queueId",
    rules: { validate: (value) => value !== "" || t("prompts.queueRequired") },
  });
  return (
    <div className={classes["halves"]}>
      <NameField
        {...register("name", {
          validate: (value) =>
            isWithin(value.trim().length, { min, max }) || t("prompts.nameWrong", { min, max }),
        })}
        label={t("prompts.name")}
        error={formState.errors.name?.message}
        maxLength={max}
      />
      <NativeSelect
        {...field}
        label={t("prompts.queue")}
        error={formState.errors.queueId?.message}
        data={[
          { value: "", label: t("prompts.chooseQueue") },
          ...(queues ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
      />
    </div>
  );
}

const INSTRUCTION_ROWS = 6;

function Instructions({ form: { register, formState, control } }: FormProps): ReactNode {
  const { t } = useTranslation();
  const { min, max } = promptBounds.prompt;
  const length = useWatch({ control, name: "prompt" }).trim().length;
  return (
    <FieldGroup
      legend={t("prompts.does")}
      help={t("prompts.length", { length: formatNumber(length), min })}
    >
      <Textarea
        {...register("prompt", {
          validate: (value) => value.trim().length >= min || t("prompts.textShort", { min }),
        })}
        aria-label={t("prompts.instructions")}
        error={formState.errors.prompt?.message}
        placeholder={t("prompts.instructionsHint")}
        rows={INSTRUCTION_ROWS}
        maxLength={max}
      />
      <SwitchField
        control={control}
        name="useKnowledge"
        label={t("prompts.useKnowledge")}
        description={t("prompts.useKnowledgeHelp")}
      />
    </FieldGroup>
  );
}

const ADDRESS_MAX = 500;
const MODEL_MAX = 100;

function Model({ form, prompt, check }: Props): ReactNode {
  const { t } = useTranslation();
  const { register, formState } = form;
  const { errors, dirtyFields } = formState;
  const modelsId = useId();
  const isUntried = !check.isRunning && check.error === null && check.models === null;
  return (
    <>
      <div className={classes["halves"]}>
        <TextInput
          {...register("baseUrl", {
            validate: (value) => isAddress(value) || t("prompts.addressWrong"),
            onChange: check.forget,
            onBlur: () => {
              if (dirtyFields.baseUrl && isUntried) check.run();
            },
          })}
          label={t("prompts.address")}
          error={errors.baseUrl?.message}
          maxLength={ADDRESS_MAX}
          autoComplete="off"
          inputMode="url"
          spellCheck={false}
        />
        <TextInput
          {...register("model", {
            validate: (value) => value.trim() !== "" || t("prompts.modelRequired"),
          })}
          label={t("prompts.model")}
          error={errors.model?.message}
          maxLength={MODEL_MAX}
          list={modelsId}
          autoComplete="off"
          spellCheck={false}
          onFocus={() => {
            // A changed address or key is checked when it is left.
            if (isUntried && !dirtyFields.baseUrl && !dirtyFields.apiKey) check.run();
          }}
        />
        <datalist id={modelsId}>
          {check.models?.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </div>
      <div className={classes["keyRow"]}>
        <SecretField
          form={form}
          name="apiKey"
          label={t("prompts.key")}
          stored={prompt?.apiKey ?? ""}
          note={<CheckNote check={check} />}
          onChange={check.forget}
          onLeave={check.run}
        />
        {(["maxTokens", "temperature", "maxMessages"] as const).map((name) => (
          <TextInput
            key={name}
            {...register(name, { validate: (value) => numberFault(t, name, value) ?? true })}
            label={t(`prompts.${name}`)}
            error={errors[name]?.message}
            inputMode={name === "temperature" ? "decimal" : "numeric"}
            autoComplete="off"
          />
        ))}
      </div>
    </>
  );
}

/** What the provider said about the key, in one line. */
export function CheckNote({ check: { isRunning, error, models } }: { check: KeyCheck }): ReactNode {
  const { t } = useTranslation();
  const said = error === null ? null : errorText(t, error);
  const tone = error === null ? "ok" : "bad";
  return (
    <span className={classes["checked"]} role="status" data-tone={isRunning ? undefined : tone}>
      {isRunning ? t("prompts.checking") : said}
      {!isRunning && models !== null ? (
        <>
          <IconCheck size={13} stroke={1.9} aria-hidden="true" /> {t("prompts.keyTaken")}
        </>
      ) : null}
    </span>
  );
}

type SecretProps<Values extends FieldValues> = {
  form: Pick<UseFormReturn<Values>, "control" | "setFocus">;
  name: FieldPathByValue<Values, string>;
  label: string;
  /** The stored key as the server masks it; "" without one. */
  stored: string;
  /** Below the field. */
  note?: ReactNode;
  onChange?: () => void;
  /** The field is left with a newly typed key. */
  onLeave?: () => void;
};

const KEY_MAX = 500;

/** A key: masked once it is stored, until it is replaced. Left empty, it stays the stored one. */
export function SecretField<Values extends FieldValues>(props: SecretProps<Values>): ReactNode {
  const { form, name, label, stored, note, onChange, onLeave } = props;
  const { t } = useTranslation();
  const { field, fieldState } = useController({
    control: form.control,
    name,
    rules: { validate: (typed: string) => typed.trim() !== "" || t("prompts.keyRequired") },
  });
  const value: string = field.value;
  const isStored = stored !== "" && value === stored;
  const change = (typed: string): void => {
    field.onChange(typed);
    onChange?.();
  };
  return (
    <div className={classes["secret"]}>
      <TextInput
        {...field}
        value={isStored ? stored.replace(secretMask, "••••••••") : value}
        type={isStored ? "text" : "password"}
        readOnly={isStored}
        label={label}
        error={fieldState.error?.message}
        maxLength={KEY_MAX}
        autoComplete="new-password"
        spellCheck={false}
        onChange={(event) => change(event.currentTarget.value)}
        onBlur={() => {
          field.onBlur();
          if (stored !== "" && value.trim() === "") change(stored);
          else if (!isStored && value.trim() !== "") onLeave?.();
        }}
        rightSectionWidth={isStored ? REPLACE_WIDTH_PX : 0}
        rightSection={
          isStored ? (
            <button
              type="button"
              className={classes["replace"]}
              aria-label={t("prompts.replaceKey", { label })}
              onClick={() => {
                // The field takes a text only once it is no longer the stored one.
                flushSync(() => change(""));
                form.setFocus(name);
              }}
            >
              {t("prompts.replace")}
            </button>
          ) : null
        }
      />
      {note}
    </div>
  );
}

const REPLACE_WIDTH_PX = 84;
const REGION_MAX = 100;

function Voice({ form, prompt }: FormProps & { prompt: Prompt | null }): ReactNode {
  const { t } = useTranslation();
  const voice = useWatch({ control: form.control, name: "voice" });
  const { errors } = form.formState;
  return (
    <div className={classes["thirds"]}>
      <NativeSelect
        {...form.register("voice")}
        label={t("prompts.voice")}
        data={promptVoices.map((value) => ({ value, label: voiceText(t, value) }))}
      />
      {voice === "texto" ? null : (
        <>
          <SecretField
            form={form}
            name="voiceKey"
            label={t("prompts.voiceKey")}
            stored={prompt?.voiceKey ?? ""}
          />
          <TextInput
            {...form.register("voiceRegion", {
              validate: (value) => value.trim() !== "" || t("prompts.regionRequired"),
            })}
            label={t("prompts.voiceRegion")}
            error={errors.voiceRegion?.message}
            placeholder="brazilsouth"
            maxLength={REGION_MAX}
            autoComplete="off"
            spellCheck={false}
          />
        </>
      )}
    </div>
  );
}

/** "Texto", or the name in `pt-BR-FranciscaNeural`. */
function voiceText(t: TFunction, voice: PromptVoice): string {
  const [, name] = /^pt-BR-(\w+)Neural$/.exec(voice) ?? [];
  return name === undefined ? t("prompts.asText") : t("prompts.asVoice", { name });
}

const MILLION = 1_000_000;

function Budget({ form, prompt }: FormProps & { prompt: Prompt | null }): ReactNode {
  const { t } = useTranslation();
  const { register, formState, control } = form;
  const prices = useWatch({ control, name: ["priceIn", "priceOut"] }).map(decimalOf);
  const budgets = useWatch({ control, name: ["dayTokens", "ticketTokens"] }).map(countOf);
  const dearest = Math.max(...prices.filter((price) => price >= 0));
  return (
    <>
      <div className={classes["halves"]}>
        {(["dayTokens", "ticketTokens"] as const).map((name, index) => {
          const tokens = budgets[index] ?? 0;
          const most = (tokens / MILLION) * dearest;
          return (
            <TextInput
              key={name}
              {...register(name, { validate: (value) => numberFault(t, name, value) ?? true })}
              label={t(`prompts.${name}`)}
              description={
                tokens > 0 && most >= 0
                  ? t("prompts.atMost", { money: formatMoney(most) })
                  : t("prompts.emptyBudget")
              }
              error={formState.errors[name]?.message}
              inputMode="numeric"
              autoComplete="off"
            />
          );
        })}
        {(["priceIn", "priceOut"] as const).map((name) => (
          <TextInput
            key={name}
            {...register(name, {
              validate: (value) =>
                value.trim() === "" || decimalOf(value) <= PRICE_MAX || t("prompts.priceWrong"),
            })}
            label={t(`prompts.${name}`)}
            error={formState.errors[name]?.message}
            inputMode="decimal"
            autoComplete="off"
          />
        ))}
      </div>
      {prompt === null ? null : <Used prompt={prompt} />}
    </>
  );
}

const PRICE_MAX = 100_000;

/** The tokens of today, as a part of the day's budget if it has one. */
function Used({ prompt }: { prompt: Prompt }): ReactNode {
  const { t } = useTranslation();
  const { usedToday, dayTokens } = prompt;
  const tokens = formatNumber(usedToday.tokens);
  if (dayTokens === 0) return <p className="bc-meta">{t("prompts.usedToday", { tokens })}</p>;
  const percent = Math.min(100, Math.round((100 * usedToday.tokens) / dayTokens));
  return (
    <div className={classes["used"]} data-full={stateOf(prompt) === "paused" || undefined}>
      <span className={classes["bar"]} aria-hidden="true">
        <span style={{ width: `${percent}%` }} />
      </span>
      <p className="bc-meta">{t("prompts.usedOfDay", { tokens, percent })}</p>
    </div>
  );
}

export function isAddress(value: string): boolean {
  const url = URL.parse(value.trim());
  return url !== null && /^https?:$/.test(url.protocol);
}

const isWithin = (value: number, { min, max }: { min: number; max: number }): boolean =>
  value >= min && value <= max;

type NumberField = "maxTokens" | "temperature" | "maxMessages" | "dayTokens" | "ticketTokens";

/** What is wrong with a typed number; null for nothing. */
function numberFault(t: TFunction, name: NumberField, typed: string): string | null {
  const bounds = { min: 0, ...promptBounds[name] };
  const value = name === "temperature" ? decimalOf(typed) : countOf(typed);
  if (isWithin(value, bounds)) return null;
  const [min, max] = [formatNumber(bounds.min), formatNumber(bounds.max)];
  return t("prompts.numberWrong", { min, max });
}
