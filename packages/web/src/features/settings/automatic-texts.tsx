import type { AutomaticText, AutomaticTextKey } from "@balcao/contract";
import { automaticTexts } from "@balcao/contract/automatic-texts";
import { renderVariables } from "@balcao/contract/message-variables";
import { IconMessageCog } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { liveList } from "../../realtime/live-list.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { errorText, ListSkeleton, LoadFailed, notifySuccess } from "../../ui/index.ts";
import { TextWithVariables } from "../../ui/text-with-variables.tsx";
import { useSession } from "../auth/index.ts";
import { Bubble, FormattedText } from "../messages/index.ts";
import classes from "./automatic-texts.module.css";
import { Section } from "./section.tsx";

const textList = liveList<AutomaticText, AutomaticTextKey>({
  key: ["automatic-texts"],
  read: (signal) => call("GET /automatic-texts", {}, { signal }),
  identify: ({ key }) => key,
});

/** The texts by the moment at which customers get them. */
const groups = [
  {
    name: "service",
    keys: ["greetingOnAccept", "transferToQueue", "transferToUser", "transferToBoth"],
  },
  { name: "end", keys: ["completion", "ratingRequest", "ratingThanks", "inactive"] },
  { name: "chatbot", keys: ["outOfHours", "invalidOption", "personComes", "callRefused"] },
] as const satisfies readonly { name: string; keys: readonly AutomaticTextKey[] }[];

/** What customers get by themselves: each text with its words of now, and a dialog to change it. */
export function AutomaticTexts(): ReactNode {
  const { t } = useTranslation();
  // No event reports a colleague's change.
  const { data, error, refetch } = useQuery({ ...textList.query, staleTime: 0 });
  const [editedKey, setEditedKey] = useState<AutomaticTextKey | null>(null);
  if (data === undefined && error !== null) {
    return <LoadFailed icon={IconMessageCog} error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <ListSkeleton />;
  const byKey = new Map(data.map((one) => [one.key, one]));
  const edited = editedKey === null ? undefined : byKey.get(editedKey);
  return (
    <div className={classes["texts"]}>
      {groups.map(({ name, keys }) => (
        <Section key={name} title={t(`settings.texts.groups.${name}`)}>
          {keys.map((key) => {
            const known = byKey.get(key);
            return known ? (
              <TextRow key={key} known={known} onEdit={() => setEditedKey(key)} />
            ) : null;
          })}
        </Section>
      ))}
      {edited ? <TextDialog known={edited} onClose={() => setEditedKey(null)} /> : null}
    </div>
  );
}

function TextRow({ known, onEdit }: { known: AutomaticText; onEdit: () => void }): ReactNode {
  const { t } = useTranslation();
  const { key, isDefault } = known;
  const title = t(`settings.texts.${key}.title`);
  const shown = useSample(known.key)(known.text).trim();
  return (
    <div className={classes["row"]}>
      <div className={classes["about"]}>
        <h3 className={classes["title"]}>
          {title}
          {isDefault ? null : (
            <span className={classes["own"]} data-tone="info">
              {t("settings.texts.own")}
            </span>
          )}
        </h3>
        <p className="bc-small">{t(`settings.texts.${key}.help`)}</p>
      </div>
      <p className={classes["words"]} data-none={shown === "" || undefined}>
        {shown === "" ? t("settings.texts.nothing") : shown}
      </p>
      <Button
        variant="default"
        size="xs"
        className={classes["edit"] ?? ""}
        aria-label={t("settings.texts.editOf", { title })}
        onClick={onEdit}
      >
        {t("settings.texts.edit")}
      </Button>
    </div>
  );
}

/** Fills the variables of a text with samples. */
function useSample(key: AutomaticTextKey): (text: string) => string {
  const { t } = useTranslation();
  const { user } = useSession();
  const [now] = useState(() => new Date());
  const samples = { queue: t("settings.texts.sampleQueue"), user: user.name };
  const names = Object.fromEntries(automaticTexts[key].names.map((name) => [name, samples[name]]));
  const contactName = t("settings.texts.sampleName");
  return (text) =>
    renderVariables(text, { contactName, now, timeZone: user.company.timeZone, names });
}

const ROWS = 6;

type DialogProps = { known: AutomaticText; onClose: () => void };

/** A text with its variables, what the customer will see, and the way back to the default. */
function TextDialog({ known, onClose }: DialogProps): ReactNode {
  const { t } = useTranslation();
  const { key } = known;
  const { default: standard, names } = automaticTexts[key];
  const [text, setText] = useState(known.text);
  const [isChecked, setChecked] = useState(false);
  const sampled = useSample(key)(text);
  const isDefault = text === standard;
  const save = useMutation({
    mutationFn: () =>
      isDefault
        ? call("DELETE /automatic-texts/:key", { params: { key } })
        : call("PUT /automatic-texts/:key", { params: { key }, body: { text } }),
    onSuccess: (row) => {
      textList.apply({ row });
      notifySuccess(t("settings.texts.saved"));
      onClose();
    },
  });
  // A text without default may be empty: then nothing is sent.
  const isBlank = text.trim() === "" && !isDefault;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (save.isPending) return;
    setChecked(true);
    if (!isBlank) save.mutate();
  }

  return (
    <FormDialog
      size={640}
      title={t(`settings.texts.${key}.title`)}
      submitLabel={t("common.save")}
      isBusy={save.isPending}
      error={save.error === null ? null : errorText(t, save.error)}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextWithVariables
        label={t("settings.texts.words")}
        description={t(`settings.texts.${key}.help`)}
        error={isChecked && isBlank ? t("settings.texts.blank") : undefined}
        value={text}
        rows={ROWS}
        names={names}
        onChange={setText}
        data-autofocus
      />
      <div className={classes["back"]}>
        <Button variant="subtle" size="xs" disabled={isDefault} onClick={() => setText(standard)}>
          {t(standard === "" ? "settings.texts.sendNothing" : "settings.texts.backToDefault")}
        </Button>
      </div>
      <section className={classes["preview"]} aria-label={t("settings.texts.preview")}>
        <h3 className={classes["previewTitle"]}>{t("settings.texts.preview")}</h3>
        {sampled.trim() === "" ? (
          <p className="bc-small">{t("settings.texts.nothing")}</p>
        ) : (
          <Bubble isOwn={false} endsGroup text={<FormattedText text={sampled} />} />
        )}
      </section>
    </FormDialog>
  );
}
