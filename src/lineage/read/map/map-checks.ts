import { isDeepStrictEqual } from 'node:util';
import { SYSTEM_PRINCIPAL } from '../../../access/service-identity.ts';
import type { Engine } from '../../../catalog/engine.ts';
import type { RefNode } from '../../../catalog/queries.ts';
import { readDocuments } from '../../../catalog/read/documents.ts';
import { readDocumentCounts } from '../../../catalog/read/kept-documents.ts';
import { requireKind } from '../../../catalog/registry.ts';
import type { JsonObject } from '../../../model/json.ts';
import { countVisibleNeighbours } from './neighbour-counts.ts';

/** What in a map changes without the revision of a record, and so is read again before the map is taken as it was kept. */

/** A node with its numbers of neighbours, and those in its document. */
export type CountedNode = Pick<RefNode, 'id' | 'entityType'> & { readonly counts: readonly number[] };

export type MapChecks = {
  readonly counted: readonly CountedNode[];
  readonly includeDeleted: boolean;
  /** The documents of records to which others refer by relations of their own, by ID. */
  readonly documents: ReadonlyMap<string, JsonObject>;
  readonly hrefBase: string | undefined;
};

const areCountsSame = async (engine: Engine, { counted, includeDeleted }: MapChecks): Promise<boolean> => {
  const ids = counted.map(({ id }) => id);
  const [neighbours, inDocuments] = await Promise.all([
    countVisibleNeighbours(engine, { principal: SYSTEM_PRINCIPAL }, ids, includeDeleted),
    Promise.all(
      counted.map(({ id, entityType }) =>
        readDocumentCounts(engine.store, requireKind(engine.registry, entityType), id),
      ),
    ),
  ]);
  return counted.every(({ id, counts }, at) => {
    const { upstream = 0, downstream = 0 } = neighbours.get(id) ?? {};
    return isDeepStrictEqual(counts, [upstream, downstream, ...(inDocuments[at] ?? [])]);
  });
};

const areDocumentsSame = async (engine: Engine, { documents, hrefBase }: MapChecks): Promise<boolean> => {
  if (documents.size === 0) return true;
  return isDeepStrictEqual(await readDocuments(engine, [...documents.keys()], { hrefBase }), documents);
};

/** Whether all of that is as it is in a map for callers who see every record. */
export const passesChecks = async (engine: Engine, checks: MapChecks): Promise<boolean> => {
  const [sameCounts, sameDocuments] = await Promise.all([
    areCountsSame(engine, checks),
    areDocumentsSame(engine, checks),
  ]);
  return sameCounts && sameDocuments;
};
