import { groupBy } from '../../model/group-by.ts';
import { isArray, type Json, type JsonObject, member } from '../../model/json.ts';
import { fqnPart } from '../../model/name.ts';
import { isCompatibleType } from './type-families.ts';

/** The outcome of comparing a contract's columns with those of the entity, as the result contains it. */
export type SchemaValidation = {
  readonly passed: number;
  readonly failed: number;
  readonly total: number;
  readonly failedFields?: readonly string[];
  readonly duplicateFields?: readonly string[];
  readonly typeMismatchFields?: readonly string[];
};

/** The columns of an entity, or fields of which only the names can be compared. */
export type EntityFields =
  | { readonly kind: 'columns'; readonly columns: readonly JsonObject[] }
  | { readonly kind: 'names'; readonly names: readonly JsonObject[] };

type SchemaFindings = {
  total: number;
  readonly missing: string[];
  readonly duplicates: string[];
  readonly mismatches: string[];
  readonly isTyped: boolean;
};

const columnName = (column: JsonObject): string => String(member(column, 'name') ?? '');

const childColumns = (column: JsonObject): readonly JsonObject[] => {
  const children: Json | undefined = member(column, 'children');
  return isArray(children) ? (children as readonly JsonObject[]) : [];
};

const typeOf = (column: JsonObject | undefined): string | undefined => {
  const type = column && member(column, 'dataType');
  return typeof type === 'string' ? type.toUpperCase() : undefined;
};

const groupByName = (columns: readonly JsonObject[], key: (name: string) => string) =>
  groupBy(columns, (column) => key(columnName(column)));

type ColumnLookup = (name: string) => readonly JsonObject[] | undefined;

/**
 * Finds columns by exact name, or else by the only name that differs in letter case. A name may occur in two schemas.
 */
const createColumnLookup = (columns: readonly JsonObject[]): ColumnLookup => {
  const [exact, folded] = [groupByName(columns, (name) => name), groupByName(columns, (name) => name.toLowerCase())];
  return (name) => {
    const found = exact.get(name);
    if (found) return found;
    const similar = folded.get(name.toLowerCase());
    return similar && new Set(similar.map(columnName)).size === 1 ? similar : undefined;
  };
};

const noteMismatch = (
  out: SchemaFindings,
  path: string,
  entity: JsonObject | undefined,
  contract: JsonObject,
): void => {
  const [has, says] = [typeOf(entity), typeOf(contract)];
  if (out.isTyped && !isCompatibleType(has, says)) out.mismatches.push(`${path}: expected ${has}, got ${says}`);
};

const compareColumns = (
  out: SchemaFindings,
  contract: readonly JsonObject[],
  entity: readonly JsonObject[],
  parent: string,
): void => {
  const lookup = createColumnLookup(entity);
  const seen = new Map<string, number>();
  for (const column of contract) {
    const name = columnName(column);
    const path = parent === '' ? fqnPart(name) : `${parent}.${fqnPart(name)}`;
    const times = (seen.get(name) ?? 0) + 1;
    const found = lookup(name);
    seen.set(name, times);
    out.total += 1;
    // Reports a name once as duplicate and once as missing, however often it occurs.
    if (times === 2) out.duplicates.push(path);
    if (!found && times === 1) out.missing.push(path);
    if (found) noteMismatch(out, path, found[0], column);
    compareColumns(out, childColumns(column), (found ?? []).flatMap(childColumns), path);
  }
};

/**
 * Compares the columns of a contract with those of an entity at every depth. Missing and duplicate columns fail; type
 * mismatches are only listed and counted.
 */
export const validateSchema = (
  contractColumns: readonly JsonObject[],
  entity: EntityFields,
): { readonly schemaValidation: SchemaValidation; readonly mismatches: number } => {
  const isTyped = entity.kind === 'columns';
  const found: SchemaFindings = { total: 0, missing: [], duplicates: [], mismatches: [], isTyped };
  compareColumns(found, contractColumns, isTyped ? entity.columns : entity.names, '');
  const { total, missing, duplicates, mismatches } = found;
  const failed = missing.length + duplicates.length;
  const schemaValidation = {
    passed: Math.max(0, total - failed),
    failed,
    total,
    ...(missing.length > 0 && { failedFields: missing }),
    ...(duplicates.length > 0 && { duplicateFields: duplicates }),
    ...(mismatches.length > 0 && { typeMismatchFields: mismatches }),
  };
  return { schemaValidation, mismatches: mismatches.length };
};
