import { equalJson, type Json, type JsonObject } from '../../json.ts';
import { nested, property } from '../../kind/attribute.ts';
import type { SubResource } from '../../kind/sub-resource.ts';
import type { ValueRedaction } from '../../kind/value-redaction.ts';
import { AnyJson, listOf, shape, Text } from '../../values.ts';

/** The schema of sample data, and how it is redacted. */

/** Sample rows of a record, by column. */
export const TableData = shape('TableData', {
  columns: listOf(Text, 10_000),
  rows: listOf(listOf(AnyJson, 10_000), 10_000),
});

/** Sample messages of a topic. */
const Messages = shape('Messages', { messages: listOf(Text, 10_000) });

/**
 * A member that is stored apart from the rest: returned on request, set by its own operation, and not in the history.
 */
export const SEPARATE_MEMBER = { request: false, gated: true, versioned: false, onAbsent: 'keep' } as const;

/** Replaces a value that the caller may not see. */
const CELL_MASK = '********';

type SampleRow = readonly Json[];
type SampleTable = JsonObject & { readonly columns?: readonly string[]; readonly rows?: readonly SampleRow[] };

const maskRow = (row: SampleRow, hidden: readonly boolean[]): SampleRow =>
  row.map((cell, at) => (hidden[at] ? CELL_MASK : cell));

/** Restores redacted rows that a client sends back. Each stored row is used once. */
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

/** Masks the cells of columns whose values the caller may not see. */
const sampleRedaction: ValueRedaction = {
  masks: 'sampleMasks',
  columnsOf: (value) => (value as SampleTable).columns ?? [],
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

/** The columns of a sample that were labelled as sensitive when it was stored. */
export const sampleMasksMember = property(listOf(Text, 10_000), {
  request: false,
  readOnly: true,
  versioned: false,
  hidden: true,
  onAbsent: 'keep',
});
export const sampleMessagesMember = nested(Messages, SEPARATE_MEMBER);

/** Declares the address of a record's sample data. */
export const sampleDataResource = (methods: SubResource['methods']): SubResource => ({
  path: 'sampleData',
  member: 'sampleData',
  methods,
  edit: 'EditSampleData',
});
