import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { IconHourglass, IconLock, IconPaperclip, IconRepeat, IconSend2 } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useId, useState } from "react";
import { ApiError } from "../../api/client.ts";
import { randomUuid } from "../../api/random-uuid.ts";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { AttachmentField } from "../../ui/attachment-field.tsx";
import { Button, buttonLook } from "../../ui/button.tsx";
import { CodeBlock, CopyButton, JsonText, prettyJson } from "../../ui/code-block.tsx";
import { errorText } from "../../ui/index.ts";
import { Pill } from "../../ui/marks.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { useConnections } from "../connections/index.ts";
import type { ProgramAnswer, ProgramRequest, TokenRow } from "./api.ts";
import { changeTrial, makeCall, maskOf, rememberToken, useTrial, useWholeTokens } from "./api.ts";
import classes from "./api.module.css";
import type { CodeLanguage } from "./code-samples.ts";
import { codeLanguages, codeOf } from "./code-samples.ts";

/** In the place of a token that this session has not seen. */
export const PLACEHOLDER = "SEU_TOKEN";
const LANGUAGE_KEY = "balcao.codeLanguage";
const languageNames: Readonly<Record<CodeLanguage, string>> = {
  curl: "curl",
  javascript: "JavaScript",
  typescript: "TypeScript",
  python: "Python",
  php: "PHP",
};

/** The calls that can be tried. */
const calls = {
  messages: { method: "POST", path: "/api/v1/messages" },
  legacy: { method: "POST", path: "/api/messages/send" },
  contacts: { method: "GET", path: "/api/v1/contacts" },
  tickets: { method: "GET", path: "/api/v1/tickets" },
  queues: { method: "GET", path: "/api/v1/queues" },
  tags: { method: "GET", path: "/api/v1/tags" },
} as const;
type CallName = keyof typeof calls;
const ofTokens = ["messages", "contacts", "tickets", "queues", "tags"] as const;

/** The language of the examples, kept on this device. */
function useCodeLanguage() {
  const [language, setLanguage] = useState<CodeLanguage>(
    () => codeLanguages.find((one) => one === localStorage.getItem(LANGUAGE_KEY)) ?? "curl",
  );
  return {
    language,
    choose(next: CodeLanguage): void {
      localStorage.setItem(LANGUAGE_KEY, next);
      setLanguage(next);
    },
  };
}

/** The row of the trial: the chosen one, or the first. */
export function useChosenToken(rows: readonly TokenRow[]): TokenRow | null {
  const { tokenKey } = useTrial();
  return rows.find(({ key }) => key === tokenKey) ?? rows[0] ?? null;
}

/** The whole token of a row, as far as it is known. Tokens of connections are in the connections' own list. */
export function useWholeToken(row: TokenRow | null): string | null {
  const whole = useWholeTokens();
  const connections = useConnections();
  if (row === null) return null;
  if (row.kind !== "legacy") return whole.get(row.key) ?? null;
  return connections?.find(({ id }) => id === row.connection.connectionId)?.token ?? null;
}

type CardsProps = { rows: readonly TokenRow[]; onAdd: () => void };

