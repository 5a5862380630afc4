import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { readVisibleAnnotations } from '../contracts/annotations.ts';
import { toImportTarget } from '../contracts/exchange/import-target.ts';
import { readDocumentSchema } from '../contracts/odcs/import.ts';
import { createIssueCollector } from '../contracts/odcs/issues.ts';
import { readAnnotations } from '../contracts/odcs/schema/annotations.ts';
import {
  type ColumnPathFinder,
  createColumnPathFinder,
  type ImportedProperty,
  walkProperties,
} from '../contracts/odcs/schema/read-schema.ts';
import type { OdcsDocument, OdcsDocuments } from '../contracts/odcs/texts/documents.ts';
import { subjectColumns } from '../contracts/subject.ts';
import { diffAnnotations } from '../contracts/validation/annotation-changes.ts';
import { type ColumnChange, diffColumns } from '../contracts/validation/column-changes.ts';
import { isCompatibleType } from '../contracts/validation/type-families.ts';
import { badRequest } from '../errors.ts';
import { parseDialect, readServiceDialect } from '../lineage/ingest/edge-sql-parser.ts';
import type { SqlReader } from '../lineage/sql/reader.ts';
import type { JsonObject, MutableJsonObject } from '../model/json.ts';
import { columnSections } from '../model/kind/column-sections.ts';
import { findDuplicateColumn, foldCase, type NameFold } from '../model/kind/columns.ts';
import { applyDefinitions } from './apply-ddl.ts';

/** A proposed change of a record's columns, in one of three forms. */
export type ColumnProposal =
  | { readonly columns: readonly JsonObject[] }
  | { readonly ddl: string; readonly dialect?: string }
  | { readonly odcs: string };

const PROPOSAL_FORMS = ['columns', 'ddl', 'odcs'] as const;

/** Parses the proposal from a body with validated members. Throws bad_request unless it has exactly one form. */
export const parseColumnProposal = (proposed: JsonObject): ColumnProposal => {
  const ways = PROPOSAL_FORMS.filter((way) => proposed[way] !== undefined);
  if (ways.length !== 1) throw badRequest(`[proposed must have exactly one of ${PROPOSAL_FORMS.join(', ')}]`);
  if (proposed['dialect'] !== undefined) {
    if (ways[0] !== 'ddl') throw badRequest('[proposed.dialect is allowed only with proposed.ddl]');
    parseDialect(String(proposed['dialect']));
  }
  return proposed as unknown as ColumnProposal;
};

/** Returns how column names of the record are compared. */
export const columnFoldOf = ({ kind }: Pick<Snapshot, 'kind'>): NameFold =>
  kind.columnTrees[0]?.[1].nameKey ?? foldCase;

/** Returns the current columns of a record. Throws bad_request for a kind without column lineage. */
export const readLiveColumns = (subject: Snapshot): readonly JsonObject[] => {
  if (columnSections(subject.kind).length === 0) {
    throw badRequest(`[entity must have columns, but a ${subject.kind.entityType} has none]`);
  }
  return subjectColumns(subject);
};

/** Throws bad_request when a list has a column twice. */
export const refuseDuplicateColumn = (columns: readonly JsonObject[], fold: NameFold, place: string): void => {
  const duplicate = findDuplicateColumn(columns, fold);
  if (duplicate !== undefined) throw badRequest(`[${place} has the column ${duplicate} more than once]`);
};

const diffProposedColumns = (live: readonly JsonObject[], columns: readonly JsonObject[], fold: NameFold) => {
  refuseDuplicateColumn(columns, fold, 'proposed.columns');
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

/**
 * Converts a property of a contract document to a column. For an existing column, members missing from the document
 * keep their values.
 */
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

/** Persons and tags in a document do not affect its columns, so nothing is looked up. */
const EMPTY_LOOKUP = { person: () => undefined, tag: () => undefined };

/** The columns that a contract document declares for a record, and what it says of them besides. */
type DocumentColumns = {
  readonly columns: readonly JsonObject[];
  readonly read: readonly ImportedProperty[];
  readonly annotations: JsonObject;
};

/** Reads the columns that a contract document declares for a record. */
export const readDocumentColumns = (
  subject: Snapshot,
  live: readonly JsonObject[],
  { document }: OdcsDocument,
  place: string,
): DocumentColumns => {
  const target = { ...toImportTarget(subject), columns: live };
  const { selected, read } = readDocumentSchema(document, target, {
    lookup: EMPTY_LOOKUP,
    collector: createIssueCollector(),
  });
  if (read.length === 0) throw badRequest(`[${place} must declare columns]`);
  const find = createColumnPathFinder(live);
  const columns = read.map((one) => toProposedColumn(one, find));
  refuseDuplicateColumn(columns, columnFoldOf(subject), place);
  return { columns, read, annotations: readAnnotations(document, selected, read) };
};

/** The readers for the texts in proposals. */
type ProposalReaders = {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly reader: SqlReader;
  readonly documents: OdcsDocuments;
};

/** Determines the column changes that a proposal makes. Throws bad_request when it cannot be read. */
export const readProposedChanges = async (
  { engine, principal, reader, documents }: ProposalReaders,
  subject: Snapshot,
  proposed: ColumnProposal,
): Promise<readonly ColumnChange[]> => {
  const live = readLiveColumns(subject);
  const fold = columnFoldOf(subject);
  if ('columns' in proposed) return diffProposedColumns(live, proposed.columns, fold);
  if ('odcs' in proposed) {
    const document = await documents.odcs(proposed.odcs);
    const { columns, read, annotations } = readDocumentColumns(subject, live, document, 'proposed.odcs');
    const known = await readVisibleAnnotations(engine, principal, subject.id);
    const proposedKeys = new Set([...walkProperties(read)].map(({ key }) => key.toLowerCase()));
    return [...diffColumns(live, columns, fold), ...diffAnnotations(known, annotations, proposedKeys)];
  }
  const dialect = parseDialect(proposed.dialect ?? null) ?? (await readServiceDialect(engine, subject));
  const found = await reader.ddlOf(proposed.ddl, dialect);
  if ('reason' in found) throw badRequest(`[proposed.ddl cannot be read (${found.reason}): ${found.text}]`);
  return applyDefinitions(live, found.definitions, { fqn: subject.fullyQualifiedName, fold });
};
