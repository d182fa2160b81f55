import type { Campaign, MessageTemplate } from "@balcao/contract";
import { IconChevronLeft, IconChevronRight, IconFile } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect, useMemo } from "react";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { AppAvatar, IconButton } from "../../ui/index.ts";
import { formatPhone } from "../../ui/phone-number.ts";
import { Bubble, FormattedText } from "../messages/index.ts";
import classes from "./campaign-editor.module.css";
import type { Draft } from "./editor-api.ts";
import type { usePreview } from "./editor-api.ts";
import { fillTemplate, isSame } from "./editor-template.tsx";
import { textFor } from "./draft.ts";

type Props = {
  /** What is shown; it follows the form after a moment. */
  draft: Draft;
  /** What the server says of the person at `position`. */
  shown: ReturnType<typeof usePreview>;
  campaign: Campaign | null;
  file: AttachmentChange;
  files: readonly string[];
  template: MessageTemplate | null;
  /** People of the list without a name. */
  unnamed: number;
  position: number;
  onMove: (position: number) => void;
};

/** How one person of the list gets the campaign. */
export function EditorPreview(props: Props): ReactNode {
  const { draft, shown, campaign, file, files, template, unnamed, position, onMove } = props;
  const { t } = useTranslation();
  const { data, error, isPlaceholderData } = shown;
  const person = data?.person ?? null;
  const name = person?.name ?? null;
  const time = draft.scheduledAt.slice(11, 16);
  const index = textFor(position, draft.messages);
  // Until the server has answered, the text as it is written.
  const text = data?.message ?? draft.messages[index] ?? "";
  const isFilled = data?.template && template && isSame(template, data.template);
  const filled = isFilled ? data.template : draft.template;
  const request = draft.confirmation ? (data?.confirmation ?? "") : "";
  const total = data?.total ?? 0;
  return (
    <section
      className={classes["preview"]}
      aria-label={t("campaignEditor.preview")}
      aria-busy={isPlaceholderData}
    >
      <header className={classes["who"]}>
        <AppAvatar
          name={name || t("campaignEditor.samplePerson")}
          id={person === null ? 0 : position + 1}
          size={32}
        />
        <div className={classes["whoWords"]}>
          <strong className="bc-ellipsis">
            {name === null
              ? t("campaignEditor.samplePerson")
              : t("campaignEditor.asReceived", { name: name === "" ? "–" : firstWord(name) })}
          </strong>
          {person === null ? null : (
            <span className="bc-ellipsis bc-meta">
              {t("campaignEditor.personOf", {
                number: formatPhone(person.number),
                position: formatNumber((data?.position ?? 0) + 1),
                total: formatNumber(total),
              })}
            </span>
          )}
        </div>
        <IconButton
          icon={IconChevronLeft}
          label={t("campaignEditor.previousPerson")}
          disabled={position === 0}
          onClick={() => onMove(position - 1)}
        />
        <IconButton
          icon={IconChevronRight}
          label={t("campaignEditor.nextPerson")}
          disabled={position + 1 >= total}
          onClick={() => onMove(position + 1)}
        />
      </header>
      <div
        className={classes["chat"]}
        tabIndex={0}
        role="group"
        aria-label={t("campaignEditor.chat")}
      >
        {error === null ? null : <p className="bc-note">{t("campaignEditor.previewFailed")}</p>}
        {request === "" ? null : (
          <>
            <Sent>
              <Bubble isOwn endsGroup text={<FormattedText text={request} />} foot={time} />
            </Sent>
            <div className={classes["answer"]}>
              <em>{t("campaignEditor.anyAnswer")}</em>
              <span className="bc-meta">{t("campaignEditor.onAnswer")}</span>
            </div>
          </>
        )}
        {template === null ? null : (
          <Sent>
            <Bubble
              isOwn
              endsGroup
              text={<FormattedText text={fillTemplate(template, filled)} />}
              foot={time}
            />
          </Sent>
        )}
        {template !== null ||
        (text === "" && file.kind !== "attach" && !campaign?.mediaName) ? null : (
          <Sent>
            <Bubble isOwn endsGroup text={<FormattedText text={text} />} foot={time}>
              <Attached campaign={campaign} file={file} />
            </Bubble>
          </Sent>
        )}
        {template === null && text === "" ? (
          <p className="bc-note">{t("campaignEditor.nothingYet")}</p>
        ) : null}
        {files.map((one) => (
          <Sent key={one}>
            <Bubble isOwn endsGroup text={<FileName name={one} />} foot={time} />
          </Sent>
        ))}
        {name === "" ? (
          <p className={classes["warning"]}>
            {t("campaignEditor.unnamed", { count: unnamed, shown: formatNumber(unnamed) })}
          </p>
        ) : null}
      </div>
    </section>
  );
}

const firstWord = (name: string): string => name.trim().split(/\s+/)[0] ?? name;

function Sent({ children }: { children: ReactNode }): ReactNode {
  return <div className={classes["sent"]}>{children}</div>;
}

/** The attachment above its caption: a picture, or the name of any other file. */
function Attached({ campaign, file }: Pick<Props, "campaign" | "file">): ReactNode {
  const picked = file.kind === "attach" ? file.file : null;
  const picture = usePictureOf(picked);
  if (file.kind === "remove") return null;
  const name = picked?.name ?? campaign?.mediaName ?? null;
  if (name === null) return null;
  const isPicture = /\.(png|jpe?g|webp|gif)$/i.test(name);
  const address = picked === null ? (campaign?.mediaPath ?? null) : picture;
  if (!isPicture || address === null) return <FileName name={name} />;
  return <img className={classes["picture"]} src={address} alt={name} />;
}

function FileName({ name }: { name: string }): ReactNode {
  return (
    <span className={classes["fileName"]}>
      <IconFile size={15} stroke={1.7} aria-hidden="true" />
      <span className="bc-ellipsis">{name}</span>
    </span>
  );
}

/** An address of a chosen file; it is given back when another one is chosen. */
function usePictureOf(file: File | null): string | null {
  const address = useMemo(() => (file === null ? null : URL.createObjectURL(file)), [file]);
  useEffect(() => {
    if (address === null) return undefined;
    return () => URL.revokeObjectURL(address);
  }, [address]);
  return address;
}
