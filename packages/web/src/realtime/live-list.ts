import type { CompanyEventSubject, CompanyEvents } from "@balcao/contract";
import type { QueryKey } from "@tanstack/react-query";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { queryClient } from "../api/query-client.ts";
import type { Page, Pages } from "../api/use-pages.ts";
import { usePages } from "../api/use-pages.ts";
import { matches } from "../ui/matches.ts";
import { batchPerFrame, createEventJournal, onCompanyEvent, onceLive, readAgain } from "./live.ts";

type LiveDataOptions<Of, Data, Change> = {
  /** The subject. The cache key is this, followed by the owner if there is one. */
  key: QueryKey;
  read: (of: Of, signal: AbortSignal) => Promise<Data>;
  /** The data after a change. A change can be applied twice. */
  changed: (data: Data, change: Change) => Data;
};

/**
 * Data of the server in the query cache, one entry per owner (`of`: a ticket, a queue), kept current by events for as
 * long as the page lives. An event that arrives during a read wins over that read. After a break of the live channel
 * the data is read again.
 */
function liveData<Of, Data, Change>({ key, read, changed }: LiveDataOptions<Of, Data, Change>) {
  const journal = createEventJournal<{ of: Of; change: Change }>();

  const query = (of: Of) =>
    queryOptions({
      queryKey: of === undefined ? key : [...key, of],
      queryFn: async ({ queryKey, signal }): Promise<Data> => {
        const { reply, missed } = await onceLive(queryKey, () =>
          journal.during(() => read(of, signal)),
        );
        return missed
          .filter((one) => one.of === of)
          .reduce((data, { change }) => changed(data, change), reply);
      },
    });

  function write(of: Of, change: Change): void {
    queryClient.setQueryData<Data>(query(of).queryKey, (data) => data && changed(data, change));
  }

  const data = {
    query,
    /** Applies the reply to our own change, for every screen. */
    apply(of: Of, change: Change): void {
      journal.record({ of, change });
      write(of, change);
    },
    /** Reads the data again, for changes that no event reports. */
    readAgain: (of: Of): Promise<void> => readAgain({ queryKey: query(of).queryKey }),
    /** Follows the events of a subject; `changeOf` returns whose data an event changes and how, or null. */
    follow<S extends CompanyEventSubject>(
      subject: S,
      changeOf: (event: CompanyEvents[S]) => { of: Of; change: Change } | null,
    ) {
      onCompanyEvent(subject, (event) => {
        const change = changeOf(event);
        if (change === null) return;
        journal.record(change);
        batchPerFrame(() => write(change.of, change.change));
      });
      return data;
    },
  };
  return data;
}

/** One record per owner, such as a contact by its id. A change is a function of the known record. */
export function liveRecords<Of, Record>(
  options: Pick<LiveDataOptions<Of, Record, never>, "key" | "read">,
) {
  return liveData<Of, Record, (known: Record) => Record>({
    ...options,
    changed: (known, change) => change(known),
  });
}

/** A change to a list: a row is saved, changed in part, or removed, or the rows are rewritten together. */
export type RowChange<Row, Id> =
  | { row: Row }
  | { id: Id; change: (known: Row) => Row }
  | { removedId: Id }
  | { rows: (known: readonly Row[]) => Row[] };

type RowOptions<Row, Id> = {
  identify: (row: Row) => Id;
  /** The place of the rows; without it a known row keeps its place and a new one is the last. */
  order?: (a: Row, b: Row) => number;
  /** Chooses between a known row and an incoming one, which can be older. Default: the incoming one. */
  merge?: (known: Row, incoming: Row) => Row;
};

