import type { Principal } from '../../access/principal.ts';
import { findScopeHint } from '../../catalog/read/name-hint.ts';
import { renderRef, type View } from '../../catalog/read/render.ts';
import { parseBulkRows } from '../../catalog/write/bulk.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { isFqnWithin, normaliseFqn } from '../../model/name.ts';
import { LineageScope } from '../../model/schemas/lineage/lineage.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import { isSameAsserter, isSameAssertionContent } from '../edge.ts';
import { permitLineageEdit } from '../endpoints.ts';
import { listSourceEdgesInScope, MAX_SCOPE_EDGES } from '../queries.ts';
import type { EdgeStore } from '../write/edge-store.ts';
import {
  type EdgeInput,
  prepareAssertion,
  type ResolvedEdge,
  refuseSelfLoop,
  resolveEdgeInput,
} from '../write/put-edge.ts';
import { upsertAssertions } from './edge-batches.ts';
import { parseEdgeRow, preloadReferences } from './edge-rows.ts';
import { type EndpointPair, endpointPairKey, findEndpointPairs, withdrawFromPairs } from './endpoint-pairs.ts';

/** All edges that a source asserts into a record and the records below it. */
type ScopeInput = {
  readonly source: string;
  readonly scopeFqn: string;
  readonly edges: readonly Json[];
  readonly dryRun?: boolean;
  readonly maxRemovals?: number;
};

/** The number of edges read concurrently. */
const CONCURRENT_EDGES = 1000;

/** A scope must be replaced in one request, so it may contain more edges than a bulk request. */
const BULK_FACTOR = 10;

const LENIENT_OPTIONS = { strictColumns: false };

const parseScopeRow = ({ source }: ScopeInput, row: Json): EdgeInput => {
  const input = parseEdgeRow(row);
  const { source: namedSource = source, ...details } = input.lineageDetails ?? {};
  if (namedSource !== source) throw badRequest(`The source of the edge must be ${source}, not ${namedSource}`);
  return { ...input, lineageDetails: { ...details, source } };
};

const resolveScopeRow = async (edges: EdgeStore, input: EdgeInput): Promise<ResolvedEdge> => {
  const found = await resolveEdgeInput(edges, input);
  refuseSelfLoop(found.from, found.to);
  return found;
};

/** Resolves the requested edges; the last entry for a pair of records wins. */
const resolveScopeRows = async (edges: EdgeStore, scope: ScopeInput): Promise<readonly ResolvedEdge[]> => {
  const inputs = scope.edges.map((row) => parseScopeRow(scope, row));
  const near = await preloadReferences(edges, inputs);
  const found = await Promise.all(inputs.map((one) => resolveScopeRow(near, one)));
  return [...new Map(found.map((one) => [endpointPairKey(one), one])).values()];
};

/** Refuses edges into other scopes. The caller may edit their endpoints, so the message may name them. */
const refuseOutside = async (
  { engine }: EdgeStore,
  principal: Principal,
  { scopeFqn }: ScopeInput,
  named: readonly ResolvedEdge[],
): Promise<void> => {
  const outside = named.find(({ to }) => !isFqnWithin(to.fullyQualifiedName, scopeFqn));
  if (!outside) return;
  const message = `${outside.to.fullyQualifiedName} is outside the scope ${scopeFqn}`;
  throw new CatalogError('bad_request', message, { hint: await findScopeHint(engine, principal, scopeFqn) });
};

/** Finds the edges in the scope that the source currently asserts. */
const findKnownEdges = async (
  { engine }: EdgeStore,
  { source, scopeFqn }: ScopeInput,
): Promise<readonly EndpointPair[]> => {
  const entityTypes = engine.registry.kinds.map(({ entityType }) => entityType);
  const params = { entityTypes, scope: scopeFqn, below: `${scopeFqn}.`, source, limit: MAX_SCOPE_EDGES + 1 };
  const ids = await engine.graph.read(listSourceEdgesInScope, params);
  if (ids.length > MAX_SCOPE_EDGES) throw badRequest(`[scopeFqn has more than ${MAX_SCOPE_EDGES} edges of ${source}]`);
  return findEndpointPairs(engine, ids);
};

/** A source that withdraws a larger share of its edges is more likely broken than right. */
const MAX_REMOVED_SHARE = 0.3;
const ALWAYS_REMOVABLE = 10;

