import type { Ticket } from "@balcao/contract";
import type { Icon } from "@tabler/icons-react";
import {
  IconChartBar,
  IconFile,
  IconMapPin,
  IconMicrophone,
  IconMusic,
  IconPhone,
  IconPhoto,
  IconSticker,
  IconUser,
  IconVideo,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./ticket-card.module.css";

type Kind = Ticket["lastMessageKind"];

const kindIcons: Readonly<Record<Exclude<Kind, "text">, Icon>> = {
  image: IconPhoto,
  video: IconVideo,
  audio: IconMusic,
  voice: IconMicrophone,
  document: IconFile,
  sticker: IconSticker,
  location: IconMapPin,
  contact: IconUser,
  poll: IconChartBar,
  call: IconPhone,
};

/** What the last message is when it is more than text; the words after it may only be a caption. */
export function KindIcon({ kind }: { kind: Kind }): ReactNode {
  const { t } = useTranslation();
  if (kind === "text") return null;
  const KindSign = kindIcons[kind];
  return (
    <span className={classes["kind"]} role="img" aria-label={t(`tickets.kinds.${kind}`)}>
      <KindSign size={15} stroke={1.7} aria-hidden="true" />
    </span>
  );
}
