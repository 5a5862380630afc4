import * as v from 'valibot';
import type { Attribute } from '../../model/kind/attribute.ts';
import { columnItemSchema, columnSections } from '../../model/kind/column-sections.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { ChangeDescriptionSchema } from '../../model/schemas/events/change-event.ts';
import {
  AnyJson,
  Flag,
  FreeForm,
  Integer,
  listOf,
  Markdown,
  must,
  Num,
  oneOf,
  Ref,
  shape,
  TagLabel,
  Text,
  Timestamp,
  UsageDetails,
  Uuid,
  Votes,
} from '../../model/values.ts';
import { createSchema } from '../resolve/candidate.ts';

/**
 * Schemas of answers, for the API documentation. Request schemas are in the kind declarations and in `candidate.ts`.
 */

const BASE_SCHEMAS: Readonly<Record<string, v.GenericSchema>> = {
  id: must(Uuid),
  name: must(Text),
  fullyQualifiedName: must(Text),
  displayName: Text,
  description: Markdown,
  version: must(Num),
  updatedAt: must(Timestamp),
  updatedBy: must(Text),
  impersonatedBy: Text,
  // Past states are kept without an address.
  href: Text,
  changeDescription: ChangeDescriptionSchema,
  incrementalChangeDescription: ChangeDescriptionSchema,
  deleted: Flag,
};

const GATED_SCHEMAS: Readonly<Record<string, v.GenericSchema>> = {
  owners: listOf(Ref),
  followers: listOf(Ref),
  votes: Votes,
  tags: listOf(TagLabel),
  domains: listOf(Ref),
  dataProducts: listOf(Ref),
  dataContract: Ref,
  usageSummary: UsageDetails,
};

const attributeSchema = (attribute: Attribute): v.GenericSchema => {
  if (attribute.store === 'relation') return attribute.many ? listOf(Ref) : Ref;
  if (attribute.store === 'walked') return attribute.schema ?? (attribute.answers === 'count' ? Integer : listOf(Ref));
  if (attribute.store === 'ancestor') return attribute.member === 'ref' ? Ref : Text;
  return attribute.schema;
};

const isHidden = (attribute: Attribute): boolean => 'hidden' in attribute && attribute.hidden;

const answerMembers = (kind: Kind): Readonly<Record<string, v.GenericSchema>> => {
  const members: Record<string, v.GenericSchema> = {};
  for (const name of [...kind.base, ...kind.gated]) {
    const schema = BASE_SCHEMAS[name] ?? GATED_SCHEMAS[name];
    if (schema) members[name] = schema;
  }
  for (const [name, attribute] of Object.entries(kind.members)) {
    if (!isHidden(attribute)) members[name] = attributeSchema(attribute);
  }
  return members;
};

/** The schema of a record of a kind in answers. */
export const recordSchema = memoisePerKind((kind): v.GenericSchema => shape(kind.label, answerMembers(kind)));

/** The schema of a record with members that only some answers have. */
export const extendedRecordSchema = (
  kind: Kind,
  title: string,
  more: Readonly<Record<string, v.GenericSchema>>,
): v.GenericSchema => shape(title, { ...answerMembers(kind), ...more });

const Paging = shape('Paging', { before: Text, after: Text, offset: Integer, limit: Integer, total: must(Integer) });

const NullablePaging = shape('NullablePaging', {
  before: must(v.nullable(Text)),
  after: must(v.nullable(Text)),
  total: must(Integer),
});

export const recordListSchema = (kind: Kind): v.GenericSchema =>
  shape(`${kind.label}List`, { data: must(listOf(recordSchema(kind), 1_000_000)), paging: must(Paging) });

export const referenceListSchema = shape('EntityReferenceList', { data: must(listOf(Ref)), paging: must(Paging) });

/** The schema of a list of values that are not records. */
export const valueListSchema = (title: string, value: v.GenericSchema): v.GenericSchema =>
  shape(title, { data: must(listOf(value, 1_000_000)), paging: must(Paging) });

/** The same for clients that read both cursors, which are null where there is no page. */
export const nullableCursorListSchema = (title: string, value: v.GenericSchema): v.GenericSchema =>
  shape(title, { data: must(listOf(value)), paging: must(NullablePaging) });

/** The schema of a list of the columns of a kind, named by what they are: `ColumnList`, `FieldList`. */
export const columnListSchema = memoisePerKind((kind): v.GenericSchema => {
  const items = [...new Set(columnSections(kind).map(([, attribute]) => columnItemSchema(attribute)))];
  const title = items.map((item) => `${v.getTitle(item)}List`).join('');
  return valueListSchema(title, items.length === 1 ? (items[0] ?? AnyJson) : v.union(items));
});

export const versionListSchema = shape('EntityHistory', { entityType: must(Text), versions: must(listOf(Text)) });

export const bulkRowsSchema = (kind: Kind): v.GenericSchema => listOf(createSchema(kind));

const BulkRow = shape('BulkRow', {
  request: must(AnyJson),
  status: must(Integer),
  message: Text,
  hasSideEffects: Flag,
  unresolved: listOf(AnyJson),
});

/** The schema of a bulk result whose successful rows tell more than others. */
export const bulkResultOf = (title: string, success: v.GenericSchema): v.GenericSchema =>
  shape(title, {
    dryRun: must(Flag),
    status: must(oneOf(['success', 'partialSuccess', 'failure', 'aborted', 'running'])),
    abortReason: Text,
    numberOfRowsProcessed: must(Integer),
    numberOfRowsPassed: must(Integer),
    numberOfRowsFailed: must(Integer),
    successRequest: listOf(success),
    failedRequest: listOf(BulkRow),
  });

export const bulkResultSchema = bulkResultOf('BulkResult', BulkRow);

const Operation = shape('PatchOperation', {
  op: must(oneOf(['add', 'remove', 'replace', 'move', 'copy', 'test'])),
  path: must(Text),
  from: Text,
  value: AnyJson,
});

/** A JSON Patch (RFC 6902) or a merge patch (RFC 7396); the JSON type of the body decides which. */
export const patchSchema = v.union([listOf(Operation), FreeForm]);
export const restoreSchema = shape('RestoreEntity', { id: must(Uuid) });
export const userIdSchema = v.pipe(Uuid, v.title('UserId'));
export const voteSchema = shape('VoteRequest', { updatedVoteType: must(oneOf(['votedUp', 'votedDown', 'unVoted'])) });

const STARTED_MEMBERS = { jobId: must(Uuid), message: must(Text) };

/** The answer of an operation that continues as a job. */
export const jobStartedSchema = shape('JobStarted', STARTED_MEMBERS);
export const deletionStartedSchema = shape('RemovalStarted', {
  ...STARTED_MEMBERS,
  entityName: must(Text),
  hardDelete: must(Flag),
  recursive: must(Flag),
});
