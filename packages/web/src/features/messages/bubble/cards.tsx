import type { MessageDetails } from "@balcao/contract";
import {
  IconCalendarEvent,
  IconChartBar,
  IconCheck,
  IconCheckbox,
  IconCopy,
  IconDeviceMobile,
  IconEyeOff,
  IconMapPin,
  IconMessagePlus,
  IconReceipt,
  IconShoppingBag,
  IconSpeakerphone,
  IconUsers,
} from "@tabler/icons-react";
import type { CSSProperties, ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { copyText } from "../../../ui/copy-text.ts";
import { AppAvatar, notifyError } from "../../../ui/index.ts";
import { useConversation } from "../list/conversation.ts";
import classes from "./cards.module.css";
import { Card } from "./file-card.tsx";
import type { OtherKind } from "./message-content.ts";

type CardDetails = Exclude<MessageDetails, { kind: "choice" | "call" | "number-changed" }>;

/** What a message is beside a text or a file. */
export function DetailsCard({ details }: { details: CardDetails }): ReactNode {
  switch (details.kind) {
    case "location":
      return <LocationCard place={details} />;
    case "contacts":
      return <ContactCards contacts={details.contacts} />;
    case "poll":
      return <PollCard poll={details} />;
    case "poll-vote":
      return <PollVote vote={details} />;
    case "view-once":
      return <ViewOnceNote />;
    case "ad":
      return <AdCard ad={details} />;
  }
}

const otherIcons = {
  product: IconShoppingBag,
  order: IconShoppingBag,
  invite: IconUsers,
  event: IconCalendarEvent,
  payment: IconReceipt,
  other: IconDeviceMobile,
};

/** The words for a kind of message that has no card. */
export function OtherCard({ kind }: { kind: OtherKind }): ReactNode {
  const { t } = useTranslation();
  const KindIcon = otherIcons[kind];
  return (
    <span className={classes["note"]}>
      <KindIcon size={15} stroke={1.7} aria-hidden="true" /> {t(`messages.others.${kind}`)}
    </span>
  );
}

type Shared = Extract<MessageDetails, { kind: "contacts" }>["contacts"][number];

/** Shared contacts. Showing one does nothing: only a press starts a conversation. */
function ContactCards({ contacts }: { contacts: readonly Shared[] }): ReactNode {
  return (
    <div className="bc-column">
      {contacts.map((contact, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a card's contacts never change their order
        <ContactCard key={index} contact={contact} />
      ))}
    </div>
  );
}

function ContactCard({ contact }: { contact: Shared }): ReactNode {
  const { t } = useTranslation();
  const { onTalkTo } = useConversation();
  const { name, phones } = contact;
  return (
    <div className={classes["contact"]}>
      <AppAvatar name={name} id={phones[0] ?? name} size={36} />
      <div className="bc-column bc-fill">
        <span className={classes["title"]}>{name}</span>
        {phones.map((phone) => (
          <div key={phone} className={classes["phone"]}>
            <span className={classes["line"]}>{phone}</span>
            <span className={classes["actions"]}>
              {onTalkTo === null ? null : (
                <button
                  type="button"
                  className={classes["action"]}
                  aria-label={t("messages.talkToNamed", { name, phone })}
                  onClick={() => onTalkTo({ name, phone })}
                >
                  <IconMessagePlus size={15} stroke={1.7} aria-hidden="true" />
                  {t("messages.talkTo")}
                </button>
              )}
              <CopyButton text={phone} />
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}

function CopyButton({ text }: { text: string }): ReactNode {
  const { t } = useTranslation();
  const [isCopied, setIsCopied] = useState(false);
  const CopyIcon = isCopied ? IconCheck : IconCopy;
  return (
    <button
      type="button"
      className={classes["action"]}
      aria-label={t("messages.copyNamed", { text })}
      onClick={() => {
        copyText(text)
          .then(() => setIsCopied(true))
          .catch(notifyError);
      }}
    >
      <CopyIcon size={15} stroke={1.7} aria-hidden="true" />
      {t(isCopied ? "messages.copied" : "messages.copy")}
    </button>
  );
}

type DetailsOf<K extends MessageDetails["kind"]> = Extract<MessageDetails, { kind: K }>;

/** A location. It is a link: showing it sends no request to a map service. */
function LocationCard({ place }: { place: DetailsOf<"location"> }): ReactNode {
  const { t } = useTranslation();
  const { latitude, longitude, name, address, isLive } = place;
  const coordinates = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
  const kind = t(isLive ? "messages.kinds.liveLocation" : "messages.kinds.location");
  const href = `https://maps.google.com/maps?q=${latitude}%2C${longitude}&z=17`;
  return (
    <Card icon={IconMapPin} href={href}>
      <span className={classes["title"]}>{name || kind}</span>
      <span className={classes["line"]}>{address || coordinates}</span>
      <span className={classes["link"]}>{t("messages.openMap")}</span>
    </Card>
  );
}

/** A poll with its options and the votes that are known. */
function PollCard({ poll }: { poll: DetailsOf<"poll"> }): ReactNode {
  const { t } = useTranslation();
  const { votes = [] } = poll;
  const voters = votes.filter(({ options }) => options.length > 0);
  return (
    <div className={classes["poll"]}>
      <span className={classes["line"]}>
        <IconChartBar size={15} stroke={1.7} aria-hidden="true" /> {t("messages.kinds.poll")}
        {poll.severalAllowed ? `, ${t("messages.pollSeveral")}` : ""}
      </span>
      <span className={classes["title"]}>{poll.question}</span>
      <ul className={classes["options"]}>
        {poll.options.map((option) => (
          <PollOption key={option} option={option} voters={voters} />
        ))}
      </ul>
      {voters.length === 0 ? null : (
        <span className={classes["line"]}>{t("messages.pollVotes", { count: voters.length })}</span>
      )}
    </div>
  );
}

type Votes = NonNullable<DetailsOf<"poll">["votes"]>;

/** One option with its share of the voters; their names are in the tooltip. */
function PollOption({ option, voters }: { option: string; voters: Votes }): ReactNode {
  const { t } = useTranslation();
  const own = voters.filter(({ options }) => options.includes(option));
  const names = own.map(({ name, fromMe }) => (fromMe ? t("messages.quotedOurs") : name));
  const style: CSSProperties & Record<"--share", string> = {
    "--share": `${voters.length === 0 ? 0 : (own.length / voters.length) * 100}%`,
  };
  return (
    <li className={classes["option"]} style={style} title={names.join(", ") || undefined}>
      <span className="bc-fill">{option}</span>
      {own.length === 0 ? null : (
        <span className={classes["votes"]}>
          <span className="bc-hidden-text">{names.join(", ")}: </span>
          {own.length}
        </span>
      )}
    </li>
  );
}

function PollVote({ vote }: { vote: DetailsOf<"poll-vote"> }): ReactNode {
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

/** A view-once message, which only the phone can show. */
function ViewOnceNote(): ReactNode {
  const { t } = useTranslation();
  return (
    <span className={classes["note"]}>
      <IconEyeOff size={15} stroke={1.7} aria-hidden="true" /> {t("messages.viewOnceOnPhone")}
    </span>
  );
}

/** The advertisement that led to the conversation. */
function AdCard({ ad }: { ad: DetailsOf<"ad"> }): ReactNode {
  const { t } = useTranslation();
  // A received address is a link only if it is a web address.
  const href = /^https?:\/\//.test(ad.sourceUrl) ? ad.sourceUrl : null;
  return (
    <Card icon={IconSpeakerphone} href={href}>
      <span className={classes["line"]}>{t("messages.cameByAd")}</span>
      <span className={classes["title"]}>{ad.title}</span>
      {ad.body === "" ? null : <span className={classes["line"]}>{ad.body}</span>}
    </Card>
  );
}
