import { recordNotFound } from '../errors.ts';
import { type JsonObject, memberAt } from '../model/json.ts';
import { suggestColumn } from '../model/nearest.ts';
import { rowsOf } from './assets.ts';
import type { AssetState } from './propose-change.ts';

/** Finds the part of an asset that a change concerns: the asset itself, or one of its columns or fields. */

/** The object to change, and its JSON pointer in the record. */
type AssetPart = { readonly pointer: string; readonly value: JsonObject; readonly name: string | undefined };

/** Where the kinds of assets have their columns or fields. */
const SECTIONS = [
  ['columns'],
  ['dataModel', 'columns'],
  ['messageSchema', 'schemaFields'],
  ['responseSchema', 'schemaFields'],
  ['requestSchema', 'schemaFields'],
  ['fields'],
  ['mlFeatures'],
  ['tasks'],
] as const;

const plain = (name: string): string => name.replaceAll('"', '').toLowerCase();

type Found = { readonly pointer: string; readonly value: JsonObject };

const findIn = (
  rows: readonly JsonObject[],
  base: string,
  isWanted: (row: JsonObject) => boolean,
): Found | undefined => {
  for (const [position, value] of rows.entries()) {
    const pointer = `${base}/${position}`;
    if (isWanted(value)) return { pointer, value };
    const below = findIn(rowsOf(value['children']), `${pointer}/children`, isWanted);
    if (below) return below;
  }
  return undefined;
};

const flatten = (rows: readonly JsonObject[]): readonly JsonObject[] =>
  rows.flatMap((row) => [row, ...flatten(rowsOf(row['children']))]);

/** Lists the columns or fields of an asset, parents before children. */
export const listParts = (record: JsonObject): readonly JsonObject[] =>
  SECTIONS.flatMap((section) => {
    const rows = memberAt(record, ...section);
    return Array.isArray(rows) ? flatten(rows as JsonObject[]) : [];
  });

/** Finds the asset itself, or its column by a name that is relative to it or full. Throws not_found. */
export const findPart = (
  { asset, record }: Pick<AssetState, 'asset' | 'record'>,
  column: string | undefined,
): AssetPart => {
  if (column === undefined) return { pointer: '', value: record, name: undefined };
  const names = [plain(column), plain(`${asset.fqn}.${column}`)];
  const isWanted = (row: JsonObject) => names.includes(plain(String(row['fullyQualifiedName'] ?? '')));
  for (const section of SECTIONS) {
    const rows = memberAt(record, ...section);
    const found = Array.isArray(rows) ? findIn(rows as JsonObject[], `/${section.join('/')}`, isWanted) : undefined;
    if (found) return { ...found, name: String(found.value['fullyQualifiedName']) };
  }
  const known = listParts(record).map(({ fullyQualifiedName }) =>
    String(fullyQualifiedName).slice(asset.fqn.length + 1),
  );
  throw recordNotFound('column', `${asset.fqn}.${column}`, suggestColumn(asset.fqn, column, known));
};