/** A call that is really made, beside the code that makes it. */
export function TrialCards({ rows, onAdd }: CardsProps): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const trial = useTrial();
  const row = useChosenToken(rows);
  const whole = useWholeToken(row);
  const connections = useConnections() ?? [];
  const [chosenCall, setCall] = useState<(typeof ofTokens)[number]>("messages");
  const [isFile, setFile] = useState(false);
  const [file, setAttachment] = useState<AttachmentChange>({ kind: "keep" });
  const [key, setKey] = useState(newKey);
  const name: CallName = row?.kind === "legacy" ? "legacy" : chosenCall;
  const sends = name === "messages" || name === "legacy";
  const withFile = sends && isFile;
  const content = file.kind === "attach" ? file.file : null;
  const request: ProgramRequest = {
    method: calls[name].method,
    path: pathOf(name, trial.number),
    idempotencyKey: name === "messages" ? key : null,
    json: sends
      ? {
          ...(name === "messages" && trial.connectionId !== null
            ? { connectionId: trial.connectionId }
            : {}),
          number: trial.number,
          body: trial.body,
          ...(name === "legacy" ? { idempotencyKey: key } : {}),
        }
      : null,
    file: withFile ? { name: content?.name ?? t("api.trial.sampleFile"), content } : null,
  };
  const making = useMutation({
    mutationFn: () => makeCall(request, whole ?? ""),
    // The next one is another message. Where it is unclear whether this one went out, its repetition has the same key.
    onSuccess: ({ status }) => {
      if (status < 500) setKey(newKey());
    },
  });
  const isComplete =
    !sends || (trial.number !== "" && (withFile ? content !== null : trial.body.trim() !== ""));
  const hasConnection = connections.some(({ status }) => status === "CONNECTED");

  function renderButton(): ReactNode {
    if (row === null) return <Button onClick={onAdd}>{t("api.tokens.create")}</Button>;
    if (sends && !hasConnection) {
      return (
        <Link to="/connections" {...buttonLook({})}>
          {t("api.trial.connect")}
        </Link>
      );
    }
    return (
      <>
        <Button
          type="submit"
          leftSection={<IconSend2 size={15} stroke={1.7} aria-hidden="true" />}
          disabled={!isComplete || whole === null}
          loading={making.isPending}
        >
          {t(sends ? "api.trial.send" : "api.trial.ask")}
        </Button>
        {sends ? <span className="bc-note">{t("api.trial.forReal")}</span> : null}
      </>
    );
  }

  return (
    <div className={classes["cards"]}>
      <section className={classes["card"]} aria-labelledby={`${id}trial`}>
        <div className={classes["cardHead"]}>
          <h2 id={`${id}trial`} className={classes["headTitle"]}>
            {t("api.trial.title")}
          </h2>
          {sends ? (
            <Segmented
              value={isFile ? "file" : "text"}
              choices={[
                { value: "text", label: t("api.trial.text") },
                { value: "file", label: t("api.trial.file") },
              ]}
              onChange={(next) => setFile(next === "file")}
              aria-labelledby={`${id}trial`}
            />
          ) : null}
        </div>
        <form
          noValidate
          className={classes["trial"]}
          onSubmit={(event) => {
            event.preventDefault();
            if (isComplete && whole !== null) making.mutate();
          }}
        >
          <NativeSelect
            label={t("api.trial.call")}
            value={name}
            disabled={row?.kind === "legacy"}
            onChange={(event) =>
              setCall(ofTokens.find((one) => one === event.currentTarget.value) ?? "messages")
            }
            data={(row?.kind === "legacy" ? (["legacy"] as const) : ofTokens).map((one) => ({
              value: one,
              label: `${calls[one].method} ${calls[one].path}`,
            }))}
          />
          <div className={classes["halves"]}>
            <NativeSelect
              label={t("api.trial.token")}
              value={row?.key ?? ""}
              onChange={(event) => changeTrial({ tokenKey: event.currentTarget.value })}
              data={
                row === null
                  ? [{ value: "", label: t("api.tokens.none") }]
                  : rows.map((one) => ({
                      value: one.key,
                      label:
                        one.kind === "legacy"
                          ? t("api.tokens.connection", { name: one.name })
                          : one.name,
                    }))
              }
            />
            {name === "messages" ? (
              <NativeSelect
                label={t("api.trial.connection")}
                value={trial.connectionId ?? ""}
                onChange={(event) =>
                  changeTrial({ connectionId: Number(event.currentTarget.value) || null })
                }
                data={[
                  { value: "", label: t("api.trial.defaultConnection") },
                  ...connections.map((one) => ({ value: String(one.id), label: one.name })),
                ]}
              />
            ) : null}
          </div>
          {row !== null && whole === null ? <WholeToken key={row.key} row={row} /> : null}
          {sends || name === "contacts" ? (
            <TextInput
              label={t("api.trial.number")}
              description={t("api.trial.numberHelp")}
              value={trial.number}
              onChange={(event) =>
                changeTrial({ number: event.currentTarget.value.replaceAll(/\D/g, "") })
              }
              inputMode="numeric"
              autoComplete="off"
              maxLength={20}
            />
          ) : null}
          {withFile ? (
            <AttachmentField
              known={null}
              change={file}
              onChange={setAttachment}
              icon={IconPaperclip}
              attachLabel={t("api.trial.attach")}
              detachLabel={(fileName) => t("composer.removeFile", { name: fileName })}
            />
          ) : null}
          {sends ? (
            <Textarea
              label={t(withFile ? "api.trial.caption" : "api.trial.message")}
              value={trial.body}
              onChange={(event) => changeTrial({ body: event.currentTarget.value })}
              rows={2}
              maxLength={4_096}
            />
          ) : null}
          <div className={classes["send"]}>{renderButton()}</div>
        </form>
        <div className={classes["answer"]} aria-live="polite">
          {making.data ? <Answer answer={making.data} /> : null}
          {making.error ? (
            <p className="bc-failure">
              {errorText(t, new ApiError({ status: 0, code: "ERR_NETWORK" }))}
            </p>
          ) : null}
        </div>
      </section>
      <div className={classes["card"]}>
        <Code
          request={request}
          mask={row === null ? PLACEHOLDER : maskOf(row)}
          token={whole}
          labelledBy={`${id}trial`}
        />
        <div className={classes["client"]}>
          <h3 className={classes["habitsTitle"]}>{t("api.client.title")}</h3>
          <code className={classes["install"]}>{CLIENT_INSTALL}</code>
          <CopyButton text={CLIENT_INSTALL} label={t("api.client.copy")} />
          <p className={classes["clientNote"]}>{t("api.client.note")}</p>
        </div>
        <div className={classes["habits"]}>
          <h3 className={classes["habitsTitle"]}>{t("api.habits.title")}</h3>
          <p>
            <IconRepeat size={15} stroke={1.7} aria-hidden="true" />
            {t("api.habits.again")}
          </p>
          <p>
            <IconHourglass size={15} stroke={1.7} aria-hidden="true" />
            {t("api.habits.wait")}
          </p>
          <p>
            <IconLock size={15} stroke={1.7} aria-hidden="true" />
            {t("api.habits.once")}
          </p>
        </div>
      </div>
    </div>
  );
}

