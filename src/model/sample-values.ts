import { nested, type Withholding } from './attribute.ts';
import { equalJson, type Json, type JsonObject } from './json.ts';
import type { SubResource } from './sub-resource.ts';
import { AnyJson, listOf, shape, Text } from './values.ts';

/** Rows that show what a record holds, column by column. */
export const TableData = shape('TableData', {
  columns: listOf(Text, 10_000),
  rows: listOf(listOf(AnyJson, 10_000), 10_000),
});

/** Messages that show what a record holds. */
const Messages = shape('Messages', { messages: listOf(Text, 10_000) });

/** Kept beside what a record says: shown on request, set by an operation of its own, no part of its history. */
export const aside = { request: false, gated: true, versioned: false, onAbsent: 'keep' } as const;

/** Stands for a value that not everybody may see. */
const MASK = '********';

type Row = readonly Json[];
type Sample = JsonObject & { readonly columns?: readonly string[]; readonly rows?: readonly Row[] };

const hideRow = (row: Row, hidden: readonly boolean[]): Row => row.map((cell, at) => (hidden[at] ? MASK : cell));

/** Rows that come back as they were shown are those that were shown; each stands for one of them. */
const keepRows = (given: readonly Row[], stored: readonly Row[], hidden: readonly boolean[]): readonly Row[] => {
  const shown = new Map<string, Row[]>();
  for (const row of stored) {
    const text = JSON.stringify(hideRow(row, hidden));
    const same = shown.get(text);
    if (same) same.push(row);
    else shown.set(text, [row]);
  }
  return given.map((row) => shown.get(JSON.stringify(row))?.shift() ?? row);
};

const hiddenAt = ({ columns = [] }: Sample, isHidden: (column: string) => boolean): readonly boolean[] =>
  columns.map(isHidden);

const withRows = (sample: Sample, change: (rows: readonly Row[]) => readonly Row[]): Json =>
  sample.rows ? { ...sample, rows: change(sample.rows) } : sample;

/** Cells of columns whose values are not for everybody are masked. */
const masking: Withholding = {
  hide: (value, isHidden) => {
    const sample = value as Sample;
    const hidden = hiddenAt(sample, isHidden);
    return hidden.includes(true) ? withRows(sample, (rows) => rows.map((row) => hideRow(row, hidden))) : value;
  },
  keep: (given, stored, isHidden) => {
    const [sample, former] = [given as Sample, stored as Sample];
    if (!equalJson(sample.columns, former.columns)) return given;
    const hidden = hiddenAt(former, isHidden);
    return withRows(sample, (rows) => keepRows(rows, former.rows ?? [], hidden));
  },
};

export const sampleRows = nested(TableData, { ...aside, withholding: masking });
export const sampleMessages = nested(Messages, aside);

/** The address of the sample of a record. */
export const sampleData = (methods: SubResource['methods']): SubResource => ({
  path: 'sampleData',
  member: 'sampleData',
  methods,
  edit: 'EditSampleData',
});
