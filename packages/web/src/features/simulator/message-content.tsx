import type { SimulatorContent, SimulatorMessage } from "@balcao/contract";
import {
  IconChartBar,
  IconEyeOff,
  IconMapPin,
  IconPhone,
  IconPhoneOff,
  IconSpeakerphone,
  IconUser,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { FormattedText } from "../messages/index.ts";
import classes from "./message-content.module.css";
import { MessageFile } from "./message-file.tsx";

const icon = { size: 19, stroke: 1.7, "aria-hidden": true } as const;

/** What stands in a bubble on the customer's phone. */
export function MessageContent({ message }: { message: SimulatorMessage }): ReactNode {
  const { t } = useTranslation();
  if (message.isDeleted) return <em className={classes["gone"]}>{t("simulator.deleted")}</em>;
  const { author, quoted, isForwarded, isViewOnce, file, kind, content, call, body } = message;
  const isBodyShown = body !== "" && content?.kind !== "poll" && content?.kind !== "contacts";
  return (
    <>
      {author === null ? null : <strong className={classes["author"]}>{author.name}</strong>}
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
      {isBodyShown && call === null ? <FormattedText text={body} /> : null}
      {message.isEdited ? <em className={classes["mark"]}> {t("simulator.edited")}</em> : null}
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
export function Reactions({ message }: { message: SimulatorMessage }): ReactNode {
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
