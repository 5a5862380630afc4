import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { parseQueryFlag } from '../../catalog/read/answer.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../../catalog/read/facts.ts';
import { badRequest } from '../../errors.ts';
import { readMoment } from '../../http/query-parameters.ts';
import type { Call } from '../../http/route.ts';
import type { Endpoint } from '../../lineage/endpoints.ts';
import { findGraphRoot, readListParameter } from '../../lineage/read/graph/graph-parameters.ts';
import { CHANGE_KINDS, type ChangeKind } from '../../model/schemas/insight/changes.ts';
import { requireScope } from '../scope.ts';
import type { CHANGE_ORDERS } from './catalog-change.ts';
import type { ChangeWindow } from './edge-changes.ts';

/** Reads the parameters of a list of changes. */

/** Where changes are looked for: in one asset with its contracts and tests, or in everything at or below a full name. */
export type ChangeScope = { readonly asset: Endpoint } | { readonly fqn: string };

export type ChangeFilter = {
  /** The kinds of change to list; all when there are none. */
  readonly kinds: readonly ChangeKind[];
  readonly breaking: boolean | undefined;
};

export type ChangeOrder = keyof typeof CHANGE_ORDERS;

const DEFAULT_SPAN_MS = 7 * 24 * 60 * 60 * 1000;

/** Reads the time window: the last seven days by default, or those before its end. */
export const readChangeWindow = ({ query }: Pick<Call, 'query'>, now: number): ChangeWindow => {
  const to = readMoment(query, 'to') ?? now;
  const from = readMoment(query, 'from') ?? Math.max(0, to - DEFAULT_SPAN_MS);
  if (from > to) throw badRequest('[from must not be after to]');
  return { from, to };
};

const isChangeKind = (text: string): text is ChangeKind => CHANGE_KINDS.some((kind) => kind === text);

const readKinds = (call: Call): readonly ChangeKind[] =>
  readListParameter(call, 'kinds').map((text) => {
    if (!isChangeKind(text)) throw badRequest(`[kinds must be some of ${CHANGE_KINDS.join(', ')}]`);
    return text;
  });

export const readChangeFilter = (call: Call): ChangeFilter => ({
  kinds: readKinds(call),
  breaking: call.query.get('breaking') ? parseQueryFlag(call, 'breaking') : undefined,
});

export const readChangeOrder = ({ query }: Call): ChangeOrder => (query.get('sort') === 'time' ? 'time' : 'severity');

/** Finds the scope of a request. Deleted assets can be asked for, because their deletion is a change. */
export const findChangedScope = async (engine: Engine, principal: Principal, call: Call): Promise<ChangeScope> => {
  const { query } = call;
  const scope = query.get('scope') ?? '';
  const namesAsset = ['id', 'type', 'fqn'].some((name) => query.get(name));
  if (!namesAsset) return { fqn: (await requireScope(engine, principal, scope, true)).fqn };
  if (scope !== '') throw badRequest('[scope must not be given beside id, or type and fqn]');
  const asset = await findGraphRoot(engine, call, true);
  await authorizeRecord(engine, principal, VIEW_OPERATIONS, asset);
  return { asset };
};
