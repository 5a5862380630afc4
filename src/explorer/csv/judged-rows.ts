import { parseCsvRecords } from './csv-records.ts';

/** The rows of an import as the service judged them: what becomes of each, and what is wrong with it. */

export type RowState = 'created' | 'updated' | 'failed' | 'skipped';

export type RowFault = {
  readonly code: string;
  readonly text: string;
  /** Position of the faulty cell among the cells of the row, from 0. */
  readonly cell?: number;
};

export type JudgedRow = {
  /** Position in the file, the header not counted, from 1. */
  readonly number: number;
  readonly state: RowState;
  readonly faults: readonly RowFault[];
  readonly cells: readonly string[];
};

export type JudgedRows = { readonly headers: readonly string[]; readonly rows: readonly JudgedRow[] };

/** A fault may have a semicolon in its text; the next one begins with its code. */
const BETWEEN_FAULTS = /;(?=#[A-Z_]+: )/;
const FAULT = /^#([A-Z_]+): (.*)$/s;
const OF_CELL = /^Field (\d+)(?: error - | )(.*)$/s;

const readFault = (text: string): RowFault => {
  const [, code = '', message = text] = FAULT.exec(text) ?? [];
  const [, position, reason] = OF_CELL.exec(message) ?? [];
  return position === undefined || reason === undefined
    ? { code, text: message }
    : { code, text: reason, cell: Number(position) - 1 };
};

const CREATED = 'Entity created';

const stateOf = (status: string | undefined, details: string): RowState => {
  if (status === 'failure') return 'failed';
  if (status === 'skipped') return 'skipped';
  return details === CREATED ? 'created' : 'updated';
};

const judgedRow = ([status, details = '', ...cells]: readonly string[], number: number): JudgedRow => {
  const state = stateOf(status, details);
  return { number, state, faults: state === 'failed' ? details.split(BETWEEN_FAULTS).map(readFault) : [], cells };
};

/** Reads what an import answers: the rows of the file with their status and details before their cells. */
export const readJudgedRows = (csv: string): JudgedRows => {
  const [header = [], ...records] = parseCsvRecords(csv);
  return { headers: header.slice(2), rows: records.map((record, at) => judgedRow(record, at + 1)) };
};

export const countStates = (rows: readonly JudgedRow[]): Readonly<Record<RowState, number>> => {
  const counts = { created: 0, updated: 0, failed: 0, skipped: 0 };
  for (const { state } of rows) counts[state] += 1;
  return counts;
};

/** What an import comes to, in words; `isDone` once it has been applied. */
export const describeCounts = (counts: Readonly<Record<RowState, number>>, isDone: boolean): string => {
  const total = counts.created + counts.updated + counts.failed + counts.skipped;
  if (total === 0) return 'The file has no rows';
  const verb = (count: number, one: string, many: string, done: string): string =>
    count === 0 ? '' : `${count.toLocaleString()} ${isDone ? done : count === 1 ? one : many}`;
  const parts = [
    verb(counts.failed, 'fails', 'fail', 'failed'),
    verb(counts.created, 'creates', 'create', 'created'),
    verb(counts.updated, 'updates', 'update', 'updated'),
    verb(counts.skipped, 'is skipped', 'are skipped', 'skipped'),
  ].filter((part) => part !== '');
  return `${total.toLocaleString()} ${total === 1 ? 'row' : 'rows'}: ${parts.join(', ')}`;
};

/** The name of a column of the file, without the sign that it must be filled. */
export const titleOfColumn = (header: string): string => header.replace(/\*$/, '');

/** A cell as the table calls it: the name of its column, and what is wrong. */
export const describeFault = ({ text, cell }: RowFault, headers: readonly string[]): string => {
  const header = cell === undefined ? undefined : headers[cell];
  return header === undefined ? text : `${titleOfColumn(header)}: ${text}`;
};