/** One list per owner, such as the notes of a ticket. */
export function liveLists<Of, Row, Id extends number | string>({
  identify,
  order,
  merge,
  ...options
}: RowOptions<Row, Id> & Pick<LiveDataOptions<Of, Row[], never>, "key" | "read">) {
  function changed(rows: Row[], change: RowChange<Row, Id>): Row[] {
    if ("removedId" in change) return rows.filter((row) => identify(row) !== change.removedId);
    const next = rewritten(rows, change);
    return order ? next.toSorted(order) : next;
  }

  function rewritten(rows: Row[], change: Exclude<RowChange<Row, Id>, { removedId: Id }>): Row[] {
    if ("rows" in change) return change.rows(rows);
    if ("change" in change) return withPart(rows, change.id, change.change);
    const id = identify(change.row);
    if (!rows.some((row) => identify(row) === id)) return [...rows, change.row];
    return withPart(rows, id, (known) => merge?.(known, change.row) ?? change.row);
  }

  function withPart(rows: Row[], id: Id, change: (known: Row) => Row): Row[] {
    return rows.map((row) => (identify(row) === id ? change(row) : row));
  }

  return liveData<Of, Row[], RowChange<Row, Id>>({ ...options, changed });
}

/** A whole list of the company, such as its tags. */
export function liveList<Row, Id extends number | string>(
  options: RowOptions<Row, Id> & {
    key: QueryKey;
    read: (signal: AbortSignal) => Promise<Row[]>;
  },
) {
  const lists = liveLists<undefined, Row, Id>({
    ...options,
    read: (_of, signal) => options.read(signal),
  });
  const query = lists.query(undefined);
  const list = {
    query,
    /** Applies the reply to our own change, for every screen. */
    apply: (change: RowChange<Row, Id>): void => lists.apply(undefined, change),
    /** The rows whose text has the words, as a page of records shows them. */
    usePages(words: string, textOf: (row: Row) => string): Pages<Row> {
      const { data, error, refetch } = useQuery(query);
      return {
        rows: data?.filter((row) => matches(textOf(row), words)),
        count: data?.length ?? 0,
        isPrevious: false,
        hasMore: false,
        isLoadingMore: false,
        error,
        loadMore: () => undefined,
        retry: () => void refetch(),
      };
    },
    /** Reads the list again, for changes that no event reports. */
    readAgain: (): void => void lists.readAgain(undefined),
    /** Follows the events of a subject; `changeOf` returns what an event does to the list. */
    follow<S extends CompanyEventSubject>(
      subject: S,
      changeOf: (event: CompanyEvents[S]) => RowChange<Row, Id>,
    ) {
      lists.follow(subject, (event) => ({ of: undefined, change: changeOf(event) }));
      return list;
    },
  };
  return list;
}

type LivePagesOptions<Row, Of> = {
  key: QueryKey;
  read: (of: Of, pageNumber: string, signal: AbortSignal) => Promise<Page<Row>>;
  identify: (row: Row) => number | string;
};

/**
 * A list that the server searches (`of`: the words, or all that it is asked for) or that belongs to a record (its id), and that it pages. An event
 * cannot say on which page a row stands, or whether the words find it, so the pages on screen are read again; also those
 * that are being read for the first time, which may be older.
 */
export function livePages<Row, Of extends number | string | object = string>({
  key,
  read,
  identify,
}: LivePagesOptions<Row, Of>) {
  const pages = {
    usePages: (
      of: Of,
      options: { enabled?: boolean; staleTime?: number; refetchInterval?: number } = {},
    ): Pages<Row> =>
      usePages(
        [...key, of],
        (pageNumber, signal) => read(of, pageNumber, signal),
        identify,
        options,
      ),
    readAgain: (of?: Of): void =>
      void readAgain({ queryKey: of === undefined ? key : [...key, of] }),
    /** Follows the events of a subject; `ownerOf` returns whose pages an event changes: all of them when absent. */
    follow<S extends CompanyEventSubject>(
      subject: S,
      ownerOf?: (event: CompanyEvents[S]) => Of | null,
    ) {
      onCompanyEvent(subject, (event) => {
        const of = ownerOf?.(event);
        if (of !== null) pages.readAgain(of);
      });
      return pages;
    },
  };
  return pages;
}