const refuseMassRemoval = (removed: number, known: number, { scopeFqn, source, maxRemovals }: ScopeInput): void => {
  const most = maxRemovals ?? Math.max(ALWAYS_REMOVABLE, Math.floor(known * MAX_REMOVED_SHARE));
  if (removed <= most) return;
  throw new CatalogError(
    'conflict',
    `${removed} of the ${known} edges of ${source} in ${scopeFqn} would be removed, but at most ${most} may be removed`,
  );
};

type ScopeChange = 'added' | 'changed' | 'unchanged';

/** What became of an edge, and its columns that are unknown. */
type ScopeOutcome = { readonly change: ScopeChange; readonly unknown: readonly string[] };

const dryRunEdge = async (edges: EdgeStore, found: ResolvedEdge): Promise<ScopeOutcome> => {
  const { snapshot, assertion, unknown } = await prepareAssertion(edges, found, LENIENT_OPTIONS);
  if (!snapshot.state) return { change: 'added', unknown };
  const known = snapshot.state.assertions.find((one) => isSameAsserter(one, assertion));
  const isSame = known && isSameAssertionContent(known.content, assertion.content);
  return { change: isSame ? 'unchanged' : 'changed', unknown };
};

const CHANGE_BY_OUTCOME: Readonly<Record<string, ScopeChange>> = { entityLineageAdded: 'added', same: 'unchanged' };

const upsertNamed = async (
  edges: EdgeStore,
  principal: Principal,
  named: readonly ResolvedEdge[],
): Promise<ScopeOutcome[]> =>
  (await upsertAssertions(edges, principal, named, LENIENT_OPTIONS)).map((outcome) => {
    if ('failure' in outcome) throw outcome.failure;
    const { result, unknown } = outcome.value;
    return { change: CHANGE_BY_OUTCOME[result.outcome] ?? 'changed', unknown };
  });

const byNames = (a: EndpointPair, b: EndpointPair): number => {
  const name = ({ from, to }: EndpointPair) => `${to.fullyQualifiedName}\u0001${from.fullyQualifiedName}`;
  return name(a) < name(b) ? -1 : 1;
};

type ScopeReplacement = {
  readonly json: JsonObject;
  readonly unknown: readonly string[];
  /** What may help the caller. */
  readonly hint: string | undefined;
};

/**
 * Replaces the assertions of a source in a scope with the requested edges. Everything is validated before anything is
 * written.
 */
export const replaceScope = async (
  edges: EdgeStore,
  principal: Principal,
  body: unknown,
  view: View,
): Promise<ScopeReplacement> => {
  const input = validate(LineageScope, dropNulls(body as Json)) as unknown as ScopeInput;
  const scope = { ...input, scopeFqn: normaliseFqn(input.scopeFqn) };
  parseBulkRows(edges.engine, scope.edges, BULK_FACTOR * edges.engine.limits.bulkRows);
  const named = await resolveScopeRows(edges, scope);
  // What the source has stated so far is only looked up for whoever may state what the request does.
  await permitLineageEdit(
    edges.engine,
    principal,
    named.flatMap(({ from, to }) => [from, to]),
  );
  const known = await findKnownEdges(edges, scope);
  const namedPairs = new Set(named.map(endpointPairKey));
  const removed = known.filter((one) => !namedPairs.has(endpointPairKey(one))).sort(byNames);
  await permitLineageEdit(
    edges.engine,
    principal,
    removed.flatMap(({ from, to }) => [from, to]),
  );
  await refuseOutside(edges, principal, scope, named);
  refuseMassRemoval(removed.length, known.length, scope);
  const isDry = scope.dryRun ?? false;
  const changes = isDry
    ? await mapConcurrently(named, CONCURRENT_EDGES, (one) => dryRunEdge(edges, one))
    : await upsertNamed(edges, principal, named);
  if (!isDry) await withdrawFromPairs(edges, principal, removed, { source: scope.source });
  const count = (wanted: ScopeChange): number => changes.filter(({ change }) => change === wanted).length;
  const json = {
    dryRun: isDry,
    added: count('added'),
    changed: count('changed'),
    unchanged: count('unchanged'),
    removed: removed.length,
    removedEdges: removed.map(({ from, to }) => ({
      fromEntity: renderRef(from.node, view),
      toEntity: renderRef(to.node, view),
    })),
  };
  // Where nothing is said and nothing was known, the scope may be misspelt.
  const isEmpty = named.length === 0 && known.length === 0;
  const hint = isEmpty ? await findScopeHint(edges.engine, principal, scope.scopeFqn) : undefined;
  return { json, unknown: changes.flatMap(({ unknown }) => unknown), hint };
};
