import type { Graph } from '../../graph/client.ts';
import type { Kind } from '../../model/kind/kind.ts';
import type { TypesenseClient } from './client.ts';
import { listDocumentRevisions } from './queries.ts';

/** The differences between a collection and the graph. */
export type CollectionDifference = {
  readonly documents: number;
  /** Ids that the collection lacks, holds at an older revision, or holds although the record is gone. */
  readonly missing: readonly string[];
  readonly outdated: readonly string[];
  readonly extra: readonly string[];
};

const PAGE = 5000;

/** Compares all ids and revisions of a kind. */
export const compareCollection = async (
  graph: Graph,
  typesense: TypesenseClient,
  kind: Kind,
  collection: string,
): Promise<CollectionDifference> => {
  const sent = new Map(await typesense.revisions(collection));
  const [missing, outdated]: [string[], string[]] = [[], []];
  let documents = 0;
  const { entityType } = kind;
  for (let after = ''; ; ) {
    const rows = await graph.read(listDocumentRevisions, { after, entityType, limit: PAGE });
    for (const { id, revision } of rows) {
      const known = sent.get(id);
      if (known === undefined) missing.push(id);
      else if (known < revision) outdated.push(id);
      sent.delete(id);
    }
    documents += rows.length;
    if (rows.length < PAGE) break;
    after = rows.at(-1)?.id ?? after;
  }
  return { documents, missing, outdated, extra: [...sent.keys()] };
};

export const hasDifferences = ({ missing, outdated, extra }: CollectionDifference): boolean =>
  missing.length + outdated.length + extra.length > 0;
