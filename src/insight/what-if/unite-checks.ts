import { groupBy } from '../../model/group-by.ts';
import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';

/** Puts the answers of contract checks of several assets together, as if one check had been asked about all of them. */

const valueAt = (value: Json, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, name) => (at !== undefined && isObject(at) ? member(at, name) : undefined), value);

const textAt = (value: Json, ...path: readonly string[]): string => String(valueAt(value, path) ?? '');

/** The objects of a list inside an answer. */
export const rowsAt = (value: Json, ...path: readonly string[]): readonly JsonObject[] => {
  const found = valueAt(value, path);
  return found !== undefined && isArray(found) ? found.filter(isObject) : [];
};

const idOf = (row: JsonObject): string => textAt(row, 'id');

const firstOfEach = (rows: readonly JsonObject[], keyOf: (row: JsonObject) => string): readonly JsonObject[] =>
  [...groupBy(rows, keyOf).values()].flatMap((same) => same.slice(0, 1));

const byName = (a: JsonObject, b: JsonObject): number =>
  textAt(a, 'fullyQualifiedName') < textAt(b, 'fullyQualifiedName') ? -1 : 1;

const uniteRefs = (refs: readonly JsonObject[]): readonly JsonObject[] => [...firstOfEach(refs, idOf)].sort(byName);

const uniteTexts = (lists: readonly (Json | undefined)[]): readonly Json[] => [
  ...new Set(lists.flatMap((list) => (list !== undefined && isArray(list) ? list : []))),
];

const isBroken = (row: JsonObject): boolean =>
  rowsAt(row, 'contracts').some(({ broken }) => uniteTexts([broken]).length > 0);

const worstFirst = (a: JsonObject, b: JsonObject): number =>
  Number(b['certainty'] === 'certain') - Number(a['certainty'] === 'certain') ||
  Number(isBroken(b)) - Number(isBroken(a)) ||
  Number(a['depth']) - Number(b['depth']) ||
  (textAt(a, 'entity', 'fullyQualifiedName') < textAt(b, 'entity', 'fullyQualifiedName') ? -1 : 1);

const uniteContracts = (rows: readonly JsonObject[]): readonly JsonObject[] =>
  [...groupBy(rows, idOf).values()].map((same) => ({
    ...same[0],
    broken: uniteTexts(same.map(({ broken }) => broken)),
  }));

/** What several checks say of one asset: as it is affected worst, with all that is affected of it. */
const uniteAsset = (rows: readonly JsonObject[]): JsonObject => {
  const [worst = {}] = [...rows].sort(worstFirst);
  return {
    ...worst,
    columns: [...uniteTexts(rows.map(({ columns }) => columns))].sort(),
    contracts: uniteContracts(rows.flatMap((row) => rowsAt(row, 'contracts'))),
    tests: uniteRefs(rows.flatMap((row) => rowsAt(row, 'tests'))),
  };
};

/** The maximum number of breaks in one answer. */
const MAX_BREAKS = 10_000;

/** Puts the answers together; `breaks` are those of all checks. At most `most` assets are named. */
export const uniteChecks = (
  checks: readonly JsonObject[],
  breaks: readonly JsonObject[],
  most: number,
): { readonly json: JsonObject; readonly isCut: boolean } => {
  const nearest = [...breaks].sort((a, b) => Number(a['depth']) - Number(b['depth']));
  const clauses = firstOfEach(nearest, (row) =>
    [textAt(row, 'contract', 'id'), textAt(row, 'entity', 'id'), textAt(row, 'clause')].join(' '),
  );
  const rows = checks.flatMap((check) => rowsAt(check, 'affected', 'assets'));
  const byAsset = [...groupBy(rows, (row) => textAt(row, 'entity', 'id')).values()];
  const assets = byAsset.map((same) => (same.length === 1 ? (same[0] ?? {}) : uniteAsset(same))).sort(worstFirst);
  const json = {
    verdict: clauses.length > 0 ? 'breaks' : 'ok',
    changes: checks.flatMap((check) => rowsAt(check, 'changes')),
    breaks: clauses.slice(0, MAX_BREAKS),
    affected: {
      entities: assets.length,
      owners: uniteRefs(checks.flatMap((check) => rowsAt(check, 'affected', 'owners'))),
      tests: uniteRefs(checks.flatMap((check) => rowsAt(check, 'affected', 'tests'))),
      assets: assets.slice(0, most),
    },
  };
  return { json, isCut: clauses.length > MAX_BREAKS || assets.length > most };
};
