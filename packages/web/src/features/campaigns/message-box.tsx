import { limits } from "@balcao/contract/limits";
import { IconBold, IconBraces, IconItalic } from "@tabler/icons-react";
import type { KeyboardEvent, ReactNode } from "react";
import { useId, useRef, useState } from "react";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import { typedVariable, VARIABLE } from "./draft.ts";
import classes from "./message-box.module.css";

/** A longer text is read to its end by few people. */
const LONG_FROM = 1_000;

type Props = {
  label: string;
  value: string;
  /** Names of the variables that can be inserted, with what they stand for. */
  variables: readonly { key: string; value: string }[];
  error?: string | undefined;
  /** Something else says what is wrong with it. */
  isWrong?: boolean;
  readOnly: boolean;
  onChange: (text: string) => void;
};

/** A text of a campaign: its variables look like chips, and `{` offers those that there are. */
export function MessageBox({
  label,
  value,
  variables,
  error,
  isWrong = false,
  readOnly,
  onChange,
}: Props): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const chips = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const known = new Set(variables.map(({ key }) => key));
  const offered =
    typed === null
      ? []
      : variables.filter(({ key }) => key.toLowerCase().startsWith(typed.toLowerCase()));
  const isOpen = offered.length > 0 && !readOnly;
  const current = offered[Math.min(active, offered.length - 1)];

  /** Replaces what stands around the caret, and puts the caret behind `before`. */
  function write(start: number, end: number, before: string, after = ""): void {
    const chosen = value.slice(start, end);
    onChange(value.slice(0, start) + before + after + value.slice(end));
    const caret = start + before.length;
    setTyped(null);
    // The field has the new text after this rendering.
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(caret - (after === "" ? 0 : chosen.length), caret);
    });
  }

  function insert(key: string): void {
    const caret = area.current?.selectionStart ?? value.length;
    const end = area.current?.selectionEnd ?? value.length;
    const before = typed === null ? caret : caret - typed.length - 1;
    write(before, end, `{${key}}`);
  }

  function mark(sign: string): void {
    const start = area.current?.selectionStart ?? value.length;
    const end = area.current?.selectionEnd ?? value.length;
    write(start, end, sign + value.slice(start, end), sign);
  }

  function look(): void {
    const { selectionStart = 0, selectionEnd = 0, value: text = "" } = area.current ?? {};
    setTyped(selectionStart === selectionEnd ? typedVariable(text, selectionStart) : null);
    setActive(0);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (!isOpen || event.nativeEvent.isComposing) return;
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined) setActive((active + step + offered.length) % offered.length);
    else if (event.key === "Enter" || event.key === "Tab") insert(current?.key ?? "");
    else if (event.key === "Escape") setTyped(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const isLong = value.length > LONG_FROM;
  return (
    <div className={classes["field"]}>
      <div className={classes["box"]} data-error={error !== undefined || isWrong || undefined}>
        <div className={classes["paper"]}>
          <textarea
            ref={area}
            className={classes["area"]}
            aria-label={label}
            aria-describedby={`${id}-foot`}
            aria-invalid={error !== undefined || isWrong}
            aria-controls={isOpen ? `${id}-list` : undefined}
            aria-activedescendant={isOpen ? `${id}-${current?.key}` : undefined}
            maxLength={limits.campaignTextMax}
            readOnly={readOnly}
            value={value}
            onChange={(event) => {
              onChange(event.currentTarget.value);
              look();
            }}
            onSelect={look}
            onBlur={() => setTyped(null)}
            onKeyDown={onKeyDown}
            onScroll={({ currentTarget: { scrollTop } }) => {
              if (chips.current) chips.current.scrollTop = scrollTop;
            }}
          />
          <div ref={chips} className={classes["chips"]} aria-hidden="true">
            {pieces(value).map(([text, name], place) =>
              name === null ? (
                text
              ) : (
                <span
                  key={`chip ${place + 1}`}
                  className={classes["chip"]}
                  data-unknown={!known.has(name)}
                >
                  {text}
                </span>
              ),
            )}
            {"\n"}
          </div>
        </div>
        <div className={classes["foot"]}>
          {readOnly ? null : (
            <>
              <IconButton
                size="small"
                icon={IconBraces}
                label={t("campaignEditor.insertVariable")}
                aria-expanded={isOpen}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => write(caretOf(area.current), caretOf(area.current), "{")}
              />
              <IconButton
                size="small"
                icon={IconBold}
                label={t("campaignEditor.bold")}
                onClick={() => mark("*")}
              />
              <IconButton
                size="small"
                icon={IconItalic}
                label={t("campaignEditor.italic")}
                onClick={() => mark("_")}
              />
            </>
          )}
          <span id={`${id}-foot`} className={classes["count"]} data-long={isLong || undefined}>
            {isLong ? `${t("campaignEditor.long")} · ` : ""}
            {t("campaignEditor.characters", {
              count: value.length,
              shown: formatNumber(value.length),
            })}
          </span>
        </div>
        {isOpen ? (
          <ul
            id={`${id}-list`}
            role="listbox"
            aria-label={t("campaignEditor.variables")}
            className={classes["list"]}
          >
            {offered.map((one) => (
              <li
                key={one.key}
                id={`${id}-${one.key}`}
                role="option"
                aria-selected={one === current}
                className={classes["option"]}
                onMouseDown={(event) => {
                  event.preventDefault();
                  insert(one.key);
                }}
              >
                <code>{`{${one.key}}`}</code>
                <span className="bc-ellipsis bc-meta">{one.value}</span>
              </li>
            ))}
          </ul>
        ) : null}
      </div>
      {error === undefined ? null : (
        <p className="bc-failure" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

const caretOf = (area: HTMLTextAreaElement | null): number => area?.selectionStart ?? 0;

/** The parts of a text, each with the name of its variable or null. */
function pieces(text: string): (readonly [text: string, name: string | null])[] {
  const found: (readonly [string, string | null])[] = [];
  let at = 0;
  for (const match of text.matchAll(VARIABLE)) {
    found.push([text.slice(at, match.index), null], [match[0], match[1] ?? ""]);
    at = match.index + match[0].length;
  }
  return [...found, [text.slice(at), null]];
}
