import type { Help } from "@balcao/contract";
import { IconHelpCircle, IconPlayerPlay, IconVideo } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState, ListSkeleton } from "../../ui/index.ts";
import { Page } from "../../ui/page/page.tsx";
import { helpList } from "./api.ts";
import classes from "./helps-page.module.css";

/** The help videos. Until one is pressed, nothing is loaded from where they are kept. */
export function HelpsPage(): ReactNode {
  const { t } = useTranslation();
  const { data: helps, error, refetch } = useQuery(helpList.query);
  const [playingId, setPlayingId] = useState<number | null>(null);
  return (
    <Page title={t("helps.title")} count={helps?.length ?? null}>
      {helps === undefined && error === null ? <ListSkeleton /> : null}
      {helps === undefined && error !== null ? (
        <HelpsFailed onRetry={() => void refetch()} />
      ) : null}
      {helps?.length === 0 ? (
        <EmptyState
          icon={IconHelpCircle}
          drawing="sheet"
          title={t("helps.emptyTitle")}
          text={t("helps.emptyText")}
        />
      ) : null}
      {helps === undefined || helps.length === 0 ? null : (
        <>
          <p className={classes["hint"]}>{t("helps.playerHint")}</p>
          <ul className={classes["videos"]}>
            {helps.map((help) => (
              <li key={help.id}>
                <Video
                  help={help}
                  isPlaying={help.id === playingId}
                  onPlay={() => setPlayingId(help.id)}
                />
              </li>
            ))}
          </ul>
        </>
      )}
    </Page>
  );
}

/** Shown where the list could not be read. */
export function HelpsFailed({ onRetry }: { onRetry: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={IconVideo}
      title={t("helps.listFailed")}
      action={
        <Button variant="default" onClick={onRetry}>
          {t("common.retry")}
        </Button>
      }
    />
  );
}

type VideoProps = { help: Help; isPlaying: boolean; onPlay: () => void };

function Video({ help, isPlaying, onPlay }: VideoProps): ReactNode {
  const { t } = useTranslation();
  const { title, description, video } = help;
  return (
    <article className={classes["video"]}>
      {isPlaying ? (
        <iframe
          className={classes["player"]}
          src={`https://www.youtube-nocookie.com/embed/${encodeURIComponent(video)}?autoplay=1&rel=0`}
          title={t("helps.player", { name: title })}
          allow="autoplay; encrypted-media; fullscreen; picture-in-picture"
          // Another origin than ours: with both it is still kept apart from this page.
          // oxlint-disable-next-line react/iframe-missing-sandbox
          sandbox="allow-scripts allow-same-origin allow-presentation allow-popups"
          // The player refuses to play for pages that do not say their host; it is told no more than that.
          referrerPolicy="strict-origin"
          ref={(player) => player?.focus()}
        />
      ) : (
        <button
          type="button"
          className={classes["poster"]}
          aria-label={t("helps.play", { name: title })}
          onClick={onPlay}
        >
          <span className={classes["play"]}>
            <IconPlayerPlay size={26} stroke={1.7} aria-hidden="true" />
          </span>
        </button>
      )}
      <h2 className={classes["title"]}>{title}</h2>
      {description === "" ? null : <p className={classes["description"]}>{description}</p>}
    </article>
  );
}
