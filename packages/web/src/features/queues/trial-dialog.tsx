import type { ChatbotTrialState, Queue, ReplyOf } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { NativeSelect } from "@mantine/core";
import { IconRefresh, IconSend2 } from "@tabler/icons-react";
import type { FormEvent, ReactNode } from "react";
import { useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { useEndInView } from "../../ui/end-in-view.ts";
import { errorText, IconButton, QueueDot } from "../../ui/index.ts";
import { useConnections } from "../connections/index.ts";
import { plainText } from "../messages/index.ts";
import { answersTo, ChatBubbles, ChatNote, fileOf } from "./chatbot-preview.tsx";
import classes from "./trial-dialog.module.css";
import { Button } from "../../ui/button.tsx";
import { call } from "../../api/client.ts";
import type { BotBubble } from "./chatbot-preview.tsx";

type Props = {
  queue: Queue;
  onClose: () => void;
};

/** A phone to try the chatbot as it will be when it is published. Its messages are neither stored nor sent. */
export function TrialDialog({ queue, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const [connectionId, setConnectionId] = useState<number | null>(null);
  const begins = useConnections().filter(
    ({ queues }) => queues.length > 1 && queues.some(({ id }) => id === queue.id),
  );
  return (
    <DialogFrame opened title={t("queues.tryTitle", { name: queue.name })} onClose={onClose}>
      <div className={classes["trial"]}>
        {begins.length === 0 ? null : (
          <NativeSelect
            label={t("queues.tryFrom")}
            value={connectionId ?? ""}
            data={[
              { value: "", label: t("queues.tryThisQueue") },
              ...begins.map(({ id, name }) => ({
                value: String(id),
                label: t("queues.tryMenuOf", { name }),
              })),
            ]}
            onChange={({ currentTarget: { value } }) =>
              setConnectionId(value === "" ? null : Number(value))
            }
          />
        )}
        {queue.hasChatbotDraft ? (
          <p className={classes["hint"]}>{t("queues.draft.tried")}</p>
        ) : null}
        <Phone key={connectionId} queue={queue} connectionId={connectionId} />
      </div>
    </DialogFrame>
  );
}

function Phone({ queue, connectionId }: { queue: Queue; connectionId: number | null }): ReactNode {
  const { t } = useTranslation();
  const trial = useTrial(queue.id, connectionId, t("queues.sampleName"));
  const [typed, setTyped] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const list = useEndInView(`${trial.bubbles.length} ${trial.isOver}`);
  const last = trial.bubbles.at(-1);
  const answers = trial.isOver || last?.from !== "company" ? [] : answersIn(trial.bubbles);

  async function write(text: string): Promise<void> {
    if (text.trim() === "" || trial.isWaiting) return;
    if (await trial.write(text.trim())) setTyped("");
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    void write(typed);
  }

  return (
    <section className={classes["phone"]} aria-label={t("queues.tryPhone")}>
      <header className={classes["head"]}>
        <QueueDot color={queue.color} />
        <span className={classes["name"]}>{queue.name}</span>
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconRefresh size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => {
            trial.restart();
            setTyped("");
            field.current?.focus();
          }}
        >
          {t("queues.restart")}
        </Button>
      </header>
      <div
        className={classes["list"]}
        ref={list}
        role="log"
        aria-label={t("queues.conversation")}
        aria-busy={trial.isWaiting}
        tabIndex={0}
      >
        {last === undefined ? <ChatNote>{t("queues.tryHint")}</ChatNote> : null}
        <ChatBubbles bubbles={trial.bubbles} />
        {last?.from === "customer" && !trial.isOver ? (
          <ChatNote>{t("queues.noAnswer")}</ChatNote>
        ) : null}
        {trial.isOver ? (
          <ChatNote>
            {trial.queueName === null
              ? t("queues.personTakesOverNoQueue")
              : t("queues.personTakesOver", { name: trial.queueName })}
          </ChatNote>
        ) : null}
      </div>
      {trial.error === null ? null : (
        <p className={classes["failure"]} role="alert">
          {errorText(t, trial.error)}
        </p>
      )}
      {answers.length === 0 ? null : (
        <div className={classes["answers"]} role="group" aria-label={t("queues.answers")}>
          {answers.map(({ answer, title }) => (
            <button
              key={answer}
              type="button"
              className={classes["answer"]}
              aria-label={`${answer} ${plainText(title)}`}
              title={plainText(title)}
              onClick={() => {
                // On a touch screen the keyboard would cover the answer.
                if (matchMedia("(pointer: fine)").matches) field.current?.focus();
                void write(answer);
              }}
            >
              {answer}
            </button>
          ))}
        </div>
      )}
      <form className={classes["composer"]} onSubmit={submit}>
        <input
          ref={field}
          className={"bc-phone-field"}
          value={typed}
          maxLength={limits.messageBodyMax}
          aria-label={t("queues.tryMessage")}
          placeholder={t("queues.tryPlaceholder")}
          autoComplete="off"
          enterKeyHint="send"
          data-autofocus
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <IconButton
          type="submit"
          variant="filled"
          label={t("queues.send")}
          icon={IconSend2}
          disabled={typed.trim() === "" || trial.isWaiting}
        />
      </form>
    </section>
  );
}

/** The answers of the newest menu; a file may follow it. */
function answersIn(bubbles: Parameters<typeof ChatBubbles>[0]["bubbles"]) {
  const menu = bubbles.findLast(({ from, text }) => from === "company" && text !== "");
  return menu === undefined ? [] : answersTo(menu.text);
}

type Trial = {
  bubbles: readonly BotBubble[];
  /** Null until the customer writes. */
  state: ChatbotTrialState | null;
  isOver: boolean;
  queueName: string | null;
};

type Step = ReplyOf<"POST /queue/:queueId/trial">;

const beginning: Trial = { bubbles: [], state: null, isOver: false, queueName: null };

/** Runs the draft of the chatbot; `connectionId` null is this queue alone. A failed text can be sent again. */
function useTrial(queueId: number, connectionId: number | null, contactName: string) {
  const [trial, setTrial] = useState<Trial>(beginning);
  const [isWaiting, setWaiting] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  /** Counts restarts: replies to an earlier trial are ignored. */
  const round = useRef(0);

  async function write(text: string): Promise<boolean> {
    const mine = round.current;
    setWaiting(true);
    setError(null);
    try {
      const step = await call("POST /queue/:queueId/trial", {
        params: { queueId },
        body: { draft: true, state: trial.state, text, contactName, connectionId },
      });
      if (mine === round.current) setTrial((before) => after(before, text, step));
      return true;
    } catch (failure) {
      if (mine !== round.current) return true;
      setError(failure instanceof Error ? failure : new Error(String(failure)));
      return false;
    } finally {
      if (mine === round.current) setWaiting(false);
    }
  }

  function restart(): void {
    round.current += 1;
    setTrial(beginning);
    setWaiting(false);
    setError(null);
  }

  return { ...trial, isWaiting, error, write, restart };
}

function after(before: Trial, text: string, step: Step): Trial {
  const from = before.bubbles.length;
  const own: BotBubble = { key: `${from}`, from: "customer", text, file: null };
  const said = step.messages.map((message, index): BotBubble => ({
    key: `${from + index + 1}`,
    from: "company",
    text: message.text,
    file: fileOf(message),
  }));
  return {
    bubbles: [...before.bubbles, own, ...said],
    state: step.state,
    isOver: step.isOver,
    queueName: step.queueName,
  };
}
