import type { SimulatorContent, SimulatorMessage } from "@balcao/contract";
import {
  IconAlertCircle,
  IconChartBar,
  IconCheck,
  IconChecks,
  IconChevronDown,
  IconClock,
  IconEyeOff,
  IconFile,
  IconFileOff,
  IconMapPin,
  IconPhone,
  IconPhoneOff,
  IconSpeakerphone,
  IconUser,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ComponentProps, ReactNode } from "react";
import { download } from "../../api/download.ts";
import { dayKey, formatDayLabel, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { Bubble, FormattedText } from "../messages/index.ts";
import classes from "./conversation.module.css";
import type { MessageActions, MessageMenuProps } from "./attach-menu.tsx";
import type { UnsentMessage } from "./customer-acts.ts";

/** Messages of one side within this time are one group. */
const GROUP_MS = 5 * 60_000;

type Edges = { opensDay: boolean; starts: boolean; ends: boolean };

/** The starts of groups and days in an ascending list. */
export function edgesOf(
  messages: readonly Pick<SimulatorMessage, "at" | "fromCustomer">[],
): readonly Edges[] {
  const isApart = (index: number): boolean => {
    const [before, after] = [messages[index - 1], messages[index]];
    if (!before || !after || before.fromCustomer !== after.fromCustomer) return true;
    return Date.parse(after.at) - Date.parse(before.at) > GROUP_MS;
  };
  return messages.map((message, index) => {
    const before = messages[index - 1];
    return {
      opensDay: !before || dayKey(before.at) !== dayKey(message.at),
      starts: isApart(index),
      ends: isApart(index + 1),
    };
  });
}

type MessageProps = { message: SimulatorMessage; edges: Edges; actions: MessageActions };

/** A message as the customer's phone shows it: the customer's own at the right. */
export function Message({ message, edges, actions }: MessageProps): ReactNode {
  const { t } = useTranslation();
  const { fromCustomer, isDeleted, isEdited, content, call, body } = message;
  const isTextShown = call === null && content?.kind !== "poll" && content?.kind !== "contacts";
  const text = (
    <>
      <MessageMenu message={message} actions={actions} />
      {isTextShown ? <FormattedText text={body} /> : null}
    </>
  );
  return (
    <>
      {edges.opensDay ? <p className={classes["day"]}>{formatDayLabel(message.at)}</p> : null}
      <article
        className={classes["message"]}
        data-own={fromCustomer || undefined}
        data-starts={edges.starts || undefined}
      >
        <Bubble
          isOwn={fromCustomer}
          endsGroup={edges.ends}
          text={isDeleted ? <em className={classes["gone"]}>{t("simulator.deleted")}</em> : text}
          foot={
            <>
              {isEdited && !isDeleted ? <span>{t("simulator.edited")}</span> : null}
              {formatTime(message.at)}
              {fromCustomer ? <AckIcon ack={message.ack} /> : null}
            </>
          }
        >
          {isDeleted ? null : <AboveText message={message} />}
        </Bubble>
        <Reactions message={message} />
      </article>
    </>
  );
}

/** The delivery state of a message of the customer: waiting, received by the connection, read by an agent. */
function AckIcon({ ack }: { ack: number }): ReactNode {
  const { t } = useTranslation();
  const icon = { size: 15, stroke: 1.9, role: "img" } as const;
  if (ack >= 4) return <IconChecks {...icon} data-read aria-label={t("simulator.ackRead")} />;
  if (ack >= 2) return <IconCheck {...icon} aria-label={t("simulator.ackTaken")} />;
  return <IconClock {...icon} aria-label={t("simulator.ackWaiting")} />;
}

type UnsentProps = {
  message: UnsentMessage;
  onRetry: (message: UnsentMessage) => void;
  onDiscard: (id: string) => void;
};

/** A message that is being sent to the simulated network or failed. */
export function UnsentBubble({ message, onRetry, onDiscard }: UnsentProps): ReactNode {
  const { t } = useTranslation();
  const hasFailed = message.error !== null;
  const icon = { size: 14, stroke: 1.9, role: "img" } as const;
  return (
    <>
      <article className={classes["message"]} data-own>
        <Bubble
          isOwn
          endsGroup
          hasFailed={hasFailed}
          text={<FormattedText text={message.body} />}
          foot={
            hasFailed ? (
              <IconAlertCircle {...icon} aria-label={t("simulator.ackFailed")} />
            ) : (
              <IconClock {...icon} aria-label={t("simulator.ackSending")} />
            )
          }
        />
      </article>
      {hasFailed ? (
        <p className={classes["failure"]} role="alert">
          {t("simulator.notSent", { reason: errorText(t, message.error) })}
          <span className={classes["choices"]}>
            <button type="button" onClick={() => onRetry(message)}>
              {t("common.retry")}
            </button>
            <button type="button" onClick={() => onDiscard(message.id)}>
              {t("simulator.discard")}
            </button>
          </span>
        </p>
      ) : null}
    </>
  );
}

const icon = { size: 19, stroke: 1.7, "aria-hidden": true } as const;

/** The parts above the text of a bubble on the customer's phone. */
function AboveText({ message }: { message: SimulatorMessage }): ReactNode {
  const { t } = useTranslation();
  const { author, quoted, isForwarded, isViewOnce, file, kind, content, call } = message;
  return (
    <>
      {author === null ? null : <strong className={classes["speaker"]}>{author.name}</strong>}
      {isForwarded ? <em className={classes["mark"]}>{t("simulator.forwarded")}</em> : null}
      {isViewOnce ? <em className={classes["mark"]}>{t("simulator.viewOnce")}</em> : null}
      {quoted === null ? null : <blockquote className={classes["quote"]}>{quoted.body}</blockquote>}
      {file === null ? null : <MessageFile file={file} kind={kind} />}
      {content === null ? null : <Content content={content} />}
      {call === null ? null : (
        <span className={classes["line"]}>
          {call.isRefused ? <IconPhoneOff {...icon} /> : <IconPhone {...icon} />}
          {t(call.isVideo ? "simulator.videoCall" : "simulator.voiceCall")}
          {call.isRefused ? ` · ${t("simulator.callRefused")}` : null}
        </span>
      )}
    </>
  );
}

function Content({ content }: { content: SimulatorContent }): ReactNode {
  const { t } = useTranslation();
  switch (content.kind) {
    case "location":
      return (
        <span className={classes["line"]}>
          <IconMapPin {...icon} />
          {content.name ?? `${content.latitude}, ${content.longitude}`}
        </span>
      );
    case "contacts":
      return content.contacts.map(({ name, phones }) => (
        <span key={name} className={classes["line"]}>
          <IconUser {...icon} />
          {name} {phones.join(", ")}
        </span>
      ));
    case "poll":
      return (
        <span className={classes["block"]}>
          <span className={classes["line"]}>
            <IconChartBar {...icon} />
            {content.question}
          </span>
          {content.options.map((option) => (
            <span key={option}>▫️ {option}</span>
          ))}
        </span>
      );
    case "ad":
      return (
        <span className={classes["line"]}>
          <IconSpeakerphone {...icon} />
          {content.title}
        </span>
      );
    case "view-once":
      return (
        <span className={classes["line"]}>
          <IconEyeOff {...icon} />
          {t("simulator.viewOnce")}
        </span>
      );
    case "poll-vote":
    case "choice":
    case "other":
      return null;
  }
}

/** Reactions below a bubble, equal ones counted together. */
function Reactions({ message }: { message: SimulatorMessage }): ReactNode {
  const counts = new Map<string, number>();
  for (const { emoji } of message.reactions) counts.set(emoji, (counts.get(emoji) ?? 0) + 1);
  if (counts.size === 0) return null;
  return (
    <span className={classes["reactions"]}>
      {[...counts].map(([emoji, count]) => (
        <span key={emoji}>
          {emoji}
          {count > 1 ? ` ${count}` : ""}
        </span>
      ))}
    </span>
  );
}

type File = NonNullable<SimulatorMessage["file"]>;

/** The file of a message on the phone's screen: shown, played, or offered to be saved. */
function MessageFile({ file, kind }: { file: File; kind: SimulatorMessage["kind"] }) {
  const { t } = useTranslation();
  const { url, hasFailed } = useObjectUrl(file.url);
  if (hasFailed) {
    return (
      <p className={classes["document"]}>
        <IconFileOff size={19} stroke={1.7} aria-hidden="true" />
        {t("simulator.fileGone")}
      </p>
    );
  }
  if (url === null) return <div className={classes["waiting"]} aria-label={t("common.loading")} />;
  if (kind === "image" || kind === "sticker") {
    return <img className={classes[kind]} src={url} alt={file.name} />;
  }
  if (kind === "video") {
    return <video className={classes["image"]} src={url} controls preload="metadata" />;
  }
  if (kind === "audio" || kind === "voice") {
    return <audio className={classes["audio"]} src={url} controls preload="metadata" />;
  }
  return <Document file={file} url={url} />;
}

function Document({ file, url }: { file: File; url: string }): ReactNode {
  return (
    <a className={classes["document"]} href={url} download={file.name}>
      <IconFile size={19} stroke={1.7} aria-hidden="true" />
      {file.name}
    </a>
  );
}

/** An object URL of a file: the call needs the bearer, which elements do not send. */
function useObjectUrl(callUrl: string): { url: string | null; hasFailed: boolean } {
  const { data, isError } = useQuery({
    queryKey: ["simulator", "file", callUrl],
    queryFn: async ({ signal }) => URL.createObjectURL(await download(`/api${callUrl}`, signal)),
    staleTime: Number.POSITIVE_INFINITY,
    // An object URL is valid as long as the page lives.
    gcTime: Number.POSITIVE_INFINITY,
    meta: { live: false },
  });
  return { url: data ?? null, hasFailed: isError };
}

const MessageChoices = lazyPart(async () => (await import("./attach-menu.tsx")).MessageChoices);

/** The menu of a message. */
function MessageMenu(props: MessageMenuProps): ReactNode {
  const standIn = <Target aria-haspopup="menu" aria-expanded={false} />;
  return (
    <OnDemand part={MessageChoices} standIn={standIn}>
      <MessageChoices {...props} target={<Target />} />
    </OnDemand>
  );
}

function Target(props: ComponentProps<"button">): ReactNode {
  const { t } = useTranslation();
  return (
    <button
      {...props}
      type="button"
      className={classes["open"]}
      aria-label={t("simulator.messageMenu")}
    >
      <IconChevronDown size={15} stroke={1.9} aria-hidden="true" />
    </button>
  );
}
