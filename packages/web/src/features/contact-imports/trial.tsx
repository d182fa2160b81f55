import type { ImportProblem, ImportRule, ImportSettings, ImportTrial } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { NativeSelect } from "@mantine/core";
import type { ReactNode } from "react";
import { useId, useMemo } from "react";
import { formatNumber } from "../../i18n/format.ts";
import { useLanguage, useTranslation } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";
import { Link, useSearchParams } from "../../router/index.tsx";
import { Loader } from "../../ui/loader.tsx";
import { countryChoices } from "./countries.ts";
import { importRules } from "./rules.ts";
import classes from "./trial.module.css";

type OptionsProps = {
  settings: ImportSettings;
  newTags: readonly string[];
  onChange: (part: Partial<ImportSettings>) => void;
};

/** How the sheet is imported. */
export function Options({ settings, newTags, onChange }: OptionsProps): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  return (
    <section className={classes["card"]} aria-labelledby={`${id}-how`}>
      <h2 id={`${id}-how`}>{t("imports.how")}</h2>
      <Country country={settings.country} onChange={(country) => onChange({ country })} />
      <fieldset className={classes["rules"]}>
        <legend>{t("imports.known")}</legend>
        {importRules.map((rule) => (
          <label key={rule} className={classes["rule"]}>
            <input
              type="radio"
              name={id}
              checked={settings.rule === rule}
              aria-describedby={settings.rule === rule ? `${id}-rule` : undefined}
              onChange={() => onChange({ rule })}
            />
            <span>
              <span className={classes["ruleName"]}>{t(`imports.rules.${rule}`)}</span>
              {settings.rule === rule ? (
                <span id={`${id}-rule`} className="bc-detail">
                  {t(`imports.ruleText.${rule}`)}
                </span>
              ) : null}
            </span>
          </label>
        ))}
      </fieldset>
      {newTags.length > limits.importNewTagsMax ? (
        <p className="bc-failure" role="alert">
          {t("imports.tooManyTags", { max: formatNumber(limits.importNewTagsMax) })}
        </p>
      ) : null}
      {newTags.length === 0 || newTags.length > limits.importNewTagsMax ? null : (
        <div className={classes["tags"]}>
          <h3>{t("imports.newTags", { count: newTags.length })}</h3>
          <p className={classes["tagNames"]}>
            {newTags.slice(0, TAGS_SHOWN).map((tag) => (
              <span key={tag} className="bc-label">
                {tag}
              </span>
            ))}
            {newTags.length > TAGS_SHOWN ? `+${formatNumber(newTags.length - TAGS_SHOWN)}` : null}
            <span className="bc-small">{t("imports.willBeMade", { count: newTags.length })}</span>
          </p>
        </div>
      )}
    </section>
  );
}

const TAGS_SHOWN = 12;

type CountryProps = { country: string; onChange: (country: string) => void };

function Country({ country, onChange }: CountryProps): ReactNode {
  const { t } = useTranslation();
  const language = useLanguage();
  const choices = useMemo(() => countryChoices(localeTags[language], country), [language, country]);
  return (
    <label className={classes["country"]}>
      {t("imports.country")}
      <NativeSelect
        value={country}
        data={[...choices]}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}

type TrialProps = {
  /** The numbers of the last count; null before the first. */
  trial: ImportTrial | null;
  rule: ImportRule;
  /** The next count is under way. */
  isStale: boolean;
  /** Why the columns cannot be imported as they are. */
  fault: string | null;
};

/** What the import would do, and why rows would be left out. */
export function Trial({ trial, rule, isStale, fault }: TrialProps): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  return (
    <section className={classes["card"]} aria-labelledby={id}>
      <div className={classes["head"]}>
        <h2 id={id}>{t("imports.trial")}</h2>
        <span className="bc-note" role="status">
          {isStale && fault === null ? t("imports.counting") : t("imports.nothingYet")}
        </span>
      </div>
      {fault === null ? null : (
        <p className="bc-failure" role="alert">
          {fault}
        </p>
      )}
      {fault === null && trial === null ? <Loader sizePx={22} aria-hidden="true" /> : null}
      {fault === null && trial !== null ? (
        <div className={classes["result"]} data-stale={isStale || undefined}>
          <Numbers trial={trial} rule={rule} />
          <ul className={classes["problems"]}>
            {trial.problems.map((one) => (
              <Problem key={one.problem} {...one} />
            ))}
          </ul>
        </div>
      ) : null}
    </section>
  );
}

function Numbers({ trial, rule }: { trial: ImportTrial; rule: ImportRule }): ReactNode {
  const { t } = useTranslation();
  const { added, known, refused } = trial;
  const parts = [
    ["added", added, t("imports.added", { count: added })],
    ["known", known, t(`imports.knownBy.${rule}`, { count: known })],
    ["refused", refused, t("imports.notIn", { count: refused })],
  ] as const;
  return (
    <>
      <dl className={classes["numbers"]}>
        {parts.map(([of, count, words]) => (
          <div key={of} data-of={count > 0 ? of : undefined}>
            <dt>{words}</dt>
            <dd>{formatNumber(count)}</dd>
          </div>
        ))}
      </dl>
      <div className={classes["bar"]} aria-hidden="true">
        {parts.map(([of, count]) =>
          count === 0 ? null : <span key={of} data-of={of} style={{ flexGrow: count }} />,
        )}
      </div>
    </>
  );
}

type ProblemProps = { problem: ImportProblem; count: number; lines: readonly number[] };

/** How many rows have a problem; the link shows the first of them in the preview. */
function Problem({ problem, count, lines }: ProblemProps): ReactNode {
  const { t } = useTranslation();
  const [params] = useSearchParams();
  const first = lines.slice(0, LINES_SHOWN).map(formatNumber).join(", ");
  const more = count - Math.min(lines.length, LINES_SHOWN);
  const listed = more > 0 ? t("imports.andMore", { lines: first, n: formatNumber(more) }) : first;
  const isShown = params.get("problem") === problem;
  return (
    <li className={classes["problem"]}>
      <span className={classes["count"]}>{formatNumber(count)}</span>
      <Link
        to={`?problem=${problem}`}
        className={classes["reason"]}
        aria-current={isShown ? "true" : undefined}
      >
        {t(`imports.problems.${problem}`)}
      </Link>
      <span className={classes["why"]}>{t(`imports.why.${problem}`)}</span>
      <span className={classes["lines"]}>{t("imports.lines", { count, lines: listed })}</span>
    </li>
  );
}

const LINES_SHOWN = 3;
