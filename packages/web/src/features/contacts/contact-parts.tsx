import { IconCheck, IconCopy } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { copyText } from "../../ui/copy-text.ts";
import { IconButton, notifyError } from "../../ui/index.ts";
import { formatPhone } from "../../ui/phone-number.ts";
import type { ShownContact } from "./api.ts";
import classes from "./contact-drawer.module.css";

/** The number as people write it; the button copies it. */
export function Phone({ number }: { number: string }): ReactNode {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  const written = formatPhone(number);
  return (
    <p className={classes["number"]}>
      {written}
      <IconButton
        size="small"
        label={t(isCopied ? "contacts.copied" : "contacts.copyNumber")}
        icon={isCopied ? IconCheck : IconCopy}
        onClick={() => {
          copyText(written)
            .then(() => setCopied(true))
            .catch(notifyError);
        }}
      />
    </p>
  );
}

/** The fields that the company added. */
export function ExtraInfo({ contact }: { contact: ShownContact }): ReactNode {
  const { t } = useTranslation();
  return (
    <section className={classes["section"]}>
      <h3 className={classes["subtitle"]}>{t("contacts.extraInfo")}</h3>
      {contact.extraInfo.length === 0 ? (
        <p className="bc-note">{t("contacts.noExtraInfo")}</p>
      ) : (
        <dl className={classes["pairs"]}>
          {contact.extraInfo.map(({ id, name, value }) => (
            <div key={id}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
