import { IconExclamationCircle, IconSparkles, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorWords, IconButton } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import classes from "./ai-help.module.css";
import type { Asked } from "./use-proposal.ts";
import { isFinal, isTooSlow } from "./use-proposal.ts";

type Props = {
  asked: Asked<unknown>;
  mayInsertBelow: boolean;
  onUse: (text: string) => void;
  onInsertBelow: (text: string) => void;
  onAgain: () => void;
  onClose: () => void;
};

/** A proposal above the composer's text, while it is written, once it is there, or why there is none. */
export function ProposalStrip(props: Props): ReactNode {
  const { asked, mayInsertBelow, onUse, onInsertBelow, onAgain, onClose } = props;
  const { t } = useTranslation();
  return (
    <section className={classes["strip"]} aria-label={t("aiHelp.proposal")}>
      <header className={classes["head"]}>
        <IconSparkles size={15} stroke={1.7} aria-hidden="true" />
        <span className="bc-fill">
          {t(asked.wish.kind === "suggest" ? "aiHelp.suggestion" : "aiHelp.proposal")}
        </span>
        <IconButton
          size="small"
          icon={IconX}
          label={t(asked.state === "waiting" ? "common.cancel" : "aiHelp.close")}
          shortcut="Esc"
          onClick={onClose}
        />
      </header>
      <div className={classes["body"]} role="status" tabIndex={0}>
        {asked.state === "waiting" ? <WaitingDots text={t("aiHelp.waiting")} /> : null}
        {asked.state === "ready" ? asked.proposal.text : null}
      </div>
      {asked.state === "failed" ? <Failure error={asked.error} onAgain={onAgain} /> : null}
      {asked.state === "ready" ? (
        <>
          <Sources sources={asked.proposal.sources} />
          <div className={classes["actions"]}>
            <Button size="compact" onClick={() => onUse(asked.proposal.text)}>
              {t("aiHelp.use")}
            </Button>
            {mayInsertBelow ? (
              <Button
                size="compact"
                variant="default"
                onClick={() => onInsertBelow(asked.proposal.text)}
              >
                {t("aiHelp.insertBelow")}
              </Button>
            ) : null}
            <Button size="compact" variant="subtle" onClick={onAgain}>
              {t("aiHelp.another")}
            </Button>
          </div>
        </>
      ) : null}
    </section>
  );
}

/** After a proposal was used: the way back, until the text is changed. */
export function UsedStrip(props: { onUndo: () => void; onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <section className={classes["strip"]} aria-label={t("aiHelp.proposal")} data-used="">
      <span className="bc-fill" role="status">
        {t("aiHelp.used")}
      </span>
      <Button size="compact" variant="subtle" onClick={props.onUndo}>
        {t("aiHelp.undo")}
      </Button>
      <IconButton
        size="small"
        icon={IconX}
        label={t("aiHelp.close")}
        shortcut="Esc"
        onClick={props.onClose}
      />
    </section>
  );
}

/** Why there is no proposal, and the way to try again where that may help. */
export function Failure({ error, onAgain }: { error: unknown; onAgain: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <p className={classes["failure"]} role="alert">
      <IconExclamationCircle size={15} stroke={1.7} aria-hidden="true" />
      <span>
        {isTooSlow(error) ? t("aiHelp.slow") : <ErrorWords error={error} />}
        {isFinal(error) ? null : (
          <button type="button" className="bc-retry" onClick={onAgain}>
            {t("common.retry")}
          </button>
        )}
      </span>
    </p>
  );
}

export function WaitingDots({ text }: { text: string }): ReactNode {
  return (
    <span className={classes["dots"]}>
      <i aria-hidden="true" />
      <i aria-hidden="true" />
      <i aria-hidden="true" />
      {text}
    </span>
  );
}

/** The articles that a suggestion rests on; links for those who may open them. */
function Sources({ sources }: { sources: readonly { id: number; title: string }[] }): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  if (sources.length === 0) return null;
  return (
    <p className={classes["sources"]}>
      {t("aiHelp.sources")}
      {sources.map(({ id, title }) =>
        can("knowledge:manage") ? (
          // Beside the conversation, whose proposal would be gone.
          <a key={id} href={`/prompts?tab=knowledge&edit=${id}`} target="_blank" rel="noreferrer">
            {title}
          </a>
        ) : (
          <span key={id}>{title}</span>
        ),
      )}
    </p>
  );
}
