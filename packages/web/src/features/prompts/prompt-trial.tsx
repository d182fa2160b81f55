import { limits } from "@balcao/contract/limits";
import {
  IconArrowForwardUp,
  IconClock,
  IconExclamationCircle,
  IconRefresh,
  IconSend2,
} from "@tabler/icons-react";
import type { FormEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { hasCode } from "../../api/client.ts";
import { formatNumber } from "../../i18n/format.ts";
import { currentLanguage, useTranslation } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";
import { Link } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { useEndInView } from "../../ui/end-in-view.ts";
import { errorText, IconButton } from "../../ui/index.ts";
import { useQueues } from "../queues/index.ts";
import { Bubble, FormattedText } from "../messages/index.ts";
import type { PromptBody, TrialAnswer } from "./api.ts";
import { tryPrompt } from "./api.ts";
import classes from "./prompt-trial.module.css";

type Line =
  | { kind: "customer"; text: string }
  | { kind: "answer"; answer: TrialAnswer; queueId: number | null }
  | { kind: "changed" };

type Props = {
  promptId: number | null;
  /** The instructions as they stand in the form. */
  instructions: string;
  /** The form as it stands; null while a field that an answer needs is wrong. */
  readForm: () => Promise<PromptBody | null>;
};

/** A conversation with the agent as its form stands, without a customer. */
export function PromptTrial({ promptId, instructions, readForm }: Props): ReactNode {
  const { t } = useTranslation();
  const trial = useTrial(promptId, readForm, instructions);
  const [typed, setTyped] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const { lines, isWaiting, problem, hasChanged } = trial;
  const list = useEndInView(`${lines.length} ${isWaiting} ${problem !== null} ${hasChanged}`);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const text = typed.trim();
    if (text === "" || isWaiting) return;
    setTyped("");
    trial.write(text);
  }

  return (
    <section className={classes["trial"]} aria-label={t("prompts.trial.title")}>
      <header className={classes["head"]}>
        <div className="bc-fill">
          <h3 className={classes["title"]}>{t("prompts.trial.title")}</h3>
          <p className="bc-meta">{t("prompts.trial.help")}</p>
        </div>
        <Button
          variant="default"
          leftSection={<IconRefresh size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => {
            trial.restart();
            setTyped("");
            field.current?.focus();
          }}
        >
          {t("prompts.trial.restart")}
        </Button>
      </header>
      <div
        className={classes["list"]}
        ref={list}
        role="log"
        aria-label={t("prompts.trial.conversation")}
        aria-busy={isWaiting}
        tabIndex={0}
      >
        {lines.length === 0 ? <p className={classes["note"]}>{t("prompts.trial.hint")}</p> : null}
        {lines.map((line, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- lines are only added at the end
          <TrialLine key={index} line={line} />
        ))}
        {hasChanged ? <TrialLine line={{ kind: "changed" }} /> : null}
        {isWaiting ? (
          <p className={classes["dots"]} role="status">
            <span className="bc-hidden-text">{t("prompts.trial.waiting")}</span>
            <i aria-hidden="true" />
            <i aria-hidden="true" />
            <i aria-hidden="true" />
          </p>
        ) : null}
        {problem === null ? null : (
          <div className={classes["box"]} data-tone="warn" role="alert">
            <IconExclamationCircle size={15} stroke={1.7} aria-hidden="true" />
            <div>
              <ProblemText problem={problem} />
              <button type="button" className={classes["again"]} onClick={trial.retry}>
                {t("common.retry")}
              </button>
            </div>
          </div>
        )}
      </div>
      <form className={classes["composer"]} onSubmit={submit}>
        <input
          ref={field}
          className="bc-phone-field"
          value={typed}
          maxLength={limits.messageBodyMax}
          aria-label={t("prompts.trial.message")}
          placeholder={t("prompts.trial.message")}
          autoComplete="off"
          enterKeyHint="send"
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <IconButton
          type="submit"
          variant="filled"
          label={t("prompts.trial.send")}
          icon={IconSend2}
          disabled={typed.trim() === "" || isWaiting}
        />
      </form>
    </section>
  );
}

function ProblemText({ problem }: { problem: Problem }): ReactNode {
  const { t } = useTranslation();
  if (problem === "form") return t("prompts.trial.incomplete");
  const isSilent = hasCode(problem, "ERR_PROMPT_NO_ANSWER") || hasCode(problem, "ERR_TIMEOUT");
  return isSilent ? t("prompts.trial.noAnswer") : errorText(t, problem);
}

