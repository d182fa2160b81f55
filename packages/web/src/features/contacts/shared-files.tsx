import type { Message } from "@balcao/contract";
import { IconFile, IconLink, IconMicrophone, IconPlayerPlay } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatMoment } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/index.ts";
import { formatBytes } from "../messages/index.ts";
import { useSharedMessages } from "./api.ts";
import classes from "./contact-drawer.module.css";

/** The files and links that were exchanged in a ticket, the newest first. */
export function SharedFiles({ ticketId }: { ticketId: number }): ReactNode {
  const { t } = useTranslation();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useSharedMessages(ticketId);
  const messages = data?.pages.flatMap((page) => page.messages) ?? [];
  const pictures = messages.filter(isPicture);
  const others = messages.filter((message) => !isPicture(message));
  return (
    <section className={classes["section"]} aria-label={t("contacts.shared")}>
      <h3 className={classes["subtitle"]}>{t("contacts.shared")}</h3>
      {error === null ? null : (
        <p className={classes["failure"]} role="alert">
          {errorText(t, error)}
        </p>
      )}
      {data && messages.length === 0 && !hasNextPage ? (
        <p className="bc-note">{t("contacts.nothingShared")}</p>
      ) : null}
      {pictures.length === 0 ? null : (
        <ul className={classes["pictures"]}>
          {pictures.map((message) => (
            <li key={message.id}>
              <Picture message={message} />
            </li>
          ))}
        </ul>
      )}
      <ul className={classes["list"]}>
        {others.map((message) => (
          <SharedRows key={message.id} message={message} />
        ))}
      </ul>
      {hasNextPage ? (
        <Button
          size="xs"
          variant="subtle"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t("contacts.olderShared")}
        </Button>
      ) : null}
    </section>
  );
}

function isPicture({ media }: Message): boolean {
  return media !== null && (media.kind === "image" || media.kind === "video");
}

type PictureProps = {
  message: Message;
  /** Instead of a new tab. */
  onOpen?: () => void;
};

/** A picture or film in a square. */
export function Picture({ message: { media, createdAt }, onOpen }: PictureProps): ReactNode {
  const { t } = useTranslation();
  if (media === null) return null;
  const kind = t(media.kind === "video" ? "messages.kinds.video" : "messages.kinds.image");
  return (
    <a
      className={classes["picture"]}
      href={media.url ?? undefined}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={`${kind}, ${media.name}, ${formatMoment(createdAt)}`}
      onClick={(event) => {
        if (onOpen === undefined || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        onOpen();
      }}
    >
      {media.thumbnailUrl === null ? null : <img src={media.thumbnailUrl} alt="" loading="lazy" />}
      {media.kind === "video" ? <IconPlayerPlay size={19} aria-hidden="true" /> : null}
    </a>
  );
}

/** A file, or each link of a text. */
function SharedRows({ message: { media, body, createdAt } }: { message: Message }): ReactNode {
  const { t } = useTranslation();
  const when = formatMoment(createdAt);
  if (media !== null) {
    const isSound = media.kind === "audio" || media.kind === "voice";
    return (
      <SharedRow
        href={media.url ?? ""}
        download={media.name}
        icon={isSound ? IconMicrophone : IconFile}
        title={isSound ? t(`messages.kinds.${media.kind}`) : media.name}
        text={`${formatBytes(media.bytes)}, ${when}`}
      />
    );
  }
  return linksIn(body).map((href) => (
    <SharedRow key={href} href={href} icon={IconLink} title={hostOf(href)} text={when} />
  ));
}

type RowProps = {
  href: string;
  /** The name that the file is stored under; without it the address opens in a new tab. */
  download?: string;
  icon: typeof IconFile;
  title: string;
  text: string;
};

/** A line with the name of a file or the place of a link, which it opens. */
export function SharedRow({ href, download, icon: RowIcon, title, text }: RowProps): ReactNode {
  const target = download === undefined ? { target: "_blank" } : { download };
  return (
    <li>
      <a
        className={classes["shared"]}
        href={href}
        rel="noopener noreferrer"
        title={title}
        {...target}
      >
        <RowIcon size={19} stroke={1.7} aria-hidden="true" />
        <span className={classes["sharedTitle"]}>{title}</span>
        <span className={classes["when"]}>{text}</span>
      </a>
    </li>
  );
}

/** The addresses in a text, each once, without the punctuation of the sentence. */
function linksIn(text: string): string[] {
  const found = text.match(/https?:\/\/[^\s<>"]+/g) ?? [];
  const links = found.map((link) => link.replace(/[.,;:!?'")\]}*_~]+$/, ""));
  return [...new Set(links)].filter((link) => URL.canParse(link));
}

/** "loja.exemplo.com.br/trocas" */
function hostOf(href: string): string {
  const { host, pathname } = new URL(href);
  return host.replace(/^www\./, "") + (pathname === "/" ? "" : pathname);
}
