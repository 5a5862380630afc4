import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { withPositions } from '../../graph/statement.ts';
import { groupBy } from '../../model/group-by.ts';
import type { ChangeWindow } from '../changes/edge-changes.ts';
import { readAssetChanges } from '../changes/read-changes.ts';
import { filterVisibleChanges } from '../changes/visible-changes.ts';
import type { InsightRoom } from '../graph/insight-room.ts';
import type { LineageNetwork } from '../graph/network.ts';
import { addCarriers, filterReadablePipelines, type Place } from './carriers.ts';
import { walkColumnUpstream } from './column-upstream.ts';
import { changeEvidence, failureEvidence } from './evidence.ts';
import { type FoundFailures, readFailures } from './failures.ts';
import { type Evidence, type Failure, rankSuspects, type Suspect } from './rank-suspects.ts';
import type { WrongSubject } from './request.ts';
import { readRunEvidence } from './runs.ts';
import {
  collectFedAssets,
  type FedRegion,
  numberOfAsset,
  type UpstreamWalk,
  visitSources,
  walkUpstream,
} from './upstream.ts';

/** Finds what is suspected to be the cause of failures around an asset. */

const BOUNDS = { depth: 50, assets: 1000 } as const;
const MAX_REGION = 10_000;
const MAX_FAILURES = 200;

export type RootCause = {
  readonly failures: readonly Failure[];
  readonly suspects: readonly Suspect[];
  /** The names of the bounds beyond which there is more. */
  readonly cuts: readonly string[];
};

/** What somebody has against the asset that they ask about, when no test or contract of it fails. */
const doubtOf = ({ asset }: WrongSubject, now: number): Failure => ({
  node: asset.node,
  assetId: asset.id,
  kind: 'test',
  since: now,
});

const trailFrom = ({ assets }: UpstreamWalk, id: string): readonly string[] => {
  const trail: string[] = [];
  for (let at: string | undefined = id; at !== undefined; at = assets.get(at)?.next) trail.push(at);
  return trail;
};

type Surroundings = { readonly network: LineageNetwork; readonly walk: UpstreamWalk; readonly region: FedRegion };

/** The assets upstream that lie upstream of a failure, or are the failing asset, by ID. */
const placeAssets = (
  { asset }: WrongSubject,
  { network, walk, region }: Surroundings,
  failures: readonly Failure[],
): ReadonlyMap<string, Place> => {
  const covers = new Map<string, Set<number>>([...walk.assets.keys()].map((id) => [id, new Set()]));
  const positions = groupBy(withPositions(failures.map(({ assetId }) => ({ assetId }))), ({ assetId }) => assetId);
  for (const [failingId, some] of positions) {
    visitSources(network, region, failingId, (id) => {
      for (const { at } of some) covers.get(id)?.add(at);
    });
  }
  return new Map(
    [...walk.assets.values()].map(({ id, depth }) => {
      const { entityType, fullyQualifiedName } = network.assets[numberOfAsset(network, id)] ?? asset.node;
      const place = { id, entityType, fullyQualifiedName, depth, trail: trailFrom(walk, id) };
      return [id, { ...place, covers: covers.get(id) ?? new Set<number>() }];
    }),
  );
};

const collect = (all: Map<string, Evidence[]>, id: string, evidence: Evidence | undefined): void => {
  if (!evidence) return;
  const known = all.get(id);
  if (known) known.push(evidence);
  else all.set(id, [evidence]);
};

/** The places that lie upstream of a failure, and which of them are pipelines. */
type PlacesUpstream = { readonly places: ReadonlyMap<string, Place>; readonly pipelineIds: readonly string[] };

type FoundEvidence = {
  readonly evidence: ReadonlyMap<string, readonly Evidence[]>;
  readonly cuts: readonly (string | undefined)[];
};

