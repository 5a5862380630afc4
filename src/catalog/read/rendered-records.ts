import { LRUCache } from 'lru-cache';
import type { Principal } from '../../access/principal.ts';
import { coalesce } from '../../graph/coalesce.ts';
import { statement } from '../../graph/statement.ts';
import type { Attribute, StoredAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import type { Engine } from '../engine.ts';
import type { RecordSource } from './batch-read.ts';
import { etagCovers } from './etag-coverage.ts';
import { canSeeEverything } from './facts.ts';
import { renderRecord, type View } from './render.ts';
import type { Snapshot } from './snapshot.ts';
import { type Address, addressKey } from './store.ts';

/**
 * Keeps the rendered answers of records in memory. Each read compares the revisions of the record and of all records
 * whose data its answer contains with the database, so that an answer is never older than the read, whichever process
 * wrote. Only answers that are the same for every caller are kept.
 */

/** A rendered record, and the state it was rendered from. */
export type RenderedRecord = {
  readonly id: string;
  readonly fullyQualifiedName: string;
  readonly version: number;
  readonly updatedAt: number;
  /** Whether the ETag covers everything that the answer shows. */
  readonly isCoveredByEtag: boolean;
  readonly json: Buffer;
  readonly revision: number;
  /** The revisions of the other records whose data the answer contains, by id. */
  readonly others: ReadonlyMap<string, number>;
  /** When this answer was first rendered. */
  readonly renderedMs: number;
  /** Whether it was rendered again since, and was the same. */
  readonly isConfirmed: boolean;
};

/** A form of a record's answer: forms differ by the requested members and by the prefix of their hrefs. */
export type RenderedForm = { readonly kind: Kind; readonly view: View };

export type RenderedRecords = {
  /** Returns the current answer of a record, if it is known. */
  find(form: RenderedForm, address: Address): Promise<RenderedRecord | undefined>;
  /** Returns the current answers of records at the given revisions, as far as they are known, in their order. */
  findMany(
    form: RenderedForm,
    records: readonly { readonly id: string; readonly revision: number }[],
  ): Promise<readonly (RenderedRecord | undefined)[]>;
  /** Renders a record that was just read, and keeps its answer unless it is deleted. */
  render(form: RenderedForm, record: Snapshot): RenderedRecord;
};

const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** A longer answer would displace too many others. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** An estimate of the memory that an answer needs besides its text. */
const OVERHEAD_BYTES = 1024;
const MAX_NAMES = 100_000;

/**
 * The database shows a commit bit by bit, so an answer rendered meanwhile may mix a new revision with former relations.
 * An answer is used only if it was rendered twice alike, this far apart.
 */
const CONFIRMATION_MS = 500;

/** The maximum number of requests that share a query of revisions. */
const MAX_BATCH = 256;

const readRevisions = statement<{ ids: readonly string[] }, { ids: readonly string[]; revisions: readonly number[] }>(
  'catalog/record/read_revisions',
  { params: ['ids'], row: ['ids', 'revisions'] },
);

/**
 * Whether a member depends on nothing but the revisions of records and is the same for all callers who see every
 * record. Other relations may change without a new revision of both records.
 */
const isKeepable = (attribute: Attribute): boolean => {
  switch (attribute.store) {
    case 'property':
    case 'columns':
    case 'ancestor':
    case 'empty':
      return true;
    case 'json':
      return (attribute as StoredAttribute).columnRedaction === undefined;
    default:
      return false;
  }
};

/** The common members that change only with the revision of the record itself or of a record whose data they show. */
const KEEPABLE_COMMON: ReadonlySet<string> = new Set([
  'owners',
  'domains',
  'dataProducts',
  'followers',
  'votes',
  'tags',
]);

const keepableMembers = memoisePerKind((kind) => {
  const members = Object.entries(kind.members);
  return {
    hasKeepableBase: !kind.inherits && members.every(([, attribute]) => attribute.gated || isKeepable(attribute)),
    keepableFields: new Set([
      ...kind.gated.filter((name) => KEEPABLE_COMMON.has(name)),
      ...members.flatMap(([name, attribute]) => (isKeepable(attribute) ? [name] : [])),
    ]),
  };
});

const canKeepRendered = (kind: Kind, fields: ReadonlySet<string>): boolean => {
  const { hasKeepableBase, keepableFields } = keepableMembers(kind);
  if (!hasKeepableBase) return false;
  for (const name of fields) if (!keepableFields.has(name)) return false;
  return true;
};

/** Whether the caller sees every record, and the answer with these members is the same for all such callers. */
export const canShareRendered = (
  engine: Pick<Engine, 'authorizer'>,
  principal: Principal,
  kind: Kind,
  fields: ReadonlySet<string>,
): boolean => canKeepRendered(kind, fields) && canSeeEverything(engine, principal);

/** Collects the revisions of the other records whose data a snapshot contains. */
const collectRevisions = (record: Snapshot): ReadonlyMap<string, number> => {
  const { ancestors, owners, domains, dataProducts, followers, voters, mentioned, tagRevisions } = record;
  const found = new Map(tagRevisions);
  for (const nodes of [ancestors, owners, domains, dataProducts, followers, voters, mentioned.values()]) {
    for (const { id, revision = Number.NaN } of nodes ?? []) found.set(id, revision);
  }
  return found;
};

/** Renders a record as JSON text, encoded. */
export const renderRecordText = (record: Snapshot, view: View): Buffer =>
  Buffer.from(JSON.stringify(renderRecord(record, view)));

const formKey = ({ view: { hrefBase = '', fields } }: RenderedForm): string =>
  fields.size === 0 ? hrefBase : `${hrefBase} ${[...fields].sort().join()}`;

const answerKey = ({ entityType }: Kind, id: string, form: string): string => `${entityType} ${id} ${form}`;

const nameKey = ({ entityType }: Kind, fqn: string): string => `${entityType} ${fqn}`;

/** Reads the current revisions of records; concurrent requests share a query, and each record is read once. */
const createRevisionReader = (graph: RecordSource) =>
  coalesce({
    name: readRevisions.name,
    observer: graph.observer,
    maxBatch: MAX_BATCH,
    load: async (requests: readonly (readonly string[])[]) => {
      const [row] = await graph.read(readRevisions, { ids: [...new Set(requests.flat())] });
      const revisions = new Map(row?.ids.map((id, at) => [id, row.revisions[at]]));
      return requests.map(() => revisions);
    },
  });

const isSameRendering = (one: RenderedRecord, other: Pick<RenderedRecord, 'revision' | 'others' | 'json'>): boolean =>
  one.revision === other.revision &&
  one.others.size === other.others.size &&
  [...one.others].every(([id, revision]) => other.others.get(id) === revision) &&
  one.json.equals(other.json);

const isCurrent = (answer: RenderedRecord, revisions: ReadonlyMap<string, number | undefined>): boolean => {
  for (const [id, revision] of answer.others) if (revisions.get(id) !== revision) return false;
  return true;
};

export const createRenderedRecords = (graph: RecordSource): RenderedRecords => {
  const answers = new LRUCache<string, RenderedRecord>({
    maxSize: MAX_KEPT_BYTES,
    maxEntrySize: MAX_ANSWER_BYTES,
    sizeCalculation: ({ json }) => json.length + OVERHEAD_BYTES,
  });
  const idsByName = new LRUCache<string, string>({ max: MAX_NAMES });
  const readCurrent = createRevisionReader(graph);

  const lookUp = (form: RenderedForm, address: Address): RenderedRecord | undefined => {
    const id = 'id' in address ? address.id : idsByName.get(nameKey(form.kind, addressKey(address)));
    const known = id === undefined ? undefined : answers.get(answerKey(form.kind, id, formKey(form)));
    // The record may have been renamed since it was found under this name.
    const isFound = known?.isConfirmed && ('id' in address || known.fullyQualifiedName === address.fqn);
    return isFound ? known : undefined;
  };

  const find: RenderedRecords['find'] = async (form, address) => {
    const known = lookUp(form, address);
    if (!known) return undefined;
    const current = await readCurrent([known.id, ...known.others.keys()]);
    return current.get(known.id) === known.revision && isCurrent(known, current) ? known : undefined;
  };

  const findMany: RenderedRecords['findMany'] = async (form, records) => {
    const suffix = formKey(form);
    const found = records.map(({ id, revision }) => {
      const known = answers.get(answerKey(form.kind, id, suffix));
      return known?.isConfirmed && known.revision === revision ? known : undefined;
    });
    const others = new Set(found.flatMap((known) => (known ? [...known.others.keys()] : [])));
    if (others.size === 0) return found;
    const current = await readCurrent([...others]);
    return found.map((known) => (known && isCurrent(known, current) ? known : undefined));
  };

  const render: RenderedRecords['render'] = (form, record) => {
    const { id, version, updatedAt, fullyQualifiedName, revision = Number.NaN } = record;
    const json = renderRecordText(record, form.view);
    const rendered = { json, revision, others: collectRevisions(record) };
    const key = answerKey(form.kind, id, formKey(form));
    const known = answers.get(key);
    const renderedMs = known && isSameRendering(known, rendered) ? known.renderedMs : performance.now();
    const answer = {
      ...rendered,
      id,
      fullyQualifiedName,
      version,
      updatedAt,
      isCoveredByEtag: etagCovers(form.view.fields, record),
      renderedMs,
      isConfirmed: performance.now() - renderedMs >= CONFIRMATION_MS,
    };
    if (record.deleted) return answer;
    answers.set(key, answer);
    idsByName.set(nameKey(form.kind, fullyQualifiedName), id);
    return answer;
  };

  return { find, findMany, render };
};
