import type { Engine } from '../catalog/engine.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { toImportTarget } from '../contracts/exchange/import-target.ts';
import type { ImportedProperty } from '../contracts/odcs/columns-in.ts';
import type { OdcsDocuments } from '../contracts/odcs/documents.ts';
import { readDocumentSchema } from '../contracts/odcs/import.ts';
import { createIssueCollector } from '../contracts/odcs/issue.ts';
import type { OdcsDocument } from '../contracts/odcs/read.ts';
import { type ColumnPathFinder, createColumnPathFinder } from '../contracts/odcs/target.ts';
import { subjectColumns } from '../contracts/subject.ts';
import { type ColumnChange, diffColumns } from '../contracts/validation/column-changes.ts';
import { isCompatibleType } from '../contracts/validation/type-families.ts';
import { badRequest } from '../errors.ts';
import { parseDialect, readServiceDialect } from '../lineage/ingest/edge-sql-parser.ts';
import type { SqlReader } from '../lineage/sql/reader.ts';
import type { JsonObject, MutableJsonObject } from '../model/json.ts';
import { findDuplicateColumn, foldCase, type NameFold } from '../model/kind/columns.ts';
import { applyDefinitions } from './apply-ddl.ts';

/** What is proposed for the columns of a record, in one of three ways. */
export type ColumnProposal =
  | { readonly columns: readonly JsonObject[] }
  | { readonly ddl: string; readonly dialect?: string }
  | { readonly odcs: string };

const PROPOSAL_FORMS = ['columns', 'ddl', 'odcs'] as const;

/** The proposal in a body whose members were checked one by one. Throws bad_request unless it is exactly one. */
export const parseColumnProposal = (proposed: JsonObject): ColumnProposal => {
  const ways = PROPOSAL_FORMS.filter((way) => proposed[way] !== undefined);
  if (ways.length !== 1) throw badRequest(`[proposed must have exactly one of ${PROPOSAL_FORMS.join(', ')}]`);
  if (proposed['dialect'] !== undefined) {
    if (ways[0] !== 'ddl') throw badRequest('[proposed.dialect is for a statement only]');
    parseDialect(String(proposed['dialect']));
  }
  return proposed as unknown as ColumnProposal;
};

/** What tells the columns of a record apart. */
const columnFoldOf = ({ kind }: Pick<Snapshot, 'kind'>): NameFold => kind.columnTrees[0]?.[1].nameKey ?? foldCase;

/** The columns of a record that there may be lineage of. Throws bad_request for a record that never has any. */
const readLiveColumns = (subject: Snapshot): readonly JsonObject[] => {
  if (!subject.kind.columnTrees.some(([, { hasColumnLineage }]) => hasColumnLineage)) {
    throw badRequest(`[entity must have columns, and a ${subject.kind.entityType} has none]`);
  }
  return subjectColumns(subject);
};

const diffProposedColumns = (live: readonly JsonObject[], columns: readonly JsonObject[], fold: NameFold) => {
  const duplicate = findDuplicateColumn(columns, fold);
  if (duplicate !== undefined) throw badRequest(`[proposed.columns has the column ${duplicate} more than once]`);
  return diffColumns(live, columns, fold);
};

const TYPE_MEMBERS = ['dataType', 'arrayDataType', 'dataLength', 'precision', 'scale'] as const;

const withLiveType = (column: JsonObject, live: JsonObject): JsonObject => {
  const out: MutableJsonObject = { ...column };
  for (const name of TYPE_MEMBERS) {
    delete out[name];
    const value = live[name];
    if (value !== undefined) out[name] = value;
  }
  return out;
};

/** A property of a document as a column; what the document does not say of one that is there stays as it is. */
const toProposedColumn = (
  { property, column, entityKey, children }: ImportedProperty,
  find: ColumnPathFinder,
): JsonObject => {
  const live = entityKey === undefined ? undefined : find(entityKey)?.column;
  const { children: _, ...own } = column;
  const inner = children.map((child) => toProposedColumn(child, find));
  const proposed: JsonObject = inner.length > 0 ? { ...own, children: inner } : own;
  if (live === undefined) return proposed;
  const hasNoPhysicalType = property['physicalType'] === undefined;
  const fits =
    hasNoPhysicalType && isCompatibleType(String(live['dataType'] ?? ''), String(proposed['dataType'] ?? ''));
  const typed = fits ? withLiveType(proposed, live) : proposed;
  const { constraint } = live;
  const hasNoConstraint = property['required'] === undefined && typed['constraint'] === undefined;
  return hasNoConstraint && constraint !== undefined ? { ...typed, constraint } : typed;
};

/** People and labels of a document do not matter for what it says of columns. */
const EMPTY_LOOKUP = { person: () => undefined, tag: () => undefined };

const diffDocument = (subject: Snapshot, live: readonly JsonObject[], { document }: OdcsDocument, fold: NameFold) => {
  const target = { ...toImportTarget(subject), columns: live };
  const { read } = readDocumentSchema(document, target, { lookup: EMPTY_LOOKUP, collector: createIssueCollector() });
  if (read.length === 0) throw badRequest('[proposed.odcs says nothing of columns]');
  const find = createColumnPathFinder(live);
  const columns = read.map((one) => toProposedColumn(one, find));
  const duplicate = findDuplicateColumn(columns, fold);
  if (duplicate !== undefined) throw badRequest(`[proposed.odcs has the column ${duplicate} more than once]`);
  return diffColumns(live, columns, fold);
};

/** What reads the texts of proposals. */
type ProposalReaders = { readonly engine: Engine; readonly reader: SqlReader; readonly documents: OdcsDocuments };

/** What a proposal changes in the columns of a record. Throws bad_request for one that cannot be read. */
export const readProposedChanges = async (
  { engine, reader, documents }: ProposalReaders,
  subject: Snapshot,
  proposed: ColumnProposal,
): Promise<readonly ColumnChange[]> => {
  const live = readLiveColumns(subject);
  const fold = columnFoldOf(subject);
  if ('columns' in proposed) return diffProposedColumns(live, proposed.columns, fold);
  if ('odcs' in proposed) return diffDocument(subject, live, await documents.odcs(proposed.odcs), fold);
  const dialect = parseDialect(proposed.dialect ?? null) ?? (await readServiceDialect(engine, subject));
  const found = await reader.ddlOf(proposed.ddl, dialect);
  if ('reason' in found) throw badRequest(`[proposed.ddl cannot be read (${found.reason}): ${found.text}]`);
  return applyDefinitions(live, found.definitions, { fqn: subject.fullyQualifiedName, fold });
};
