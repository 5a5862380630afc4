import { equalJson, type Json, type JsonObject } from '../../json.ts';
import { nested, type ValueRedaction } from '../../kind/attribute.ts';
import type { SubResource } from '../../kind/sub-resource.ts';
import { AnyJson, listOf, shape, Text } from '../../values.ts';

/** Rows that show what a record holds, column by column. */
export const TableData = shape('TableData', {
  columns: listOf(Text, 10_000),
  rows: listOf(listOf(AnyJson, 10_000), 10_000),
});

/** Messages that show what a record holds. */
const Messages = shape('Messages', { messages: listOf(Text, 10_000) });

/** Kept beside what a record says: shown on request, set by an operation of its own, no part of its history. */
export const SEPARATE_MEMBER = { request: false, gated: true, versioned: false, onAbsent: 'keep' } as const;

/** Stands for a value that not everybody may see. */
const CELL_MASK = '********';

type SampleRow = readonly Json[];
type SampleTable = JsonObject & { readonly columns?: readonly string[]; readonly rows?: readonly SampleRow[] };

const maskRow = (row: SampleRow, hidden: readonly boolean[]): SampleRow =>
  row.map((cell, at) => (hidden[at] ? CELL_MASK : cell));

/** Rows that come back as they were shown are those that were shown; each stands for one of them. */
const restoreRows = (
  given: readonly SampleRow[],
  stored: readonly SampleRow[],
  hidden: readonly boolean[],
): readonly SampleRow[] => {
  const shown = new Map<string, SampleRow[]>();
  for (const row of stored) {
    const text = JSON.stringify(maskRow(row, hidden));
    const same = shown.get(text);
    if (same) same.push(row);
    else shown.set(text, [row]);
  }
  return given.map((row) => shown.get(JSON.stringify(row))?.shift() ?? row);
};

const hiddenColumns = ({ columns = [] }: SampleTable, isHidden: (column: string) => boolean): readonly boolean[] =>
  columns.map(isHidden);

const mapRows = (sample: SampleTable, change: (rows: readonly SampleRow[]) => readonly SampleRow[]): Json =>
  sample.rows ? { ...sample, rows: change(sample.rows) } : sample;

/** Cells of columns whose values are not for everybody are masked. */
const sampleRedaction: ValueRedaction = {
  redact: (value, isHidden) => {
    const sample = value as SampleTable;
    const hidden = hiddenColumns(sample, isHidden);
    return hidden.includes(true) ? mapRows(sample, (rows) => rows.map((row) => maskRow(row, hidden))) : value;
  },
  restoreRedacted: (given, stored, isHidden) => {
    const [sample, former] = [given as SampleTable, stored as SampleTable];
    if (!equalJson(sample.columns, former.columns)) return given;
    const hidden = hiddenColumns(former, isHidden);
    return mapRows(sample, (rows) => restoreRows(rows, former.rows ?? [], hidden));
  },
};

export const sampleRowsMember = nested(TableData, { ...SEPARATE_MEMBER, columnRedaction: sampleRedaction });
export const sampleMessagesMember = nested(Messages, SEPARATE_MEMBER);

/** The address of the sample of a record. */
export const sampleDataResource = (methods: SubResource['methods']): SubResource => ({
  path: 'sampleData',
  member: 'sampleData',
  methods,
  edit: 'EditSampleData',
});
