import type { ReactNode } from "react";
import classes from "./states.module.css";

/** What an empty place is about: conversations, people who wait, finished ones, something searched, a list of records. */
export type DrawingName = "talk" | "tray" | "archive" | "search" | "sheet";

/** The drawing of an empty place, 136 × 96 px. The icon of the place stands on its lower right corner. */
export function Drawing({ name }: { name: DrawingName }): ReactNode {
  return (
    <svg className={classes["sketch"]} viewBox="0 0 136 96" aria-hidden="true">
      <path
        data-part="ground"
        d="M20 58c-4-18 6-38 26-44 17-5 30 3 45 4 16 1 30 8 32 25 2 19-12 33-31 37-24 5-64 6-72-22Z"
      />
      <circle data-part="dot" cx="17" cy="24" r="3" />
      <circle data-part="dot" cx="124" cy="20" r="2.2" />
      {shapes[name]}
    </svg>
  );
}

const shapes: Readonly<Record<DrawingName, ReactNode>> = {
  talk: (
    <>
      <path
        data-part="back"
        d="M62 44h40a8 8 0 0 1 8 8v15a8 8 0 0 1-8 8h-2v9l-10-9H62a8 8 0 0 1-8-8V52a8 8 0 0 1 8-8Z"
      />
      <path
        data-part="front"
        d="M32 18h46a8 8 0 0 1 8 8v20a8 8 0 0 1-8 8H49L38 64V54h-6a8 8 0 0 1-8-8V26a8 8 0 0 1 8-8Z"
      />
      <path data-part="words" d="M35 30h38M35 37h30M35 44h19" />
    </>
  ),
  tray: (
    <>
      <path data-part="back" d="M44 16h48a6 6 0 0 1 6 6v30H38V22a6 6 0 0 1 6-6Z" />
      <path data-part="words" d="M48 27h26M48 34h17" />
      <path
        data-part="front"
        d="M28 44h22a5 5 0 0 1 5 4 8 8 0 0 0 8 6h10a8 8 0 0 0 8-6 5 5 0 0 1 5-4h22a6 6 0 0 1 6 6v24a8 8 0 0 1-8 8H30a8 8 0 0 1-8-8V50a6 6 0 0 1 6-6Z"
      />
    </>
  ),
  archive: (
    <>
      <path data-part="back" d="M40 14h50a6 6 0 0 1 6 6v20H34V20a6 6 0 0 1 6-6Z" />
      <path data-part="words" d="M44 24h22M44 31h34" />
      <path
        data-part="front"
        d="M30 38h70a6 6 0 0 1 6 6v32a8 8 0 0 1-8 8H32a8 8 0 0 1-8-8V44a6 6 0 0 1 6-6Z"
      />
      <path data-part="mark" d="m55 61 7 7 13-14" />
    </>
  ),
  search: (
    <>
      <path
        data-part="back"
        d="M30 20h62a6 6 0 0 1 6 6v9a6 6 0 0 1-6 6H30a6 6 0 0 1-6-6v-9a6 6 0 0 1 6-6Z"
      />
      <path
        data-part="back"
        d="M30 50h62a6 6 0 0 1 6 6v9a6 6 0 0 1-6 6H30a6 6 0 0 1-6-6v-9a6 6 0 0 1 6-6Z"
      />
      <path data-part="words" d="M88 30h4M84 60h8" />
      <path data-part="front" d="M60 23a20 20 0 1 1 0 40 20 20 0 0 1 0-40Z" />
      <path data-part="mark" d="m75 58 10 12M52 43h16" />
    </>
  ),
  sheet: (
    <>
      <path data-part="back" d="M46 12h52a6 6 0 0 1 6 6v48H40V18a6 6 0 0 1 6-6Z" />
      <path
        data-part="front"
        d="M32 22h58a6 6 0 0 1 6 6v48a6 6 0 0 1-6 6H32a6 6 0 0 1-6-6V28a6 6 0 0 1 6-6Z"
      />
      <path data-part="words" d="M48 35h36M48 51h28M48 67h33M35 35h4M35 51h4M35 67h4" />
    </>
  ),
};
