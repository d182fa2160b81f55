import type { Erasure, PrivacySettings, ReplyOf } from "@balcao/contract";
import { NumberInput, Switch, Textarea, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { useId, useState } from "react";
import { call } from "../../api/client.ts";
import { saveFile } from "../../api/download.ts";
import { formatMoment } from "../../i18n/format.ts";
import { currentLanguage, useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { errorText, ListSkeleton, notifyError } from "../../ui/index.ts";
import { formatPhone } from "../../ui/phone-number.ts";
import { Counts, EraseQuestion, erasuresKey, HeldData, sizeOf } from "./held-data.tsx";
import classes from "./privacy.module.css";

/** People’s data: the search with copy and erasure, the certificates, how long data are kept, and the privacy text. */
export function PrivacyPanel({ onSaved }: { onSaved: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["panel"]}>
      <Section title={t("privacy.find.title")} text={t("privacy.find.text")}>
        <FindPerson />
      </Section>
      <Section title={t("privacy.certificates.title")} text={t("privacy.certificates.text")}>
        <Certificates />
      </Section>
      <Rules onSaved={onSaved} />
    </div>
  );
}

function Section(props: { title: string; text: string; children: ReactNode }): ReactNode {
  const id = useId();
  return (
    <section className={classes["section"]} aria-labelledby={id}>
      <div>
        <h2 id={id} className={classes["heading"]}>
          {props.title}
        </h2>
        <p className="bc-small">{props.text}</p>
      </div>
      <div className={classes["card"]}>{props.children}</div>
    </section>
  );
}

type Found = ReplyOf<"POST /privacy/find">;

function FindPerson(): ReactNode {
  const { t } = useTranslation();
  const [term, setTerm] = useState("");
  const [openId, setOpenId] = useState<number | null>(null);
  const [erases, setErases] = useState(false);
  const finding = useMutation({
    mutationFn: () => call("POST /privacy/find", { body: { term } }),
    onSuccess: ({ people }: Found) => {
      const [only, ...others] = people;
      setOpenId(only && others.length === 0 ? only.id : null);
    },
  });
  const found = finding.data;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (term.trim().length >= 3) finding.mutate();
  };
  return (
    <>
      <form className={classes["row"]} onSubmit={submit} role="search">
        <TextInput
          className={classes["wide"] ?? ""}
          label={t("privacy.find.label")}
          value={term}
          maxLength={200}
          onChange={({ currentTarget }) => setTerm(currentTarget.value)}
        />
        <Button
          type="submit"
          loading={finding.isPending}
          leftSection={<IconSearch size={15} stroke={1.7} aria-hidden="true" />}
        >
          {t("privacy.find.start")}
        </Button>
      </form>
      {finding.error ? (
        <p className="bc-failure" role="alert">
          {errorText(t, finding.error)}
        </p>
      ) : null}
      <div aria-live="polite">
        {found?.people.length === 0 && found.stray === null ? (
          <p className="bc-small">{t("privacy.find.nobody")}</p>
        ) : null}
        {found && found.erased.length > 0 ? (
          <p className="bc-small">
            {t("privacy.find.erased", { date: formatMoment(found.erased[0]?.createdAt ?? "") })}
          </p>
        ) : null}
      </div>
      <ul className={classes["lines"]}>
        {found?.people.map(({ id, name, number, email }) => (
          <li key={id}>
            <button
              type="button"
              className={classes["person"]}
              aria-expanded={openId === id}
              onClick={() => setOpenId(openId === id ? null : id)}
            >
              <strong>{name}</strong>{" "}
              <span className="bc-small">
                {[number === "" ? "" : formatPhone(number), email].filter(Boolean).join(" · ")}
              </span>
            </button>
            {openId === id ? <HeldData contactId={id} onErased={() => finding.mutate()} /> : null}
          </li>
        ))}
      </ul>
      {found?.stray ? (
        <div className={classes["part"]}>
          <p>{t("privacy.find.stray", { number: formatPhone(found.stray.number) })}</p>
          <Counts counts={found.stray.counts} bytes={found.stray.bytes} />
          <div className={classes["row"]}>
            <Button color="bad" onClick={() => setErases(true)}>
              {t("privacy.erase.start")}
            </Button>
          </div>
          {erases ? (
            <EraseQuestion
              held={{ openTickets: 0, person: { id: null, name: "", number: found.stray.number } }}
              onErased={() => finding.mutate()}
              onClose={() => setErases(false)}
            />
          ) : null}
        </div>
      ) : null}
    </>
  );
}

const isOpen = ({ state }: Erasure): boolean => state === "waiting" || state === "running";

