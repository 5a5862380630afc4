import { isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import type { StoredAttribute } from '../../model/kind/attribute.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { validate } from '../../model/validate.ts';
import type { CellContext } from '../cells/cell-context.ts';
import { buildTargetRecord } from '../cells/record-cells.ts';
import { applyRowsToColumns, type ColumnRow } from '../column-tree.ts';
import type { CsvRowReader } from '../row-reader.ts';
import { PROCEDURE_TYPE_NAME, TABLE_TYPE_NAME } from './levels.ts';
import { targetField } from './row-target.ts';
import { type RowEntry, rowFailedReason, type UnitAttempt } from './row-unit.ts';

/** Builds the document that rows describe. */

const CODE_MEMBER = 'storedProcedureCode';
const CODE_MEMBERS = ['code', 'language'] as const;

const codeField = (name: string): string => `storedProcedure.${name}`;

/** Applies the code fields of a stored procedure's row; other types have none. */
const applyProcedureCode = async (kind: Kind, row: CsvRowReader, document: JsonObject): Promise<JsonObject> => {
  if (kind.entityType !== PROCEDURE_TYPE_NAME || !row.has(codeField('code'))) return document;
  const { schema } = kind.members[CODE_MEMBER] as StoredAttribute;
  const present = member(document, CODE_MEMBER);
  const code: Record<string, Json> = isObject(present) ? { ...present } : {};
  for (const name of CODE_MEMBERS) {
    const text = row.cell(codeField(name));
    if (text === String(code[name] ?? '')) continue;
    if (text === '') delete code[name];
    else {
      await row.read(codeField(name), (cell) => validate(schema, { [name]: cell }, CODE_MEMBER));
      code[name] = text;
    }
  }
  return { ...document, [CODE_MEMBER]: code };
};

/** Refuses cells for members that records of this type do not have. */
const refuseUnsupportedCells = (kind: Kind, row: CsvRowReader): void => {
  const unsupported = [
    ...(kind.entityType === PROCEDURE_TYPE_NAME ? [] : CODE_MEMBERS.map(codeField)),
    ...['dataTypeDisplay', 'dataType', 'arrayDataType', 'dataLength'].map((name) => `column.${name}`),
  ];
  for (const name of unsupported) if (row.cell(name) !== '') row.fail(name, `a ${kind.entityType} has no ${name}`);
};

const buildRecordDocument = async (
  context: CellContext,
  kind: Kind,
  row: CsvRowReader,
  present: JsonObject,
): Promise<JsonObject> => {
  refuseUnsupportedCells(kind, row);
  const target = await applyProcedureCode(kind, row, await buildTargetRecord(context, kind, row, present));
  return kind.entityType === TABLE_TYPE_NAME ? { ...target, columns: target['columns'] ?? [] } : target;
};

type ColumnRowEntry = ColumnRow & { readonly entry: RowEntry };

const applyColumnEntries = async (
  context: CellContext,
  attempt: UnitAttempt,
  document: JsonObject,
): Promise<JsonObject> => {
  const rows = attempt.unit.columns.flatMap((entry): ColumnRowEntry[] => {
    const row = attempt.readers.get(entry);
    return row ? [{ path: entry.target.path ?? [], row, nameField: targetField(row), entry }] : [];
  });
  if (rows.length === 0) return document;
  const { columns, added } = await applyRowsToColumns(
    context,
    (document['columns'] ?? []) as readonly JsonObject[],
    rows,
  );
  for (const one of rows) if (added.has(one)) attempt.fresh.add(one.entry);
  return { ...document, columns };
};

/**
 * Builds the document that the rows of an attempt describe, from the present document, or `{}` for a new record. A
 * row with faults changes nothing; rows about columns have no effect when the row about their table has faults.
 */
export const buildTargetDocument = async (
  context: CellContext,
  kind: Kind,
  attempt: UnitAttempt,
  present: JsonObject,
): Promise<JsonObject> => {
  const { unit, readers } = attempt;
  const row = unit.record && readers.get(unit.record);
  const target = row ? await buildRecordDocument(context, kind, row, present) : present;
  if (!row || row.faults.length === 0) return applyColumnEntries(context, attempt, target);
  for (const entry of unit.columns) {
    const column = readers.get(entry);
    column?.fail(targetField(column), rowFailedReason(unit));
  }
  return present;
};
