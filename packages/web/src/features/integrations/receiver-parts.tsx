import { IconFlask2, IconX } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { epochMs } from "../../ui/clock.ts";
import { IconButton, notifyError, notifySuccess } from "../../ui/index.ts";
import { Pill } from "../../ui/marks.tsx";
import type { TestAnswer } from "./api.ts";
import { failureWords, secondsText } from "./integration-words.tsx";
import classes from "./integrations.module.css";

/** What the tables of integrations and of webhooks have in common. */

type NameProps = {
  name: string;
  detail: string;
  /** The deliveries below are those of this one. */
  isChosen: boolean;
  onChoose: () => void;
};

/** The name of a receiver, which shows its deliveries alone. */
export function ReceiverName({ name, detail, isChosen, onChoose }: NameProps): ReactNode {
  return (
    <button type="button" className={classes["choose"]} aria-pressed={isChosen} onClick={onChoose}>
      <span className={classes["nameText"]}>{name}</span>
      <span className={classes["type"]}>{detail}</span>
    </button>
  );
}

/** What a test said; only bots say something themselves. */
type Answer = Omit<TestAnswer, "messages"> & Partial<Pick<TestAnswer, "messages">>;
/** The answer to a test, and the news of the receiver at that time. */
type Tested = { answer: Answer; atMs: number; news: string | null };

type Tests<Id> = {
  /** The answer that is still to be shown. `news` changes with what the table would say instead. */
  of: (id: Id, news: string | null) => Answer | null;
  busyId: Id | null;
  run: (id: Id, news: string | null) => void;
  clear: (id: Id) => void;
};

/** After this time an answer gives way to news. */
const READ_MS = 30_000;

/** The tests of this visit of the page; one runs at a time. */
export function useTests<Id extends number>(
  test: (id: Id) => Promise<Answer>,
  nowMs: number,
): Tests<Id> {
  const [tested, setTested] = useState<ReadonlyMap<Id, Tested>>(new Map());
  const clear = (id: Id): void =>
    setTested((known) => new Map([...known].filter(([one]) => one !== id)));
  const { mutate, isPending, variables } = useMutation({
    mutationFn: ({ id }: { id: Id; news: string | null }) => test(id),
    onMutate: ({ id }) => clear(id),
    onSuccess: (answer, { id, news }) =>
      setTested((known) => new Map(known).set(id, { answer, atMs: epochMs(), news })),
    onError: notifyError,
  });
  return {
    of(id, news) {
      const known = tested.get(id);
      if (known === undefined) return null;
      const isNew = nowMs - known.atMs < READ_MS;
      return isNew || known.news === news ? known.answer : null;
    },
    busyId: isPending ? variables.id : null,
    run: (id, news) => mutate({ id, news }),
    clear,
  };
}

type TestProps<Id> = { tests: Tests<Id>; id: Id; name: string; news: string | null };

export function TestButton<Id>({ tests, id, name, news }: TestProps<Id>): ReactNode {
  const { t } = useTranslation();
  return (
    <Button
      className={classes["test"]}
      size="xs"
      variant="default"
      leftSection={<IconFlask2 size={15} stroke={1.7} aria-hidden="true" />}
      loading={tests.busyId === id}
      disabled={tests.busyId !== null}
      aria-label={t("integrations.test.of", { name })}
      onClick={() => tests.run(id, news)}
    >
      {t("integrations.test.run")}
    </Button>
  );
}

/** The answer to a test in the place of the state, or the state. */
export function TestedState<Id>(
  props: Omit<TestProps<Id>, "name"> & { children: ReactNode },
): ReactNode {
  const { tests, id, news, children } = props;
  const { t } = useTranslation();
  const answer = tests.of(id, news);
  if (answer === null) return children;
  return (
    <span className={classes["result"]} role="status">
      <span className={classes["resultText"]}>
        <Pill tone={answer.isOk ? "ok" : "bad"}>
          {t("integrations.test.result", { result: answerWords(t, answer) })}
        </Pill>
      </span>
      <IconButton
        size="small"
        label={t("integrations.test.close")}
        icon={IconX}
        onClick={() => tests.clear(id)}
      />
    </span>
  );
}

/** "200 em 0,3 s", what a bot said, or the reason. */
function answerWords(t: TFunction, answer: Answer): string {
  const { isOk, status, messages = [], tookMs } = answer;
  const [said] = messages;
  if (isOk && said !== undefined) return t("integrations.test.said", { text: said });
  const time = secondsText(t, tookMs);
  if (status !== null) return t("integrations.test.status", { status, time });
  return isOk ? t("integrations.test.answered", { time }) : failureWords(t, answer);
}

type StoppedProps = { name: string; resume: () => Promise<void> };

/** Nothing is delivered any more, until somebody says so. */
export function Stopped({ name, resume }: StoppedProps): ReactNode {
  const { t } = useTranslation();
  const resuming = useMutation({
    mutationFn: resume,
    onSuccess: () => notifySuccess(t("integrations.resumed", { name })),
    onError: notifyError,
  });
  return (
    <span className={classes["result"]}>
      <Pill tone="bad">{t("integrations.stopped")}</Pill>
      <Button
        size="xs"
        variant="default"
        loading={resuming.isPending}
        aria-label={t("integrations.resumeOf", { name })}
        onClick={() => resuming.mutate()}
      >
        {t("integrations.resume")}
      </Button>
    </span>
  );
}