const newKey = (): string => randomUuid();

/** The package that an installation serves for the programs that call it. */
const CLIENT_INSTALL = `npm i ${location.origin}/api/v1/client.tgz`;

function pathOf(name: CallName, number: string): string {
  const { path } = calls[name];
  return name === "contacts" && number !== "" ? `${path}?number=${number}` : path;
}

/** Takes the whole token of a row, which is not kept anywhere but in the memory of this page. */
function WholeToken({ row }: { row: TokenRow }): ReactNode {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const end = row.kind === "legacy" ? row.connection.end : row.token.end;
  const isOther = text.trim() !== "" && !text.trim().endsWith(end);
  return (
    <PasswordField
      label={t("api.trial.whole")}
      description={t("api.trial.wholeHelp")}
      error={isOther ? t("api.trial.otherToken", { end }) : undefined}
      value={text}
      autoComplete="off"
      onChange={(event) => {
        const next = event.currentTarget.value;
        setText(next);
        if (next.trim().length > end.length && next.trim().endsWith(end)) {
          rememberToken(row.key, next.trim());
        }
      }}
    />
  );
}

type CodeProps = {
  request: ProgramRequest;
  /** What is shown in the place of the token. */
  mask: string;
  /** Copied, if it is known. */
  token: string | null;
  labelledBy: string;
};

/** The call as code; the token is masked on the screen. */
export function Code({ request, mask, token, labelledBy }: CodeProps): ReactNode {
  const { t } = useTranslation();
  const { language, choose } = useCodeLanguage();
  const sample = { ...request, origin: location.origin };
  return (
    <>
      <div className={classes["cardHead"]}>
        <div className={classes["languages"]}>
          <Segmented
            value={language}
            choices={codeLanguages.map((value) => ({ value, label: languageNames[value] }))}
            onChange={choose}
            aria-labelledby={labelledBy}
          />
        </div>
        <CopyButton
          isNamed
          text={codeOf(language, { ...sample, token: token ?? PLACEHOLDER })}
          label={t("api.code.copy")}
        />
      </div>
      <div className={classes["code"]}>
        <CodeBlock label={t("api.code.title")}>
          {codeOf(language, { ...sample, token: mask })}
        </CodeBlock>
      </div>
      {token === null ? (
        <p className={classes["codeNote"]}>{t("api.code.placeholder", { word: PLACEHOLDER })}</p>
      ) : null}
    </>
  );
}

function Answer({ answer }: { answer: ProgramAnswer }): ReactNode {
  const { t } = useTranslation();
  const { status, tookMs, left, limit, requestId, text, error } = answer;
  const tone = status >= 500 ? ("bad" as const) : ("warn" as const);
  return (
    <>
      <div className={classes["answerHead"]}>
        <Pill tone={error === null ? "ok" : tone}>{status}</Pill>
        <span className="bc-small">{formatNumber(tookMs)} ms</span>
        {left === null || limit === null ? null : (
          <span className={classes["left"]}>
            {t("api.answer.left", { left: formatNumber(left), limit: formatNumber(limit) })}
          </span>
        )}
      </div>
      {error === null ? null : (
        <p className={classes["why"]} data-tone={tone}>
          {errorText(t, error)}{" "}
          {status >= 500 && requestId !== "" ? t("api.answer.request", { id: requestId }) : null}
        </p>
      )}
      <div className={classes["answerBody"]}>
        <CodeBlock label={t("api.answer.title")}>
          <JsonText text={prettyJson(text)} />
        </CodeBlock>
      </div>
    </>
  );
}
