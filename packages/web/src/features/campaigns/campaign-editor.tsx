import "@mantine/core/styles/ModalBase.layer.css";
import "@mantine/core/styles/Modal.layer.css";
import "@mantine/core/styles/Overlay.layer.css";
import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import type { Campaign, CampaignId } from "@balcao/contract";
import { Modal } from "@mantine/core";
import { useDebouncedValue, useMediaQuery, useMounted } from "@mantine/hooks";
import { IconSpeakerphone } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { formatNumber, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useNavigate } from "../../router/index.tsx";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { Button } from "../../ui/button.tsx";
import { epochMs } from "../../ui/clock.ts";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";
import { useFocusBack } from "../../ui/dialogs/use-focus-back.ts";
import { errorText, ListSkeleton, LoadFailed, notifyError, notifySuccess } from "../../ui/index.ts";
import { useConnections } from "../connections/index.ts";
import { CampaignPill } from "./campaign-pill.tsx";
import classes from "./campaign-editor.module.css";
import { daysFrom, localOf, shortMoment } from "./campaign-dates.ts";
import type { Field, Problem } from "./draft.ts";
import { draftOf, ownVariables, problemsOf, textFor, textWithUnknown } from "./draft.ts";
import type { Draft } from "./editor-api.ts";
import {
  duplicateCampaign,
  saveCampaign,
  sendTest,
  startCampaign,
  useCampaign,
  useEstimate,
  useFilesOf,
  useListNames,
  usePreview,
  useTemplates,
} from "./editor-api.ts";
import { EditorEstimate } from "./editor-estimate.tsx";
import { EditorFields } from "./editor-fields.tsx";
import { EditorPreview } from "./editor-preview.tsx";
import { isSame } from "./editor-template.tsx";
import { TestButton, TestQuestion } from "./test-send.tsx";
import { useCampaignSettings } from "./settings-api.ts";
import { ProtectionOffer } from "./protection-offer.tsx";

type Props = {
  /** Null: a new one. */
  campaignId: CampaignId | null;
  onClose: () => void;
};

/** Makes, changes or shows a campaign. Mounting opens it; asks before it closes with changes. */
export function CampaignEditor({ campaignId, onClose }: Props): ReactNode {
  const [saved, setSaved] = useState<Campaign | null>(null);
  const [openedAs, setOpenedAs] = useState(campaignId);
  // A new campaign gets its address when it is saved, and its form stays.
  const isSaved = saved !== null && (campaignId === null || saved.id === campaignId);
  const { data, error, refetch } = useCampaign(isSaved ? null : campaignId);
  if (campaignId !== openedAs && !isSaved) {
    setOpenedAs(campaignId);
    setSaved(null);
  }
  const campaign = isSaved ? saved : campaignId === null ? null : (data ?? null);
  if (campaignId !== null && campaign === null) {
    return (
      <Frame title={null} onClose={onClose}>
        {error === null ? (
          <ListSkeleton rows={6} />
        ) : (
          <LoadFailed icon={IconSpeakerphone} error={error} onRetry={() => void refetch()} />
        )}
      </Frame>
    );
  }
  return (
    <Editor
      key={isSaved ? (openedAs ?? "new") : (campaignId ?? "new")}
      campaign={campaign}
      onSaved={setSaved}
      onClose={onClose}
    />
  );
}

type FrameProps = { title: ReactNode; onClose: () => void; children: ReactNode };

function Frame({ title, onClose, children }: FrameProps): ReactNode {
  const { t } = useTranslation();
  const isFull = useMediaQuery("(max-width: 1199px)", false, { getInitialValueInEffect: false });
  // The library returns the focus only after a dialog that was once mounted closed.
  const isMounted = useMounted();
  useFocusBack(true);
  return (
    <Modal
      opened={isMounted}
      onClose={onClose}
      title={title ?? t("campaignEditor.title")}
      size={1208}
      centered
      fullScreen={isFull}
      yOffset="24px"
      classNames={{ content: classes["content"] ?? "", body: classes["body"] ?? "" }}
      attributes={{ header: { role: "presentation" } }}
      closeButtonProps={{ "aria-label": t("common.close") }}
    >
      {children}
    </Modal>
  );
}

/** The server is asked so long after the last change. */
const SETTLE_MS = 400;

type Step = "save" | "plan" | "start" | "test";
type Asked = "discard" | "start" | "test";

type EditorProps = {
  campaign: Campaign | null;
  onSaved: (campaign: Campaign) => void;
  onClose: () => void;
};

