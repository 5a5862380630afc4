import type { StoredAttribute } from '../../model/attribute.ts';
import { isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { check } from '../../model/validate.ts';
import type { CellDesk } from '../cells/desk.ts';
import { wantedRecord } from '../cells/record.ts';
import { type ColumnRow, withColumnRows } from '../columns.ts';
import type { RowReader } from '../row.ts';
import { PROCEDURE, TABLE } from './levels.ts';
import { placeField } from './place.ts';
import { type Attempt, type Entry, rowFailed } from './unit.ts';

/** The document that rows want of a record. */

const CODE = 'storedProcedureCode';
const CODE_MEMBERS = ['code', 'language'] as const;

const cellOf = (name: string): string => `storedProcedure.${name}`;

/** What a row says of the text of a stored procedure; other rows say nothing of it. */
const withCode = async (kind: Kind, row: RowReader, document: JsonObject): Promise<JsonObject> => {
  if (kind.entityType !== PROCEDURE || !row.has(cellOf('code'))) return document;
  const { schema } = kind.members[CODE] as StoredAttribute;
  const present = member(document, CODE);
  const code: Record<string, Json> = isObject(present) ? { ...present } : {};
  for (const name of CODE_MEMBERS) {
    const text = row.cell(cellOf(name));
    if (text === String(code[name] ?? '')) continue;
    if (text === '') delete code[name];
    else {
      await row.read(cellOf(name), (cell) => check(schema, { [name]: cell }, CODE));
      code[name] = text;
    }
  }
  return { ...document, [CODE]: code };
};

/** Cells of a row that say something of records of other types. */
const refuseStrange = (kind: Kind, row: RowReader): void => {
  const strange = [
    ...(kind.entityType === PROCEDURE ? [] : CODE_MEMBERS.map(cellOf)),
    ...['dataTypeDisplay', 'dataType', 'arrayDataType', 'dataLength'].map((name) => `column.${name}`),
  ];
  for (const name of strange) if (row.cell(name) !== '') row.fail(name, `a ${kind.entityType} has nothing of that`);
};

const asRecord = async (desk: CellDesk, kind: Kind, row: RowReader, present: JsonObject): Promise<JsonObject> => {
  refuseStrange(kind, row);
  const wanted = await withCode(kind, row, await wantedRecord(desk, kind, row, present));
  return kind.entityType === TABLE ? { ...wanted, columns: wanted['columns'] ?? [] } : wanted;
};

type ColumnEntry = ColumnRow & { readonly entry: Entry };

const withColumns = async (desk: CellDesk, attempt: Attempt, document: JsonObject): Promise<JsonObject> => {
  const rows = attempt.unit.columns.flatMap((entry): ColumnEntry[] => {
    const row = attempt.readers.get(entry);
    return row ? [{ path: entry.place.path ?? [], row, nameField: placeField(row), entry }] : [];
  });
  if (rows.length === 0) return document;
  const { columns, added } = await withColumnRows(desk, (document['columns'] ?? []) as readonly JsonObject[], rows);
  for (const one of rows) if (added.has(one)) attempt.fresh.add(one.entry);
  return { ...document, columns };
};

/**
 * What the rows of an attempt want of a record that has this document; `{}` is that of a new one. What is wrong with a row
 * is told there, and then it changes nothing; a row about a column has no effect where the one about its table is wrong.
 */
export const wantedDocument = async (
  desk: CellDesk,
  kind: Kind,
  attempt: Attempt,
  present: JsonObject,
): Promise<JsonObject> => {
  const { unit, readers } = attempt;
  const row = unit.record && readers.get(unit.record);
  const wanted = row ? await asRecord(desk, kind, row, present) : present;
  if (!row || row.faults.length === 0) return withColumns(desk, attempt, wanted);
  for (const entry of unit.columns) {
    const column = readers.get(entry);
    column?.fail(placeField(column), rowFailed(unit));
  }
  return present;
};
