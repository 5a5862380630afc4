import * as v from 'valibot';
import type { Attribute } from '../../model/attribute.ts';
import { Column } from '../../model/column-values.ts';
import { ChangeDescription } from '../../model/event-values.ts';
import { type Kind, perKind } from '../../model/kind.ts';
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
import { createSchema } from '../desire/candidate.ts';

/** Schemas of answers, for the documentation. Requests have theirs in the declarations and in `candidate`. */

const BASE: Readonly<Record<string, v.GenericSchema>> = {
  id: must(Uuid),
  name: must(Text),
  fullyQualifiedName: must(Text),
  displayName: Text,
  description: Markdown,
  version: must(Num),
  updatedAt: must(Timestamp),
  updatedBy: must(Text),
  impersonatedBy: Text,
  href: must(Text),
  changeDescription: ChangeDescription,
  incrementalChangeDescription: ChangeDescription,
  deleted: Flag,
};

const GATED: Readonly<Record<string, v.GenericSchema>> = {
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

/** A record of a kind as it is answered. */
export const record = perKind((kind): v.GenericSchema => {
  const members: Record<string, v.GenericSchema> = {};
  for (const name of [...kind.base, ...kind.gated]) {
    const schema = BASE[name] ?? GATED[name];
    if (schema) members[name] = schema;
  }
  for (const [name, attribute] of Object.entries(kind.members)) {
    if (!isHidden(attribute)) members[name] = attributeSchema(attribute);
  }
  return shape(kind.label, members);
});

const Paging = shape('Paging', { before: Text, after: Text, offset: Integer, limit: Integer, total: must(Integer) });

export const recordList = (kind: Kind): v.GenericSchema =>
  shape(`${kind.label}List`, { data: must(listOf(record(kind), 1_000_000)), paging: must(Paging) });

export const references = shape('EntityReferenceList', { data: must(listOf(Ref)), paging: must(Paging) });

/** A list of values that are no records. */
export const listOfValues = (title: string, value: v.GenericSchema): v.GenericSchema =>
  shape(title, { data: must(listOf(value, 1_000_000)), paging: must(Paging) });

export const columnList = shape('ColumnList', { data: must(listOf(Column)), paging: must(Paging) });

export const history = shape('EntityHistory', { entityType: must(Text), versions: must(listOf(Text)) });

export const rows = (kind: Kind): v.GenericSchema => listOf(createSchema(kind));

const BulkRow = shape('BulkRow', {
  request: must(AnyJson),
  status: must(Integer),
  message: Text,
  hasSideEffects: Flag,
  unresolved: listOf(AnyJson),
});

export const bulkResult = shape('BulkResult', {
  dryRun: must(Flag),
  status: must(oneOf(['success', 'partialSuccess', 'failure', 'aborted', 'running'])),
  abortReason: Text,
  numberOfRowsProcessed: must(Integer),
  numberOfRowsPassed: must(Integer),
  numberOfRowsFailed: must(Integer),
  successRequest: listOf(BulkRow),
  failedRequest: listOf(BulkRow),
});

const Operation = shape('PatchOperation', {
  op: must(oneOf(['add', 'remove', 'replace', 'move', 'copy', 'test'])),
  path: must(Text),
  from: Text,
  value: AnyJson,
});

/** A list of operations (RFC 6902) or a merge document (RFC 7396): told apart by the JSON type of the body. */
export const patch = v.union([listOf(Operation), FreeForm]);
export const restore = shape('RestoreEntity', { id: must(Uuid) });
export const userId = v.pipe(Uuid, v.title('UserId'));
export const vote = shape('VoteRequest', { updatedVoteType: must(oneOf(['votedUp', 'votedDown', 'unVoted'])) });

const started = { jobId: must(Uuid), message: must(Text) };

/** What is answered when the work is still to be done. */
export const jobStarted = shape('JobStarted', started);
export const removalStarted = shape('RemovalStarted', {
  ...started,
  entityName: must(Text),
  hardDelete: must(Flag),
  recursive: must(Flag),
});
