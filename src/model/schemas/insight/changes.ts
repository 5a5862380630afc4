import * as v from 'valibot';
import {
  AnyJson,
  Flag,
  Fqn,
  Integer,
  listOf,
  must,
  Num,
  oneOf,
  Ref,
  shape,
  Text,
  Timestamp,
  Uuid,
} from '../../values.ts';
import { InsightPaging } from './paging.ts';

/** The schemas of the answer that lists what changed. */

export const CHANGE_KINDS = [
  'schema',
  'lineage',
  'owners',
  'tags',
  'domains',
  'contracts',
  'tests',
  'description',
  'lifecycle',
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

const CHANGE_NAMES = [
  'created',
  'deleted',
  'restored',
  'renamed',
  'moved',
  'columnAdded',
  'columnRemoved',
  'columnRetyped',
  'columnRenamed',
  'constraintChanged',
  'edgeAdded',
  'edgeRemoved',
  'edgeChanged',
  'ownerAdded',
  'ownerRemoved',
  'tagAdded',
  'tagRemoved',
  'described',
  'contractChanged',
  'contractFailed',
  'contractPassed',
  'testFailed',
  'testPassed',
] as const;
export type ChangeName = (typeof CHANGE_NAMES)[number];

export const ColumnOfChange = shape('ChangedColumn', {
  fullyQualifiedName: must(Fqn),
  name: must(Text),
  entity: must(Ref),
});

const ChangeRow = shape('CatalogChange', {
  at: must(Timestamp),
  by: must(v.nullable(Text)),
  entity: must(Ref),
  kind: must(oneOf(CHANGE_KINDS)),
  change: must(oneOf(CHANGE_NAMES)),
  column: ColumnOfChange,
  before: must(AnyJson),
  after: must(AnyJson),
  breaking: must(Flag),
  version: must(v.nullable(Num)),
  eventId: must(v.nullable(Uuid)),
});

const ChangeSummaryByKind = shape(
  'ChangeCounts',
  Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, must(Integer)])),
);

export const CatalogChanges = shape('CatalogChanges', {
  data: must(listOf(ChangeRow)),
  paging: must(InsightPaging),
  summary: must(shape('ChangeSummary', { byKind: must(ChangeSummaryByKind), breaking: must(Integer) })),
});
