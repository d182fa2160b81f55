import type { Icon } from "@tabler/icons-react";
import { IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useRef } from "react";
import classes from "./attachment-field.module.css";
import { IconButton } from "./icon-button.tsx";
import { Button } from "./button.tsx";

/** The change that saving the form makes to an attachment. */
export type AttachmentChange =
  | { kind: "keep" }
  | { kind: "remove" }
  | { kind: "attach"; file: File };

type Props = {
  /** Name of the stored file. */
  known: string | null;
  change: AttachmentChange;
  /** Null: it is only shown. */
  onChange: ((change: AttachmentChange) => void) | null;
  icon: Icon;
  attachLabel: string;
  detachLabel: (name: string) => string;
  /** The accepted file types; default: all. */
  accept?: string;
};

/** The file field of a form. The change takes effect when the form is saved. */
export function AttachmentField(props: Props): ReactNode {
  const { known, change, onChange, icon: Sign, attachLabel, detachLabel, accept } = props;
  const input = useRef<HTMLInputElement>(null);
  const name = nameAfter(known, change);
  if (onChange === null && name === null) return null;
  return (
    <div>
      <input
        ref={input}
        type="file"
        accept={accept}
        hidden
        aria-label={attachLabel}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) onChange?.({ kind: "attach", file });
          event.currentTarget.value = "";
        }}
      />
      {name === null ? (
        <Button
          variant="default"
          leftSection={<Sign size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => input.current?.click()}
        >
          {attachLabel}
        </Button>
      ) : (
        <span className={classes["chip"]}>
          <Sign size={15} stroke={1.7} aria-hidden="true" />
          <span className="bc-ellipsis">{name}</span>
          {onChange === null ? null : (
            <IconButton
              size="small"
              label={detachLabel(name)}
              icon={IconX}
              onClick={() => onChange(known === null ? { kind: "keep" } : { kind: "remove" })}
            />
          )}
        </span>
      )}
    </div>
  );
}

/** The attachment as it will be after saving. */
function nameAfter(known: string | null, change: AttachmentChange): string | null {
  if (change.kind === "attach") return change.file.name;
  return change.kind === "remove" ? null : known;
}
