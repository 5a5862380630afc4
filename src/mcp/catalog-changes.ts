import * as v from 'valibot';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { rowsOf } from './assets.ts';
import type { CatalogApi } from './catalog-api.ts';

/** Reads what changed in a time, page by page, and tells each change in few words. */

/** The service reads everything anew for each page, so that few large ones are soonest read. */
const PAGE = 1000;
const MAX_PAGES = 5;

export type ChangeQuestion = {
  /** The full name of an asset; the whole catalog without one. */
  readonly scope: string | undefined;
  readonly from: number;
  readonly to: number;
  readonly isWanted: (type: string, fqn: string) => boolean;
};

export type CollectedChanges = {
  readonly rows: readonly JsonObject[];
  readonly breaking: number;
  /** Whether there is more than was read. */
  readonly isCut: boolean;
};

const MAX_VALUE = 120;

const shorten = (text: string): string => {
  const rest = text.length - MAX_VALUE;
  return rest > 0 ? `${text.slice(0, MAX_VALUE)}… (${rest} more characters)` : text;
};

/** The members by which values of changes are told, the first that is there. */
const TELLING = ['tagFQN', 'fullyQualifiedName', 'name', 'dataTypeDisplay', 'dataType', 'status'] as const;

const isEdge = (value: JsonObject): boolean => isObject(value['fromEntity']) && isObject(value['toEntity']);

const tellValue = (value: Json): string => {
  if (!isObject(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  if (isEdge(value)) return `${tellValue(value['fromEntity'] ?? null)} → ${tellValue(value['toEntity'] ?? null)}`;
  const telling = TELLING.map((name) => value[name]).find((text) => typeof text === 'string');
  return typeof telling === 'string' ? telling : JSON.stringify(value);
};

const tellSide = (name: 'before' | 'after', value: Json | undefined): JsonObject =>
  value === undefined || value === null ? {} : { [name]: shorten(tellValue(value)) };

export const changeRow = v.strictObject({
  at: v.string(),
  change: v.string(),
  breaking: v.optional(v.boolean()),
  type: v.string(),
  fqn: v.string(),
  column: v.optional(v.string()),
  by: v.optional(v.string()),
  before: v.optional(v.string()),
  after: v.optional(v.string()),
});

const tellChange = (row: JsonObject): JsonObject => {
  const [entity, column] = [row['entity'] as JsonObject, row['column'] as JsonObject | undefined];
  return {
    at: new Date(Number(row['at'])).toISOString(),
    change: row['change'] ?? '',
    ...(row['breaking'] === true ? { breaking: true } : {}),
    type: entity['type'] ?? '',
    fqn: entity['fullyQualifiedName'] ?? '',
    ...(column === undefined ? {} : { column: column['name'] ?? '' }),
    ...(typeof row['by'] === 'string' ? { by: row['by'] } : {}),
    ...tellSide('before', row['before']),
    ...tellSide('after', row['after']),
  };
};

/** Reads changes, breaking ones first and then the newest. Stops after a fixed number of pages and says so. */
export const collectChanges = async (
  api: CatalogApi,
  { scope, from, to, isWanted }: ChangeQuestion,
): Promise<CollectedChanges> => {
  const rows: JsonObject[] = [];
  let after: string | undefined;
  let isTruncated = false;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await api.readJson({ path: 'changes', query: { scope, from, to, limit: PAGE, after } });
    for (const row of rowsOf(answer['data']).map(tellChange))
      if (isWanted(String(row['type']), String(row['fqn']))) rows.push(row);
    const paging = answer['paging'] as JsonObject;
    isTruncated = paging['truncated'] === true;
    after = paging['after'] as string | undefined;
    if (after === undefined) break;
  }
  const breaking = rows.filter((row) => row['breaking'] === true).length;
  return { rows, breaking, isCut: isTruncated || after !== undefined };
};
