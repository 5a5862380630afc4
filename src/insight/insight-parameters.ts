import { badRequest } from '../errors.ts';
import { type ComputedPage, computedPageParameters } from '../http/computed-page.ts';
import { CSV_TYPE, type CsvRow, csvContentType, writeCsvLines } from '../http/csv-writer.ts';
import { textParameter } from '../http/query-parameters.ts';
import type { Answer, Call, QueryParameter } from '../http/route.ts';
import { readListParameter } from '../lineage/read/graph/graph-parameters.ts';

/** What the operations that answer questions have in common: access, pages, and lists as JSON or CSV. */

export const insightAccess = {
  tag: 'Insight',
  access: { operation: 'ViewBasic', resource: 'lineage' },
  isOwn: true,
} as const;

/** What such an operation declares when it answers a list. */
export const insightList = {
  ...insightAccess,
  alsoAnswers: [CSV_TYPE],
  sends: ['X-Lineage-Truncated', 'X-Next-After'],
} as const;

export const SCOPE_PARAMETER: QueryParameter = textParameter(
  'scope',
  'Fully qualified name of an asset; it and everything below it count. The whole catalog by default',
);

export const statesParameter = (states: readonly string[]): QueryParameter =>
  textParameter('state', `Comma-separated states to list: ${states.join(', ')}; all by default`);

/** Reads the states to list. Throws bad_request when one is not known. */
export const readStates = <T extends string>(call: Call, states: readonly T[]): ReadonlySet<T> => {
  const texts = readListParameter(call, 'state');
  if (texts.some((text) => !states.some((state) => state === text)))
    throw badRequest(`[state must be one of ${states.join(', ')}]`);
  return new Set(texts.length === 0 ? states : (texts as T[]));
};

export const INSIGHT_PAGE_PARAMETERS = computedPageParameters('rows');

/** The columns of a list as CSV, by their titles. */
export type CsvColumns<T> = Readonly<Record<string, (row: T) => string | number | undefined>>;

/** Answers a page as JSON, or as CSV to a caller who accepts that. */
export const answerPage = <T>(
  call: Call,
  { rows, cut, paging }: ComputedPage<T>,
  { columns, render }: { readonly columns: CsvColumns<T>; readonly render: () => object },
): Answer => {
  const headers = {
    ...(cut === undefined ? {} : { 'X-Lineage-Truncated': cut }),
    ...(paging.after === undefined ? {} : { 'X-Next-After': paging.after }),
  };
  if (!call.header('accept')?.includes(CSV_TYPE)) return { status: 200, headers, json: render() };
  const cells = rows.map((row): CsvRow => Object.values(columns).map((cellOf) => String(cellOf(row) ?? '')));
  const content = writeCsvLines([Object.keys(columns), ...cells], true);
  return { status: 200, headers, text: { mediaType: csvContentType(call), content } };
};