function Editor({ campaign, onSaved, onClose }: EditorProps): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [stored, setStored] = useState(() => draftOf(campaign));
  const [draft, setDraft] = useState(stored);
  const [file, setFile] = useState<AttachmentChange>({ kind: "keep" });
  const [tab, setTab] = useState(0);
  const [position, setPosition] = useState(0);
  const [problems, setProblems] = useState<Partial<Record<Field, Problem>>>({});
  const [asked, setAsked] = useState<Asked | null>(null);
  const form = useRef<HTMLDivElement>(null);
  const readOnly = campaign !== null && !campaign.isEditable;
  const isNarrow = useMediaQuery("(max-width: 899px)", false, { getInitialValueInEffect: false });

  const connection = useConnections().find(({ id }) => id === draft.whatsappId);
  const isOfficial = connection?.channel === "cloud-api";
  const own = useCampaignSettings().settings?.variables;
  const templates = useTemplates(isOfficial ? draft.whatsappId : null).data;
  const [settled] = useDebouncedValue(draft, SETTLE_MS);
  const estimate = useEstimate(settled);
  const hasPeople = settled.contactListId !== null || settled.tagListId !== null;
  const outcome = hasPeople ? (estimate.data ?? null) : null;
  const listName = useListNames().find(({ id }) => id === settled.contactListId)?.name ?? null;
  const files = useFilesOf(draft.fileListId);
  const shown = usePreview(settled, position);
  const person = shown.data?.person?.name ?? null;
  const isDirty = !readOnly && (!isSameDraft(draft, stored) || file.kind !== "keep");

  useEffect(() => {
    if (!isDirty) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isDirty]);

  function change(next: Partial<Draft>): void {
    setDraft((known) => ({ ...known, ...next }));
    setProblems({});
  }
  function move(next: number): void {
    setPosition(next);
    setTab(textFor(next, draft.messages));
  }
  /** Whether the draft can be used for a step; else its fields say why not. */
  function check(isSending: boolean): boolean {
    const known = new Set<string>([...ownVariables, ...(own ?? []).map(({ key }) => key)]);
    const now = localOf(new Date(epochMs()).toISOString());
    const found = problemsOf(draft, stored, { isSending, isOfficial, known, now });
    setProblems(found);
    const isFine = Object.keys(found).length === 0;
    if (!isFine) {
      const wrong = found.variables === undefined ? -1 : textWithUnknown(draft, known);
      if (wrong >= 0) setTab(wrong);
      // The fields say what is wrong after this rendering.
      requestAnimationFrame(() => focusWrong(form.current));
    }
    return isFine;
  }

  const saving = useMutation({
    mutationFn: async (step: Step) => {
      const sent = draft;
      const isPlanned = campaign?.status === "PROGRAMADA" && draft.scheduledAt !== "";
      const isDraft = !(step === "plan" || (step !== "start" && isPlanned));
      const saved = await saveCampaign({ id: campaign?.id ?? null, draft, isDraft, file }, onSaved);
      setStored(sent);
      setFile({ kind: "keep" });
      if (step === "start") await startCampaign(saved.id);
      return saved;
    },
    onSuccess: (saved, step) => {
      if (step === "plan") notifySuccess(t("campaignEditor.planned"));
      if (step === "start") notifySuccess(t("campaignEditor.started"));
      if (step === "plan" || step === "start") onClose();
      else if (campaign === null) navigate(`/campaigns/${saved.id}`, { replace: true });
    },
  });

  function save(step: Step): void {
    if (!saving.isPending && check(step === "plan" || step === "start")) saving.mutate(step);
  }
  function onPrimary(): void {
    if (draft.scheduledAt !== "") save("plan");
    else if (check(true)) setAsked("start");
  }
  function close(): void {
    if (isDirty) setAsked("discard");
    else onClose();
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
    event.preventDefault();
    if (!readOnly) save("save");
  }
  const duplicating = useMutation({
    mutationFn: () => duplicateCampaign(campaign?.id ?? 0),
    onSuccess: (copy) => navigate(`/campaigns/${copy.id}`, { replace: true }),
    onError: notifyError,
  });

  const preview = (
    <EditorPreview
      draft={settled}
      shown={shown}
      campaign={campaign}
      file={file}
      files={files}
      template={isOfficial ? (templates?.find((one) => isSame(one, draft.template)) ?? null) : null}
      unnamed={Math.max(1, outcome?.people.unnamed ?? 0)}
      position={position}
      onMove={move}
    />
  );
  const arithmetic = (
    <EditorEstimate
      estimate={outcome}
      isComputing={hasPeople && (estimate.isFetching || settled !== draft)}
      hasFailed={estimate.error !== null}
      listId={settled.contactListId}
      listName={listName}
      onConnection={readOnly ? null : (whatsappId) => change({ whatsappId })}
    />
  );
  const total = outcome?.people.total ?? null;
  const days = outcome?.endsAt ? daysFrom(outcome.startsAt, outcome.endsAt) : null;
  return (
    <Frame
      title={
        <span className={classes["title"]}>
          {t(
            campaign === null
              ? "campaignEditor.newTitle"
              : readOnly
                ? "campaignEditor.title"
                : "campaignEditor.editTitle",
          )}
          {campaign === null ? null : (
            <>
              <CampaignPill status={campaign.status} />
              <span className="bc-meta">
                {t("campaignEditor.savedAt", { time: formatTime(campaign.updatedAt) })}
              </span>
            </>
          )}
        </span>
      }
      onClose={close}
    >
      <div className={classes["frame"]} onKeyDown={onKeyDown}>
        <div ref={form} className={classes["scroll"]}>
          {readOnly || connection === undefined || isOfficial ? null : <ProtectionOffer />}
          {readOnly ? <p className={classes["notice"]}>{t("campaignEditor.locked")}</p> : null}
          <div className={classes["main"]}>
            <EditorFields
              campaign={campaign}
              draft={draft}
              problems={problems}
              isOfficial={isOfficial}
              readOnly={readOnly}
              file={file}
              tab={tab}
              onTab={setTab}
              onFile={setFile}
              onChange={change}
            />
            {isNarrow ? <Folded title={t("campaignEditor.preview")}>{preview}</Folded> : preview}
          </div>
          {isNarrow ? (
            <Folded title={t("campaignEditor.arithmetic")}>{arithmetic}</Folded>
          ) : (
            arithmetic
          )}
        </div>
        <footer className={classes["foot"]}>
          {readOnly ? null : (
            <TestButton
              person={person}
              isBusy={saving.isPending}
              onAsk={() => {
                if (check(false)) setAsked("test");
              }}
            />
          )}
          <p className={classes["sum"]} role={saving.error === null ? undefined : "alert"}>
            {saving.error !== null ? (
              <span className="bc-failure">{errorText(t, saving.error)}</span>
            ) : total === 0 ? (
              <span className="bc-failure">{t("campaignEditor.nobody")}</span>
            ) : total === null ? null : (
              <>
                {t("campaignEditor.sumPeople", { count: total, shown: formatNumber(total) })}
                {days === null ? null : `, ${t("campaignEditor.sumDays", { count: days })}`}
              </>
            )}
          </p>
          {readOnly ? (
            <>
              <Button
                variant="default"
                loading={duplicating.isPending}
                onClick={() => duplicating.mutate()}
              >
                {t("campaignEditor.duplicate")}
              </Button>
              <Button onClick={onClose}>{t("common.close")}</Button>
            </>
          ) : (
            <>
              <Button
                variant={campaign?.status === "CANCELADA" ? "filled" : "default"}
                loading={saving.isPending && saving.variables === "save"}
                onClick={() => save("save")}
              >
                {t("common.save")}
              </Button>
              {campaign?.status === "CANCELADA" ? null : (
                <Button
                  disabled={total === 0}
                  loading={saving.isPending && saving.variables !== "save"}
                  onClick={onPrimary}
                >
                  {draft.scheduledAt === ""
                    ? t("campaignEditor.sendNow")
                    : t("campaignEditor.planFor", { when: shortMoment(draft.scheduledAt) })}
                </Button>
              )}
            </>
          )}
        </footer>
      </div>
      {asked === "discard" ? (
        <QuestionDialog
          opened
          isDestructive
          title={t("campaignEditor.discardTitle")}
          text={t("campaignEditor.discardText")}
          confirm={t("campaignEditor.discard")}
          onConfirm={onClose}
          onClose={() => setAsked(null)}
        />
      ) : null}
      {asked === "start" ? (
        <QuestionDialog
          opened
          title={t("campaignEditor.startTitle", { name: draft.name.trim() })}
          text={t("campaignEditor.startText", {
            count: total ?? 0,
            shown: formatNumber(total ?? 0),
          })}
          confirm={t("campaignEditor.sendNow")}
          isBusy={saving.isPending}
          error={saving.error}
          onConfirm={() => save("start")}
          onClose={() => setAsked(null)}
        />
      ) : null}
      {asked === "test" ? (
        <TestQuestion
          send={async (number) => {
            const saved =
              campaign === null || isDirty ? await saving.mutateAsync("test") : campaign;
            await sendTest(saved.id, { number, position });
          }}
          onClose={() => setAsked(null)}
        />
      ) : null}
    </Frame>
  );
}

const isSameDraft = (one: Draft, other: Draft): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** The first field that is wrong gets the focus, so that the keyboard goes on there. */
function focusWrong(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"]:not(:disabled)')?.focus();
}

/** A part that is closed at first, on narrow screens. */
function Folded({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <details className={classes["folded"]}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
