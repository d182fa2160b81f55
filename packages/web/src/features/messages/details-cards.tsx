import type { MessageDetails } from "@balcao/contract";
import {
  IconChartBar,
  IconCheckbox,
  IconEyeOff,
  IconMapPin,
  IconSpeakerphone,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./card.module.css";

type DetailsOf<K extends MessageDetails["kind"]> = Extract<MessageDetails, { kind: K }>;

/** A place. It is a link: nothing is asked of a map service by showing it. */
export function LocationCard({ place }: { place: DetailsOf<"location"> }): ReactNode {
  const { t } = useTranslation();
  const { latitude, longitude, name, address, isLive } = place;
  const coordinates = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
  const kind = t(isLive ? "messages.kinds.liveLocation" : "messages.kinds.location");
  return (
    <a
      className={classes["card"]}
      href={`https://maps.google.com/maps?q=${latitude}%2C${longitude}&z=17`}
      target="_blank"
      rel="noopener noreferrer"
    >
      <span className={classes["icon"]}>
        <IconMapPin size={22} stroke={1.6} aria-hidden="true" />
      </span>
      <span className={classes["words"]}>
        <span className={classes["title"]}>{name || kind}</span>
        <span className={classes["line"]}>{address || coordinates}</span>
        <span className={classes["link"]}>{t("messages.openMap")}</span>
      </span>
    </a>
  );
}

/** A question with its answers. Who votes how is not known to the chat app's other side. */
export function PollCard({ poll }: { poll: DetailsOf<"poll"> }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["poll"]}>
      <span className={classes["line"]}>
        <IconChartBar size={15} stroke={1.7} aria-hidden="true" /> {t("messages.kinds.poll")}
        {poll.severalAllowed ? `, ${t("messages.pollSeveral")}` : ""}
      </span>
      <span className={classes["title"]}>{poll.question}</span>
      <ul className={classes["options"]}>
        {poll.options.map((option) => (
          <li key={option}>{option}</li>
        ))}
      </ul>
    </div>
  );
}

export function PollVote({ vote }: { vote: DetailsOf<"poll-vote"> }): ReactNode {
  const { t } = useTranslation();
  return (
    <span className={classes["note"]}>
      <IconCheckbox size={15} stroke={1.7} aria-hidden="true" />
      {vote.options.length === 0
        ? t("messages.pollVoteNone")
        : t("messages.pollVote", { options: vote.options.join(", ") })}
    </span>
  );
}

/** What only the phone may show. */
export function ViewOnceNote(): ReactNode {
  const { t } = useTranslation();
  return (
    <span className={classes["note"]}>
      <IconEyeOff size={15} stroke={1.7} aria-hidden="true" /> {t("messages.viewOnceOnPhone")}
    </span>
  );
}

/** The advertisement that the customer came through. */
export function AdCard({ ad }: { ad: DetailsOf<"ad"> }): ReactNode {
  const { t } = useTranslation();
  const content = (
    <>
      <span className={classes["icon"]}>
        <IconSpeakerphone size={22} stroke={1.6} aria-hidden="true" />
      </span>
      <span className={classes["words"]}>
        <span className={classes["line"]}>{t("messages.cameByAd")}</span>
        <span className={classes["title"]}>{ad.title}</span>
        {ad.body === "" ? null : <span className={classes["line"]}>{ad.body}</span>}
      </span>
    </>
  );
  // What a stranger sends is followed only where it is a web address.
  if (!/^https?:\/\//.test(ad.sourceUrl)) return <div className={classes["card"]}>{content}</div>;
  return (
    <a className={classes["card"]} href={ad.sourceUrl} target="_blank" rel="noopener noreferrer">
      {content}
    </a>
  );
}
