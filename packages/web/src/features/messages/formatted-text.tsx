import type { ReactNode } from "react";
import { createElement, Fragment, memo } from "react";
import classes from "./formatted-text.module.css";
import type { TextNode } from "./whatsapp-text.ts";
import { parseWhatsAppText } from "./whatsapp-text.ts";

/** A chat text with its marks as elements. */
export const FormattedText = memo(function FormattedText({ text }: { text: string }): ReactNode {
  return together(parseWhatsAppText(text));
});

/** As fixed children, which need no keys: a text never changes its order. */
function together(nodes: readonly TextNode[]): ReactNode {
  return createElement(Fragment, null, ...nodes.map(elementOf));
}

function elementOf(node: TextNode): ReactNode {
  if (node.kind === "text") return node.text;
  if (node.kind === "mono") return <code className={classes["mono"]}>{node.text}</code>;
  if (node.kind === "link") {
    return (
      <a className={classes["link"]} href={node.href} target="_blank" rel="noopener noreferrer">
        {node.href}
      </a>
    );
  }
  const content = together(node.children);
  if (node.kind === "bold") return <strong className={classes["bold"]}>{content}</strong>;
  return node.kind === "italic" ? <em>{content}</em> : <s>{content}</s>;
}
