import type { Graph } from '../../graph/client.ts';
import type { Kind } from '../../model/kind.ts';
import type { Typesense } from './client.ts';
import { listRevisions } from './queries.ts';

/** What a collection has otherwise than the graph. */
export type Difference = {
  readonly documents: number;
  /** Not in the collection, of an older revision there, and there although the record is gone. */
  readonly missing: readonly string[];
  readonly outdated: readonly string[];
  readonly extra: readonly string[];
};

const PAGE = 5000;

/** Compares all ids and revisions of a kind. */
export const compare = async (
  graph: Graph,
  typesense: Typesense,
  kind: Kind,
  collection: string,
): Promise<Difference> => {
  const sent = new Map(await typesense.revisions(collection));
  const [missing, outdated]: [string[], string[]] = [[], []];
  let documents = 0;
  const { entityType } = kind;
  for (let after = ''; ; ) {
    const rows = await graph.read(listRevisions, { after, entityType, limit: PAGE });
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

export const differs = ({ missing, outdated, extra }: Difference): boolean =>
  missing.length + outdated.length + extra.length > 0;
