import type { Engine } from '../catalog/engine.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { targetOf } from '../contracts/exchange/target.ts';
import type { PropertyRead } from '../contracts/odcs/columns-in.ts';
import type { Documents } from '../contracts/odcs/documents.ts';
import { readSchema } from '../contracts/odcs/import.ts';
import { issues } from '../contracts/odcs/issue.ts';
import type { OdcsDocument } from '../contracts/odcs/read.ts';
import { type ColumnFinder, columnFinder } from '../contracts/odcs/target.ts';
import { columnsOf } from '../contracts/subject.ts';
import { type ColumnChange, columnChanges } from '../contracts/validation/changes.ts';
import { isCompatible } from '../contracts/validation/types.ts';
import { badRequest } from '../errors.ts';
import { dialectCalled, dialectOf } from '../lineage/ingest/parsed.ts';
import type { SqlReader } from '../lineage/sql/reader.ts';
import { anyCase, type Fold, findDuplicate } from '../model/columns.ts';
import type { JsonObject, MutableJsonObject } from '../model/json.ts';
import { definedChanges } from './applied.ts';

/** What is proposed for the columns of a record, in one of three ways. */
export type Proposed =
  | { readonly columns: readonly JsonObject[] }
  | { readonly ddl: string; readonly dialect?: string }
  | { readonly odcs: string };

const WAYS = ['columns', 'ddl', 'odcs'] as const;

/** The proposal in a body whose members were checked one by one. Throws bad_request unless it is exactly one. */
export const proposedIn = (proposed: JsonObject): Proposed => {
  const ways = WAYS.filter((way) => proposed[way] !== undefined);
  if (ways.length !== 1) throw badRequest(`[proposed must have exactly one of ${WAYS.join(', ')}]`);
  if (proposed['dialect'] !== undefined) {
    if (ways[0] !== 'ddl') throw badRequest('[proposed.dialect is for a statement only]');
    dialectCalled(String(proposed['dialect']));
  }
  return proposed as unknown as Proposed;
};

/** What tells the columns of a record apart. */
const foldOf = ({ kind }: Pick<Snapshot, 'kind'>): Fold => kind.trees[0]?.[1].fold ?? anyCase;

/** The columns of a record that there may be lineage of. Throws bad_request for a record that never has any. */
const liveColumns = (subject: Snapshot): readonly JsonObject[] => {
  if (!subject.kind.trees.some(([, { traced }]) => traced)) {
    throw badRequest(`[entity must have columns, and a ${subject.kind.entityType} has none]`);
  }
  return columnsOf(subject);
};

const changesOfList = (live: readonly JsonObject[], columns: readonly JsonObject[], fold: Fold) => {
  const twin = findDuplicate(columns, fold);
  if (twin !== undefined) throw badRequest(`[proposed.columns has the column ${twin} more than once]`);
  return columnChanges(live, columns, fold);
};

const TYPE = ['dataType', 'arrayDataType', 'dataLength', 'precision', 'scale'] as const;

const sameType = (column: JsonObject, live: JsonObject): JsonObject => {
  const out: MutableJsonObject = { ...column };
  for (const name of TYPE) {
    delete out[name];
    const value = live[name];
    if (value !== undefined) out[name] = value;
  }
  return out;
};

/** A property of a document as a column; what the document does not say of one that is there stays as it is. */
const columnTold = ({ property, column, entityKey, children }: PropertyRead, find: ColumnFinder): JsonObject => {
  const live = entityKey === undefined ? undefined : find(entityKey)?.column;
  const { children: _, ...own } = column;
  const inner = children.map((child) => columnTold(child, find));
  const told: JsonObject = inner.length > 0 ? { ...own, children: inner } : own;
  if (live === undefined) return told;
  const isLoose = property['physicalType'] === undefined;
  const fits = isLoose && isCompatible(String(live['dataType'] ?? ''), String(told['dataType'] ?? ''));
  const typed = fits ? sameType(told, live) : told;
  const { constraint } = live;
  const isSilent = property['required'] === undefined && typed['constraint'] === undefined;
  return isSilent && constraint !== undefined ? { ...typed, constraint } : typed;
};

/** People and labels of a document do not matter for what it says of columns. */
const NOBODY = { person: () => undefined, tag: () => undefined };

const changesOfDocument = (subject: Snapshot, live: readonly JsonObject[], { document }: OdcsDocument, fold: Fold) => {
  const target = { ...targetOf(subject), columns: live };
  const { read } = readSchema(document, target, { lookup: NOBODY, collector: issues() });
  if (read.length === 0) throw badRequest('[proposed.odcs says nothing of columns]');
  const find = columnFinder(live);
  const columns = read.map((one) => columnTold(one, find));
  const twin = findDuplicate(columns, fold);
  if (twin !== undefined) throw badRequest(`[proposed.odcs has the column ${twin} more than once]`);
  return columnChanges(live, columns, fold);
};

/** What reads the texts of proposals. */
type Readers = { readonly engine: Engine; readonly reader: SqlReader; readonly documents: Documents };

/** What a proposal changes in the columns of a record. Throws bad_request for one that cannot be read. */
export const proposedChanges = async (
  { engine, reader, documents }: Readers,
  subject: Snapshot,
  proposed: Proposed,
): Promise<readonly ColumnChange[]> => {
  const live = liveColumns(subject);
  const fold = foldOf(subject);
  if ('columns' in proposed) return changesOfList(live, proposed.columns, fold);
  if ('odcs' in proposed) return changesOfDocument(subject, live, await documents.odcs(proposed.odcs), fold);
  const dialect = dialectCalled(proposed.dialect ?? null) ?? (await dialectOf(engine, subject));
  const found = await reader.ddlOf(proposed.ddl, dialect);
  if ('reason' in found) throw badRequest(`[proposed.ddl cannot be read (${found.reason}): ${found.text}]`);
  return definedChanges(live, found.definitions, { fqn: subject.fullyQualifiedName, fold });
};
