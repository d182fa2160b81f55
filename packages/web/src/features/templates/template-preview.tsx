import type { MessageTemplate } from "@balcao/contract";
import { IconPaperclip } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { FormattedText } from "../messages/index.ts";
import classes from "./template-dialog.module.css";
import type { TemplateValues } from "./template-text.ts";
import { fill } from "./template-text.ts";

type Props = { template: MessageTemplate; values: TemplateValues };

/** The message as the customer will read it; places without a value stay as they are. */
export function TemplatePreview({ template, values }: Props): ReactNode {
  const { t } = useTranslation();
  const { header, body, footer, buttons } = template;
  return (
    <section className={classes["preview"]} aria-label={t("templates.preview")}>
      <div className={classes["bubble"]}>
        {header === null ? null : (
          <p className={classes["header"]}>
            {header.format === "TEXT" ? (
              fill(header.text, values.header)
            ) : (
              <>
                <IconPaperclip size={15} stroke={1.7} aria-hidden="true" /> {header.format}
              </>
            )}
          </p>
        )}
        <div className={classes["body"]}>
          <FormattedText text={fill(body, values.body)} />
        </div>
        {footer === null ? null : <p className={classes["footer"]}>{footer}</p>}
      </div>
      {buttons.length === 0 ? null : (
        <ul className={classes["buttons"]}>
          {buttons.map(({ text }) => (
            <li key={text} className={classes["button"]}>
              {text}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
