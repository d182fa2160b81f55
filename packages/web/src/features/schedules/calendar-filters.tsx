import { Menu } from "@mantine/core";
import type { ReactElement, ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { matches } from "../../ui/matches.ts";
import { useFoundContacts } from "./found-contacts.ts";

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

/** A menu that narrows the calendar to one contact, found by name or number. */
export function ContactMenu({ known, ...props }: Props & { known: Choice | null }): ReactNode {
  const [words, setWords] = useState("");
  const { data, isFetching } = useFoundContacts(words);
  const found = words.trim() === "" ? (known === null ? [] : [known]) : (data ?? []);
  return (
    <OneOf
      {...props}
      words={words}
      onSearch={setWords}
      found={found.slice(0, SHOWN_MAX)}
      isReading={isFetching}
      help="schedules.contactHelp"
    />
  );
}

type ListProps = Props & {
  words: string;
  /** Null: there are too few to search. */
  onSearch: ((words: string) => void) | null;
  found: readonly Choice[];
  isReading: boolean;
  help?: "schedules.contactHelp";
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
          <p className="sc-none">
            {t(isReading ? "common.loading" : (props.help ?? "common.noOption"))}
          </p>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
