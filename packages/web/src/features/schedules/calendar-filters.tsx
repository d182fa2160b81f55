import { Menu, Popover } from "@mantine/core";
import type { ReactElement, ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { matches } from "../../ui/matches.ts";
import { ContactSelect } from "./contact-select.tsx";

type Choice = Readonly<{ id: number; name: string }>;

type Props = {
  /** Opens the menu. */
  target: ReactElement;
  /** The text of the first item, which takes the filter away. */
  all: string;
  chosen: number | null;
  onChoose: (id: number | null) => void;
};

const SHOWN_MAX = 60;
const SEARCHED_FROM = 9;

/** A menu that narrows the calendar to one user or connection. */
export function ChoiceMenu({
  options,
  ...props
}: Props & { options: readonly Choice[] | undefined }): ReactNode {
  const [words, setWords] = useState("");
  const found = (options ?? []).filter(({ name }) => matches(name, words));
  return (
    <OneOf
      {...props}
      words={words}
      onSearch={(options?.length ?? 0) < SEARCHED_FROM ? null : setWords}
      found={found.slice(0, SHOWN_MAX)}
      isReading={options === undefined}
    />
  );
}

type ContactProps = Pick<Props, "target" | "onChoose"> & {
  /** The contact to which the calendar is narrowed. */
  known: Choice | null;
};

/** Narrows the calendar to one contact, found by name or number. */
export function ContactFilter({ target, known, onChoose }: ContactProps): ReactNode {
  return (
    // A choice closes it.
    <Popover key={known?.id ?? 0} position="bottom-end" width={280} trapFocus>
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown>
        <ContactSelect
          isFilter
          chosen={known}
          onChoose={(contact) => onChoose(contact?.id ?? null)}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

type ListProps = Props & {
  words: string;
  /** Null: there are too few to search. */
  onSearch: ((words: string) => void) | null;
  found: readonly Choice[];
  isReading: boolean;
};

function OneOf(props: ListProps): ReactNode {
  const { target, all, chosen, onChoose, words, onSearch, found, isReading } = props;
  const { t } = useTranslation();
  const label = t("common.findOption");
  return (
    <Menu position="bottom-end" width={248} onClose={() => onSearch?.("")}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        {onSearch === null ? null : (
          <Menu.Search
            value={words}
            onChange={(event) => onSearch(event.currentTarget.value)}
            placeholder={label}
            aria-label={label}
          />
        )}
        <div className="sc-options">
          <Menu.RadioGroup
            value={chosen === null ? "" : String(chosen)}
            onChange={(value) => onChoose(value === "" ? null : Number(value))}
          >
            <Menu.RadioItem value="" closeMenuOnClick>
              {all}
            </Menu.RadioItem>
            {found.map(({ id, name }) => (
              <Menu.RadioItem key={id} value={String(id)} closeMenuOnClick>
                {name}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </div>
        {found.length > 0 ? null : (
          <p className="sc-none">{t(isReading ? "common.loading" : "common.noOption")}</p>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