function Certificates(): ReactNode {
  const { t } = useTranslation();
  const list = useQuery({
    queryKey: erasuresKey,
    queryFn: ({ signal }) => call("GET /privacy/erasures", {}, { signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.erasures.some(isOpen) ? 1_000 : false),
  });
  const saving = useMutation({
    mutationFn: (erasureId: string) =>
      saveFile("GET /privacy/erasures/:erasureId/certificate", {
        ...{ params: { erasureId }, query: { language: currentLanguage() } },
      }),
    onError: notifyError,
  });
  if (list.error)
    return (
      <p className="bc-failure" role="alert">
        {errorText(t, list.error)}
      </p>
    );
  if (list.data?.erasures.length === 0)
    return <p className="bc-small">{t("privacy.certificates.none")}</p>;
  return (
    <ul className={classes["lines"]}>
      {list.data?.erasures.map((one) => (
        <li key={one.id} className={classes["line"]} role={isOpen(one) ? "status" : undefined}>
          <span>
            {formatMoment(one.createdAt)} · {one.requesterName}
            <span className="bc-small"> · {t(`privacy.states.${one.state}`)}</span>
          </span>
          {one.state === "done" ? (
            <Button
              variant="default"
              loading={saving.isPending && saving.variables === one.id}
              aria-label={t("privacy.certificates.saveOf", { date: formatMoment(one.createdAt) })}
              onClick={() => saving.mutate(one.id)}
            >
              {t("privacy.certificates.save")}
            </Button>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

function Rules({ onSaved }: { onSaved: () => void }): ReactNode {
  const { t } = useTranslation();
  const reading = useQuery({
    queryKey: ["privacy", "settings"],
    queryFn: ({ signal }) => call("GET /privacy/settings", {}, { signal }),
  });
  if (reading.error)
    return (
      <p className="bc-failure" role="alert">
        {errorText(t, reading.error)}
      </p>
    );
  return reading.data ? <RulesForm saved={reading.data} onSaved={onSaved} /> : <ListSkeleton />;
}

const languages = [
  ["textPt", "pt"],
  ["textEn", "en"],
  ["textEs", "es"],
] as const;

function RulesForm({ saved, onSaved }: { saved: PrivacySettings; onSaved: () => void }): ReactNode {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [values, setValues] = useState(saved);
  const set = (part: Partial<PrivacySettings>): void => setValues({ ...values, ...part });
  const daysOf = (value: number | string): number | null => (value === "" ? null : Number(value));
  const saving = useMutation({
    mutationFn: () => call("PUT /privacy/settings", { body: values }),
    onSuccess: (reply) => {
      client.setQueryData(["privacy", "settings"], reply);
      onSaved();
    },
  });
  const { mediaDays, messageDays } = values;
  const trying = useMutation({
    mutationFn: () => call("POST /privacy/retention", { body: { mediaDays, messageDays } }),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Section title={t("privacy.rules.title")} text={t("privacy.rules.text")}>
        {(["mediaDays", "messageDays"] as const).map((name) => (
          <NumberInput
            key={name}
            label={t(`privacy.rules.${name}`)}
            placeholder={t("privacy.rules.never")}
            min={7}
            max={3650}
            allowDecimal={false}
            value={values[name] ?? ""}
            onChange={(value) => set({ [name]: daysOf(value) })}
          />
        ))}
        <div className={classes["row"]}>
          <Button variant="default" loading={trying.isPending} onClick={() => trying.mutate()}>
            {t("privacy.rules.try")}
          </Button>
          <p aria-live="polite">
            {trying.data
              ? t("privacy.rules.would", {
                  ...{ files: trying.data.files, messages: trying.data.messages },
                  size: sizeOf(trying.data.bytes),
                })
              : null}
          </p>
        </div>
        {trying.error ? (
          <p className="bc-failure" role="alert">
            {errorText(t, trying.error)}
          </p>
        ) : null}
      </Section>
      <Section title={t("privacy.text.title")} text={t("privacy.text.text")}>
        <Switch
          label={t("privacy.text.send")}
          checked={values.isTextSent}
          onChange={({ currentTarget }) => set({ isTextSent: currentTarget.checked })}
        />
        {languages.map(([name, language]) => (
          <Textarea
            key={name}
            label={t(`privacy.text.languages.${language}`)}
            value={values[name]}
            maxLength={4000}
            autosize
            minRows={2}
            onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
          />
        ))}
      </Section>
      <Section title={t("privacy.officer.title")} text={t("privacy.officer.text")}>
        {(["officerName", "officerEmail", "officerPhone"] as const).map((name) => (
          <TextInput
            key={name}
            label={t(`privacy.officer.${name}`)}
            type={name === "officerEmail" ? "email" : "text"}
            maxLength={name === "officerEmail" ? 254 : 50}
            value={values[name]}
            onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
          />
        ))}
        {saving.error ? (
          <p className="bc-failure" role="alert">
            {errorText(t, saving.error)}
          </p>
        ) : null}
        <div className={classes["row"]}>
          <Button type="submit" loading={saving.isPending}>
            {t("privacy.save")}
          </Button>
        </div>
      </Section>
    </form>
  );
}
