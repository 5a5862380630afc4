import { isArray, isObject, type Json, type JsonObject } from '../../../model/json.ts';
import type { AssetGrouping } from './answer-fit.ts';

/** Groups the assets of an answer as the caller sees them. */

type AssetGroup = { readonly key: string | null; readonly count: number; readonly ids: readonly string[] };

const fullNamesOf = (value: Json | undefined): readonly string[] => {
  const references = isArray(value) ? value : [value];
  return references.flatMap((one) =>
    isObject(one) && typeof one['fullyQualifiedName'] === 'string' ? one['fullyQualifiedName'] : [],
  );
};

const MEMBER_OF = { owner: 'owners', service: 'service', domain: 'domains' } as const;

const listGroupKeys = (grouping: AssetGrouping, asset: JsonObject): readonly (string | null)[] => {
  if (grouping === 'type') return [String(asset['type'])];
  // The answer tells nothing of a hidden asset but its type, so it is not one that has no owner either.
  if (asset['hidden'] === true) return [];
  const keys = fullNamesOf(asset[MEMBER_OF[grouping]]);
  return keys.length === 0 ? [null] : keys;
};

const compareKeys = (one: string | null, other: string | null): number => {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  return one < other ? -1 : 1;
};

/** Collects assets into groups, each asset once. */
export const createAssetGroups = (grouping: AssetGrouping) => {
  const groups = new Map<string | null, Set<string>>();
  return {
    add: (asset: JsonObject): void => {
      for (const key of listGroupKeys(grouping, asset)) {
        const ids = groups.get(key) ?? new Set();
        groups.set(key, ids.add(String(asset['id'])));
      }
    },
    /** The largest groups first, and the one of the assets without last among those as large. */
    list: (): readonly AssetGroup[] =>
      [...groups]
        .map(([key, ids]) => ({ key, count: ids.size, ids: [...ids] }))
        .sort((a, b) => b.count - a.count || compareKeys(a.key, b.key)),
  };
};