/** Reads what happened at some places: changes, runs, and the failures there that may explain others. */
const readEvidence = async (
  engine: Engine,
  principal: Principal,
  { places, pipelineIds }: PlacesUpstream,
  failures: readonly Failure[],
  window: ChangeWindow,
): Promise<FoundEvidence> => {
  const ids = [...places.keys()];
  const [changes, runs] = await Promise.all([
    readAssetChanges(engine, ids, window),
    readRunEvidence(engine, await filterReadablePipelines(engine, principal, pipelineIds), window),
  ]);
  const evidence = new Map<string, Evidence[]>();
  const visible = await filterVisibleChanges(engine, principal, changes.rows);
  for (const change of visible) collect(evidence, change.node.id, changeEvidence(change));
  for (const failure of failures) collect(evidence, failure.assetId, failureEvidence(failure));
  for (const [id, some] of runs.byPipeline) for (const run of some) collect(evidence, id, run);
  return { evidence, cuts: [changes.cut, runs.cut] };
};

const isOfSubject =
  ({ asset, column }: WrongSubject) =>
  ({ assetId, columnName }: { readonly assetId: string; readonly columnName: string | null }): boolean =>
    column === undefined ||
    assetId !== asset.id ||
    columnName === null ||
    column.name === `${asset.fullyQualifiedName}.${columnName}`;

const readFailuresAround = (
  engine: Engine,
  principal: Principal,
  subject: WrongSubject,
  { network, walk, region }: Surroundings,
): Promise<FoundFailures> => {
  const fed = [...region.nodes].flatMap((node) => network.assets[node]?.id ?? []);
  // The failures of the subject and upstream of it come first, so that a limit leaves those out that are far away.
  const ids = [...new Set([...walk.assets.keys(), ...fed])];
  return readFailures(engine, principal, ids, { limit: MAX_FAILURES, counts: isOfSubject(subject) });
};

const spanOf = (failures: readonly Failure[], windowMs: number): ChangeWindow => {
  const moments = failures.map(({ since }) => since);
  return { from: Math.max(0, Math.min(...moments) - windowMs), to: Math.max(...moments) };
};

/** Finds the failures around a subject, and what upstream of it may have caused them. */
export const findRootCause = async (
  { engine, views }: InsightRoom,
  principal: Principal,
  subject: WrongSubject,
  windowMs: number,
): Promise<RootCause> => {
  const { network, cut } = await views.viewFor(principal);
  const { id } = subject.asset;
  const walk = subject.column
    ? await walkColumnUpstream(engine.graph, network, { id, column: subject.column.key }, BOUNDS)
    : walkUpstream(network, id, BOUNDS);
  const region = collectFedAssets(network, walk.assets.keys(), MAX_REGION);
  const around = { network, walk, region };
  const found = await readFailuresAround(engine, principal, subject, around);
  const bounds = [cut, walk.cut, region.cut, found.cut];
  // Whoever asks about a column of which no failure tells has a doubt of their own, whatever else fails around it.
  const isDoubted = subject.column !== undefined && !found.failures.some(({ assetId }) => assetId === id);
  const toExplain = isDoubted ? [...found.failures, doubtOf(subject, engine.clock())] : found.failures;
  const answer = (suspects: readonly Suspect[], cuts: readonly (string | undefined)[]): RootCause => ({
    failures: found.failures,
    suspects,
    cuts: [...new Set(cuts.flatMap((names) => names?.split(',') ?? []))],
  });
  if (toExplain.length === 0) return answer([], bounds);
  const carried = await addCarriers(engine, principal, placeAssets(subject, around, toExplain));
  const places = new Map([...carried.places].filter(([, { covers }]) => covers.size > 0));
  const { evidence, cuts } = await readEvidence(
    engine,
    principal,
    { places, pipelineIds: [...carried.pipelineIds].filter((pipelineId) => places.has(pipelineId)) },
    found.failures,
    spanOf(toExplain, windowMs),
  );
  const candidates = [...places.values()].map((place) => ({ ...place, evidence: evidence.get(place.id) ?? [] }));
  return answer(rankSuspects(candidates, toExplain, windowMs), [...bounds, carried.cut, ...cuts]);
};
