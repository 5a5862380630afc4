import { nested } from './attribute.ts';
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

export const sampleRows = nested(TableData, aside);
export const sampleMessages = nested(Messages, aside);

/** The address of the sample of a record. */
export const sampleData = (methods: SubResource['methods']): SubResource => ({
  path: 'sampleData',
  member: 'sampleData',
  methods,
  edit: 'EditSampleData',
});
