import { IconCheck, IconCopy } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Fragment, useState } from "react";
import { useTranslation } from "../i18n/index.ts";
import { copyText } from "./copy-text.ts";
import { Button } from "./button.tsx";
import { IconButton } from "./icon-button.tsx";
import { notifyError } from "./toasts.tsx";
import classes from "./code-block.module.css";

type BlockProps = {
  label: string;
  children: ReactNode;
};

/** Code or data, which scrolls sideways in itself and never wraps. */
export function CodeBlock({ label, children }: BlockProps): ReactNode {
  return (
    <pre className={classes["block"]} role="region" aria-label={label} tabIndex={0}>
      {children}
    </pre>
  );
}

type CopyProps = {
  /** What is copied. */
  text: string;
  /** What it is called: "Copiar o pedido". */
  label: string;
  /** A button with a word instead of an icon alone. */
  isNamed?: boolean;
};

/** Copies a text, and says so in its own place. */
export function CopyButton({ text, label, isNamed = false }: CopyProps): ReactNode {
  const { t } = useTranslation();
  const [copied, setCopied] = useState<string | null>(null);
  const isCopied = copied === text;
  const Sign = isCopied ? IconCheck : IconCopy;
  const copy = (): void => {
    copyText(text)
      .then(() => setCopied(text))
      .catch(() => notifyError(t("code.copyFailed")));
  };
  if (!isNamed) {
    return (
      <IconButton label={isCopied ? t("messages.copied") : label} icon={Sign} onClick={copy} />
    );
  }
  return (
    <Button
      variant="default"
      aria-label={isCopied ? undefined : label}
      leftSection={<Sign size={15} stroke={1.7} aria-hidden="true" />}
      onClick={copy}
    >
      {t(isCopied ? "messages.copied" : "messages.copy")}
    </Button>
  );
}

/** JSON as it is read best; any other text is returned as it came. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Above this length a text has one colour: each part is an element. */
const COLOURED_MAX = 100_000;
const parts =
  /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|(-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)/gi;

/** JSON with its keys, texts and numbers in colours. */
export function JsonText({ text }: { text: string }): ReactNode {
  if (text.length > COLOURED_MAX || !/^\s*[[{]/.test(text)) return text;
  const shown: ReactNode[] = [];
  let at = 0;
  for (const match of text.matchAll(parts)) {
    const [whole, quoted, colon] = match;
    shown.push(<Fragment key={at}>{text.slice(at, match.index)}</Fragment>);
    const kind = quoted === undefined || colon !== undefined ? undefined : "text";
    shown.push(
      <span key={match.index + 0.5} data-kind={quoted === undefined ? "value" : kind}>
        {whole}
      </span>,
    );
    at = match.index + whole.length;
  }
  return [...shown, text.slice(at)];
}
