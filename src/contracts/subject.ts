import type { Engine } from '../catalog/engine.ts';
import type { ColumnNode } from '../catalog/read/column-tree.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import type { Registry } from '../catalog/registry.ts';
import type { RecordPointer } from '../catalog/resolve/record-pointers.ts';
import { badRequest, recordNotFound } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { type Kind, resolveFqnText } from '../model/kind/kind.ts';
import { type EntityFields, type SchemaValidation, validateSchema } from './validation/schema.ts';

/** The record that a contract is about, and its columns or fields that a contract can promise. */

/** Entity types that the API accepts for contracts although the catalog has no such kinds. */
const RESERVED_TYPES: ReadonlySet<string> = new Set(['api', 'spreadsheet', 'worksheet']);

export const isContractable = ({ byType }: Registry, type: string): boolean =>
  byType.get(type)?.contract !== undefined || RESERVED_TYPES.has(type);

export const assertContractable = (registry: Registry, type: string): void => {
  if (isContractable(registry, type)) return;
  const types = registry.kinds.filter(({ contract }) => contract !== undefined).map(({ entityType }) => entityType);
  throw badRequest(`[entityType must be one of ${types.join(', ')}]`);
};

/**
 * Finds the record that a contract is about. Throws not_found when it does not exist; soft-deleted records are
 * included.
 */
export const findSubject = async (
  engine: Engine,
  pointer: RecordPointer,
  fields: ReadonlySet<string> = NO_FIELDS,
): Promise<Snapshot> => {
  const key = pointer.id ?? pointer.fqn ?? '';
  const node = pointer.id === undefined ? undefined : await engine.store.referenceById(pointer.id);
  const type = pointer.type ?? node?.entityType ?? '';
  if (type !== '') assertContractable(engine.registry, type);
  const kind = engine.registry.byType.get(type);
  if (!kind || (node && node.entityType !== type)) throw recordNotFound(type, key);
  const address = pointer.id === undefined ? { fqn: resolveFqnText(kind, key) } : { id: pointer.id };
  const found = await engine.store.record(kind, address, fields);
  if (!found || found.deleted) throw recordNotFound(type, key);
  return found;
};

const toColumnJson = ({ values, children }: ColumnNode): JsonObject => ({
  ...values,
  ...(children.length > 0 ? { children: children.map(toColumnJson) } : {}),
});

/** The columns or fields of a record, in the shape of a request body. */
export const subjectColumns = ({ kind, columns }: Snapshot): readonly JsonObject[] =>
  kind.columnTrees.flatMap(([name]) => columns[name] ?? []).map(toColumnJson);

export const hasContractSchema = ({ contract }: Kind): boolean => contract?.columns !== undefined;

/**
 * Compares the columns that a contract promises with those of its record. Returns undefined when the contract has no
 * columns or the kind supports none.
 */
export const validateSubjectSchema = (
  subject: Snapshot,
  columns: readonly JsonObject[],
): SchemaValidation | undefined => {
  const { kind } = subject;
  if (columns.length === 0 || !hasContractSchema(kind)) return undefined;
  const live = subjectColumns(subject);
  const fields: EntityFields =
    kind.contract?.columns === 'typed' ? { kind: 'columns', columns: live } : { kind: 'names', names: live };
  return validateSchema(columns, fields).schemaValidation;
};
