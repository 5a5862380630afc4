import type { Pointer } from '../catalog/desire/candidate.ts';
import type { Engine } from '../catalog/engine.ts';
import type { ColumnNode } from '../catalog/read/column-tree.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { badRequest, recordNotFound } from '../errors.ts';
import { CONTRACTABLE } from '../model/contract-values.ts';
import type { JsonObject } from '../model/json.ts';
import { lookupFqn } from '../model/kind.ts';
import { type EntityFields, type SchemaValidation, validateSchema } from './validation/schema.ts';

/** What contracts are about: the record, and what of it a contract can promise. */

const contractable: ReadonlySet<string> = new Set(CONTRACTABLE);

/** Kinds that contracts could be about, were there any records of them. */
const ABSENT: ReadonlySet<string> = new Set(['api', 'directory', 'file', 'spreadsheet', 'worksheet']);

export const isContractable = (type: string): boolean => contractable.has(type) || ABSENT.has(type);

/** The kinds of records whose columns or fields a contract can promise, and whether their types count. */
const SHAPED: Readonly<Record<string, { readonly isTyped: boolean }>> = {
  table: { isTyped: true },
  container: { isTyped: true },
  dashboardDataModel: { isTyped: true },
  topic: { isTyped: false },
  apiEndpoint: { isTyped: false },
};

export const refuseType = (type: string): void => {
  if (!isContractable(type)) throw badRequest(`[entityType must be one of ${CONTRACTABLE.join(', ')}]`);
};

/** The record that a contract is about. Throws not_found for one that is not there, hidden ones included. */
export const findSubject = async (
  engine: Engine,
  pointer: Pointer,
  fields: ReadonlySet<string> = NO_FIELDS,
): Promise<Snapshot> => {
  const key = pointer.id ?? pointer.fqn ?? '';
  const node = pointer.id === undefined ? undefined : await engine.store.referenceById(pointer.id);
  const type = pointer.type ?? node?.entityType ?? '';
  if (type !== '') refuseType(type);
  const kind = engine.registry.byType.get(type);
  if (!kind || (node && node.entityType !== type)) throw recordNotFound(type, key);
  const address = pointer.id === undefined ? { fqn: lookupFqn(kind, key) } : { id: pointer.id };
  const found = await engine.store.record(kind, address, fields);
  if (!found || found.deleted) throw recordNotFound(type, key);
  return found;
};

const plain = ({ values, children }: ColumnNode): JsonObject => ({
  ...values,
  ...(children.length > 0 ? { children: children.map(plain) } : {}),
});

/** The columns or fields of a record, in the shape that requests give them. */
export const columnsOf = ({ kind, columns }: Snapshot): readonly JsonObject[] =>
  kind.trees.flatMap(([name]) => columns[name] ?? []).map(plain);

export const isShaped = (entityType: string): boolean => Object.hasOwn(SHAPED, entityType);

/** How columns that a contract promises are found at its record; nothing where it has none, or none that can be promised. */
export const schemaOf = (subject: Snapshot, columns: readonly JsonObject[]): SchemaValidation | undefined => {
  const { entityType } = subject.kind;
  if (columns.length === 0 || !isShaped(entityType)) return undefined;
  const live = columnsOf(subject);
  const fields: EntityFields =
    SHAPED[entityType]?.isTyped === true ? { kind: 'columns', columns: live } : { kind: 'names', names: live };
  return validateSchema(columns, fields).schemaValidation;
};
