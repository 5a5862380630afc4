import type { WriteRow } from '../../graph/commit.ts';
import { encodeProperty } from '../../graph/property.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { storedInSteps, storedOf } from '../../search/index/stored.ts';

const rowOf = (stored: ReturnType<typeof storedOf>): WriteRow => {
  const properties = Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, encodeProperty(value)]));
  return { id: stored['id'], properties };
};

/** What a record is found by, as its node is written. */
export const documentRow = (kind: Kind, document: JsonObject): WriteRow => rowOf(storedOf(kind, document));

/** The same without holding the event loop. */
export const documentRowInSteps = async (kind: Kind, document: JsonObject): Promise<WriteRow> =>
  rowOf(await storedInSteps(kind, document));
