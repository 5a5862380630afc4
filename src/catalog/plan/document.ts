import type { WriteRow } from '../../graph/commit.ts';
import { encodeProperty } from '../../graph/property.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { storedOf } from '../../search/index/stored.ts';

/** What a record is found by, as its node is written. */
export const documentRow = (kind: Kind, document: JsonObject): WriteRow => {
  const stored = storedOf(kind, document);
  const properties = Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, encodeProperty(value)]));
  return { id: stored['id'], properties };
};
