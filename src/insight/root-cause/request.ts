import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../../catalog/read/facts.ts';
import { badRequest, recordNotFound } from '../../errors.ts';
import { textParameter } from '../../http/query-parameters.ts';
import type { Call, QueryParameter } from '../../http/route.ts';
import { type Endpoint, toEndpoint } from '../../lineage/endpoints.ts';
import { findGraphRoot, GRAPH_ROOT_PARAMETERS } from '../../lineage/read/graph/graph-parameters.ts';
import { findLineageColumn } from '../../lineage/read/graph/path-endpoints.ts';
import type { LineageColumnRow } from '../../lineage/read/graph/queries.ts';
import { findTestedAsset } from './queries.ts';

/** Reads what a request asks the cause of. */

/** What looks wrong: a test, a contract or an asset, and the asset with its column that it comes down to. */
export type WrongSubject = {
  readonly named: Endpoint;
  readonly asset: Endpoint;
  readonly column: LineageColumnRow | undefined;
};

const DAY_MS = 24 * 60 * 60 * 1000;

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: DAY_MS / 24, d: DAY_MS, w: 7 * DAY_MS };

const DEFAULT_WINDOW = '14d';
const MAX_WINDOW_DAYS = 400;

export const ROOT_CAUSE_PARAMETERS: readonly QueryParameter[] = [
  ...GRAPH_ROOT_PARAMETERS.map((parameter) => ({
    ...parameter,
    description: parameter.description.replace('the asset', 'the asset, test case or data contract'),
  })),
  textParameter(
    'column',
    'Name of a column of the asset, relative to it or fully qualified: only what leads there counts',
  ),
  {
    name: 'window',
    description: `How long before the first failure to look for changes: a number with m, h, d or w, at most ${MAX_WINDOW_DAYS}d`,
    schema: { type: 'string', default: DEFAULT_WINDOW },
  },
];

/** Reads a length of time such as 14d. */
export const readWindow = ({ query }: Pick<Call, 'query'>): number => {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(query.get('window') || DEFAULT_WINDOW) ?? [];
  const length = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  if (length > 0 && length <= MAX_WINDOW_DAYS * DAY_MS) return length;
  throw badRequest(`[window must be a length of time such as 12h or 14d, at most ${MAX_WINDOW_DAYS}d]`);
};

const PART_TYPES: ReadonlySet<string> = new Set(['testCase', 'dataContract']);

/** Finds what an asset, a test or a contract is about. Throws forbidden when the caller may not see all of it. */
export const findWrongSubject = async (engine: Engine, principal: Principal, call: Call): Promise<WrongSubject> => {
  const named = await findGraphRoot(engine, call);
  await authorizeRecord(engine, principal, VIEW_OPERATIONS, named);
  const asset = PART_TYPES.has(named.kind.entityType) ? await findAssetOf(engine, principal, named) : named;
  const column = call.query.get('column');
  return { named, asset, column: column ? await findLineageColumn(engine, asset, column) : undefined };
};

const findAssetOf = async (engine: Engine, principal: Principal, part: Endpoint): Promise<Endpoint> => {
  const [found] = await engine.graph.read(findTestedAsset, { id: part.id });
  if (!found) throw recordNotFound('entity', part.fullyQualifiedName);
  const asset = toEndpoint(engine, found.asset);
  await authorizeRecord(engine, principal, VIEW_OPERATIONS, asset);
  return asset;
};
