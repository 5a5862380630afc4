import type { Principal } from '../../access/principal.ts';
import { renderRef, type View } from '../../catalog/read/render.ts';
import { rowsIn } from '../../catalog/write/bulk.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import { sideBySide } from '../../graph/side-by-side.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { LineageScope } from '../../model/lineage-values.ts';
import { isWithin, normaliseFqn } from '../../model/name.ts';
import { check, dropNulls } from '../../model/validate.ts';
import { withdrawOne } from '../change.ts';
import { sameContent } from '../edge.ts';
import type { Edges } from '../edges.ts';
import { findEnds, permitEnds, type Site } from '../ends.ts';
import { type AskedEdge, type Found, findEdge, lookAt, refuseLoop } from '../put.ts';
import { listScope } from '../queries.ts';
import { nearTo, readRow } from './rows.ts';
import { sayAll } from './together.ts';

/** Everything that a source knows of the edges into a record and what lies below it. */
type Scope = {
  readonly source: string;
  readonly scopeFqn: string;
  readonly edges: readonly Json[];
  readonly dryRun?: boolean;
  readonly maxRemovals?: number;
};

/** So many edges are looked at or taken back side by side. */
const AT_ONCE = 1000;

/** A scope cannot be said in parts, so one holds more edges than a request in bulk. */
const TIMES_BULK = 10;

const LENIENT = { strictColumns: false };

const pairOf = (from: { readonly id: string }, to: { readonly id: string }): string => `${from.id} ${to.id}`;

const readNamed = ({ source }: Scope, row: Json): AskedEdge => {
  const asked = readRow(row);
  const { source: said = source, ...details } = asked.lineageDetails ?? {};
  if (said !== source) throw badRequest(`An edge says that it comes from ${said} and not from ${source}`);
  return { ...asked, lineageDetails: { ...details, source } };
};

const findNamed = async (edges: Edges, { scopeFqn }: Scope, asked: AskedEdge): Promise<Found> => {
  const found = await findEdge(edges, asked);
  refuseLoop(found.from, found.to);
  if (!isWithin(found.to.fullyQualifiedName, scopeFqn)) {
    throw badRequest(`${found.to.fullyQualifiedName} lies outside ${scopeFqn}`);
  }
  return found;
};

/** The edges that a request names, each pair of records once: what is said last of it counts. */
const findAllNamed = async (edges: Edges, scope: Scope): Promise<readonly Found[]> => {
  const asked = scope.edges.map((row) => readNamed(scope, row));
  const near = await nearTo(edges, asked);
  const found = await Promise.all(asked.map((one) => findNamed(near, scope, one)));
  return [...new Map(found.map((one) => [pairOf(one.from, one.to), one])).values()];
};

type Ends = { readonly from: Site; readonly to: Site };

/** The edges in the scope of which the source says something now. */
const findKnown = async ({ engine }: Edges, { source, scopeFqn }: Scope): Promise<readonly Ends[]> => {
  const params = { scope: scopeFqn, below: `${scopeFqn}.`, source };
  const lists = await Promise.all(
    engine.registry.kinds.map(({ label }) => engine.graph.read(listScope.for(label), params)),
  );
  const pairs = await Promise.all(lists.flat().map(({ from, to }) => findEnds(engine, [from, to])));
  return pairs.flatMap(([from, to]) => (from && to ? [{ from, to }] : []));
};

/** A source that says nothing any more of so many edges is more likely broken than right. */
const SHARE = 0.3;
const FEW = 10;

const refuseMany = (removed: number, known: number, { scopeFqn, source, maxRemovals }: Scope): void => {
  const most = maxRemovals ?? Math.max(FEW, Math.floor(known * SHARE));
  if (removed <= most) return;
  throw new CatalogError(
    'conflict',
    `${removed} of the ${known} edges of ${source} in ${scopeFqn} would be removed, and at most ${most} may be`,
  );
};

type Change = 'added' | 'changed' | 'unchanged';

const rehearse = async (edges: Edges, found: Found): Promise<Change> => {
  const { sight, saying } = await lookAt(edges, found, LENIENT);
  if (!sight.state) return 'added';
  const known = sight.state.assertions.find(({ source }) => source === saying.source);
  return known && sameContent(known.content, saying.content) ? 'unchanged' : 'changed';
};

const CHANGES: Readonly<Record<string, Change>> = { entityLineageAdded: 'added', same: 'unchanged' };

const say = async (edges: Edges, principal: Principal, named: readonly Found[]): Promise<Change[]> =>
  (await sayAll(edges, principal, named, LENIENT)).map((outcome) => {
    if ('failure' in outcome) throw outcome.failure;
    return CHANGES[outcome.value.settled.outcome] ?? 'changed';
  });

const byNames = (a: Ends, b: Ends): number => {
  const name = ({ from, to }: Ends) => `${to.fullyQualifiedName}\u0001${from.fullyQualifiedName}`;
  return name(a) < name(b) ? -1 : 1;
};

/** Makes what a source says of a scope exactly what a request names. Everything is checked before anything is written. */
export const putScope = async (edges: Edges, principal: Principal, body: unknown, view: View): Promise<JsonObject> => {
  const asked = check(LineageScope, dropNulls(body as Json)) as unknown as Scope;
  const scope = { ...asked, scopeFqn: normaliseFqn(asked.scopeFqn) };
  rowsIn(edges.engine, scope.edges, TIMES_BULK * edges.engine.limits.bulkRows);
  const [named, known] = await Promise.all([findAllNamed(edges, scope), findKnown(edges, scope)]);
  const kept = new Set(named.map(({ from, to }) => pairOf(from, to)));
  const gone = known.filter(({ from, to }) => !kept.has(pairOf(from, to))).sort(byNames);
  const ends = [...named, ...gone].flatMap(({ from, to }) => [from, to]);
  await permitEnds(edges.engine, principal, ends);
  refuseMany(gone.length, known.length, scope);
  const isDry = scope.dryRun ?? false;
  const changes = isDry
    ? await sideBySide(named, AT_ONCE, (one) => rehearse(edges, one))
    : await say(edges, principal, named);
  if (!isDry) {
    await sideBySide(gone, AT_ONCE, ({ from, to }) => withdrawOne(edges, principal, from, to, scope.source));
  }
  const count = (wanted: Change): number => changes.filter((change) => change === wanted).length;
  return {
    dryRun: isDry,
    added: count('added'),
    changed: count('changed'),
    unchanged: count('unchanged'),
    removed: gone.length,
    removedEdges: gone.map(({ from, to }) => ({
      fromEntity: renderRef(from.node, view),
      toEntity: renderRef(to.node, view),
    })),
  };
};
