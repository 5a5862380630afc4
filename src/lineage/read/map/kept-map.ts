import type { Engine } from '../../../catalog/engine.ts';
import type { Answer, Call } from '../../../http/route.ts';
import type { Endpoint } from '../../endpoints.ts';
import type { LineageNode } from '../../queries.ts';
import { lineageAnswer } from '../entity-lineage.ts';
import { canKeepLineage, encodedLineage, type KeptLineage } from '../kept-lineage.ts';
import type { RenderedMap } from './build-map.ts';
import { passesChecks } from './map-checks.ts';
import type { MapQuery, MapRoom } from './map-query.ts';

/**
 * Keeps maps as callers who see every record get them. A map is current while the lineage revisions of all records are as
 * they were that its walk reached or that its documents mention, and while it passes the checks of `map-checks.ts`.
 */

/** The dependencies of map operations whose answers are kept. */
export type KeptMapRoom = MapRoom & { readonly kept: KeptLineage };

/** What a map was made from. */
export type MapOrigin = Pick<RenderedMap, 'checks' | 'mentioned'> & {
  readonly walked: ReadonlyMap<string, LineageNode>;
};

/** A filter looks at documents that the map does not contain. */
const isKeepable = ({ engine }: MapRoom, { principal, query }: Call, { kind }: Endpoint): boolean =>
  !query.get('query_filter') && canKeepLineage(engine, principal, kind);

const mapKey = ({ query, params, hrefBase = '' }: Call, { id }: Endpoint, path: string): string =>
  JSON.stringify([path, id, Object.values(params), [...query].sort(), hrefBase]);

/** Answers a question about a record, from the graph or as it was kept. */
export const answerMap = async (
  room: KeptMapRoom,
  call: Call,
  root: Endpoint,
  { path, ask }: { readonly path: string; readonly ask: MapQuery },
): Promise<Answer> => {
  const key = isKeepable(room, call, root) ? mapKey(call, root, path) : undefined;
  const known = key === undefined ? undefined : await room.kept.find(key);
  if (known) return encodedLineage(known);
  const { origin, ...result } = await ask(call, root);
  if (key === undefined || !origin?.mentioned || result.truncated) return lineageAnswer(result);
  const { walked, mentioned, checks } = origin;
  const records = new Map<string, number | undefined>([...mentioned].map((id) => [id, undefined]));
  for (const [id, { lineageRevision }] of walked) records.set(id, lineageRevision);
  const content = Buffer.from(JSON.stringify(result.json));
  const answer = { content, isUnchanged: (engine: Engine) => passesChecks(engine, checks) };
  await room.kept.keep(key, root.id, records, answer);
  return encodedLineage(answer);
};