function TrialLine({ line }: { line: Line }): ReactNode {
  const { t } = useTranslation();
  if (line.kind === "changed") {
    return <p className={classes["changed"]}>{t("prompts.trial.changed")}</p>;
  }
  if (line.kind === "customer") {
    return (
      <div className={classes["bubble"]}>
        <Said who={t("prompts.trial.customer")} text={line.text} isOwn={false} />
      </div>
    );
  }
  const { answer, queueId } = line;
  return (
    <div className={classes["answer"]} data-hands-over={answer.handOver || undefined}>
      {answer.handOver ? (
        <HandOver answer={answer} queueId={queueId} />
      ) : (
        <Said who={t("prompts.trial.agent")} text={answer.text} isOwn />
      )}
      <p className={classes["figures"]}>
        <IconClock size={13} stroke={1.7} aria-hidden="true" />
        <span>{t("prompts.trial.seconds", { seconds: secondsText(answer.tookMs) })}</span>
        <span>{t("prompts.trial.tokens", { tokens: formatNumber(answer.tokens) })}</span>
        {answer.cost === null ? null : <span>{costText(answer.cost)}</span>}
      </p>
      {answer.sources.length === 0 ? null : (
        <p className={classes["figures"]}>
          <span>{t("prompts.trial.sources")}</span>
          {answer.sources.map(({ id, title }) => (
            <Link key={id} to={`/prompts?tab=knowledge&edit=${id}`} target="_blank">
              {title}
            </Link>
          ))}
        </p>
      )}
    </div>
  );
}

function Said({ who, text, isOwn }: { who: string; text: string; isOwn: boolean }): ReactNode {
  return (
    <Bubble
      isOwn={isOwn}
      endsGroup
      text={
        <>
          <span className="bc-hidden-text">{who}: </span>
          <FormattedText text={text} />
        </>
      }
    />
  );
}

/** What would happen, and what the customer would read. */
function HandOver({ answer, queueId }: { answer: TrialAnswer; queueId: number | null }): ReactNode {
  const { t } = useTranslation();
  const queue = useQueues()?.find(({ id }) => id === queueId)?.name ?? t("prompts.trial.theQueue");
  const { text, reason } = answer;
  return (
    <div className={classes["box"]} data-tone="info">
      <IconArrowForwardUp size={15} stroke={1.7} aria-hidden="true" />
      <div>
        <strong>{t("prompts.trial.handOver", { queue })}</strong>
        {text === "" ? null : <span>{t("prompts.trial.andSay", { text })}</span>}
        {reason === null ? null : <span>{t("prompts.trial.reason", { reason })}</span>}
      </div>
    </div>
  );
}

const secondsText = (ms: number): string => formatNumber(Math.round(ms / 100) / 10);

/** Answers cost parts of a cent. */
function costText(reais: number): string {
  const money = { style: "currency", currency: "BRL", maximumFractionDigits: 4 } as const;
  return new Intl.NumberFormat(localeTags[currentLanguage()], money).format(reais);
}

/** Why there is no answer: the form, or an error. */
type Problem = "form" | Error;

/** The lines that the server takes. */
const LINES_MAX = 100;

function useTrial(promptId: number | null, readForm: Props["readForm"], instructions: string) {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [isWaiting, setWaiting] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  /** The instructions of the newest answer. */
  const [answeredBy, setAnsweredBy] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);
  const hasChanged = answeredBy !== null && answeredBy.trim() !== instructions.trim();
  useEffect(() => () => running.current?.abort(), []);

  async function ask(conversation: readonly Line[]): Promise<void> {
    const mine = new AbortController();
    running.current = mine;
    setWaiting(true);
    setProblem(null);
    try {
      const prompt = await readForm();
      if (mine.signal.aborted) return;
      if (prompt === null) {
        setProblem("form");
        return;
      }
      const answer = await tryPrompt(
        {
          ...(promptId === null ? {} : { promptId }),
          prompt,
          conversation: saidIn(conversation).slice(-LINES_MAX),
        },
        mine.signal,
      );
      if (mine.signal.aborted) return;
      const queueId = prompt.queueId ? Number(prompt.queueId) : null;
      setLines([...conversation, { kind: "answer", answer, queueId }]);
      setAnsweredBy(prompt.prompt ?? "");
    } catch (failure) {
      if (mine.signal.aborted) return;
      setProblem(failure instanceof Error ? failure : new Error(String(failure)));
    } finally {
      if (!mine.signal.aborted) setWaiting(false);
    }
  }

  return {
    lines,
    isWaiting,
    problem,
    hasChanged,
    write(text: string): void {
      const changed: Line[] = hasChanged ? [{ kind: "changed" }] : [];
      const next: Line[] = [...lines, ...changed, { kind: "customer", text }];
      setLines(next);
      if (hasChanged) setAnsweredBy(instructions);
      void ask(next);
    },
    retry: () => void ask(lines),
    restart(): void {
      running.current?.abort();
      setLines([]);
      setWaiting(false);
      setProblem(null);
      setAnsweredBy(null);
    },
  };
}

/** The lines as the server takes them. A hand-over without words said nothing. */
function saidIn(lines: readonly Line[]): { from: "customer" | "prompt"; text: string }[] {
  return lines.flatMap((line): { from: "customer" | "prompt"; text: string }[] => {
    if (line.kind === "customer") return [{ from: "customer", text: line.text }];
    if (line.kind === "changed" || line.answer.text === "") return [];
    return [{ from: "prompt", text: line.answer.text }];
  });
}
