import type { Engine } from '../catalog/engine.ts';
import { nameAddress } from '../catalog/read/answer.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import { badRequest, recordNotFound } from '../errors.ts';
import { countingParameter } from '../http/query-parameters.ts';
import type { Call, QueryParameter } from '../http/route.ts';
import type { JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import type { RunSpan } from './queries.ts';

/** What requests about runs have in common: the pipeline that the path names, and the time range of the query. */

/** Finds the record that a path names, for a caller with the operations. */
export const findRequestedPipeline = async (
  engine: Engine,
  call: Call,
  entityType: 'pipeline' | 'ingestionPipeline',
  operations: (kind: Kind) => readonly string[],
): Promise<Snapshot> => {
  const kind = requireKind(engine.registry, entityType);
  const address = nameAddress(kind, call.params['fqn'] ?? '');
  const record = await engine.store.record(kind, address, writeFields(kind));
  if (!record || record.deleted) throw recordNotFound(kind.entityType, address.fqn);
  await authorizeRecord(engine, call.principal, operations(kind), record);
  return record;
};

const MAX_LIMIT = 1_000_000;

const parseMoment = (text: string | undefined | null, name: string, fallback: number): number => {
  if (!text) return fallback;
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`[${name} must be a time in milliseconds]`);
  return Number(text);
};

/** Reads the time range of a request, and how many runs it asks for. */
export const readRunRange = ({ query }: Pick<Call, 'query'>): Omit<RunSpan, 'id'> & { readonly limit: number } => {
  const limit = parseMoment(query.get('limit'), 'limit', MAX_LIMIT);
  if (limit < 1 || limit > MAX_LIMIT) throw badRequest(`[limit must be between 1 and ${MAX_LIMIT}]`);
  return {
    start: parseMoment(query.get('startTs'), 'startTs', 0),
    end: parseMoment(query.get('endTs'), 'endTs', Number.MAX_SAFE_INTEGER),
    limit,
  };
};

export const RUN_RANGE_PARAMETERS: readonly QueryParameter[] = [
  countingParameter('startTs', 'Start of the time range, in milliseconds since 1970'),
  countingParameter('endTs', 'End of the time range, in milliseconds since 1970'),
  countingParameter('limit', 'Number of statuses to return; all by default'),
];

/** Streams runs page by page as one list, so that no number of them fills the memory. */
export const streamRunList = async function* (
  pages: AsyncIterable<readonly JsonObject[]>,
  total: number,
  render: (runs: readonly JsonObject[]) => Promise<readonly JsonObject[]> | readonly JsonObject[],
): AsyncGenerator<string> {
  let opening = '{"data":[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    const runs = await render(page);
    yield `${opening}${runs.map((run) => JSON.stringify(run)).join(',')}`;
    opening = ',';
  }
  yield `${opening === ',' ? '' : opening}],"paging":{"total":${total}}}`;
};
