import { isDeepStrictEqual } from 'node:util';
import { DBT_CLASSIFICATION, labelsOf } from '../dbt/data-model.ts';
import type { DbtExposure } from '../dbt/exposures.ts';
import type { DbtMetric, DbtMetrics } from '../dbt/metrics.ts';
import type { DbtRelation } from '../dbt/relations.ts';
import type { JsonObject } from '../model/json.ts';
import { joinFqn } from '../model/name.ts';
import { attempt } from './attempt.ts';
import { type CatalogAnswer, objectOf, readList, textOf } from './catalog-client.ts';
import {
  type AssetId,
  asserterOf,
  type createOwnerFinder,
  type DbtRequests,
  type DbtTally,
  endFormerEdges,
  findOwners,
  type KnownTable,
  readUpstreamEdges,
} from './dbt-records.ts';

/** Brings what reads the tables of a dbt project, its exposures and metrics, with lineage from these tables. */

type ConsumerRoom = {
  readonly requests: DbtRequests;
  readonly tally: DbtTally;
  /** The name of the project. */
  readonly project: string;
  readonly tables: ReadonlyMap<string, KnownTable>;
  readonly findOwner: ReturnType<typeof createOwnerFinder>;
};

type Consumer = AssetId & { readonly name: string; readonly reads: ReadonlySet<DbtRelation> };

/** Keeps what an exposure or a metric reads until all of them are known. */
type Collect = (place: AssetId, reader: { readonly name: string; readonly reads: readonly DbtRelation[] }) => void;

/** Where the catalog keeps what an exposure means, by its type. */
const COLLECTIONS: Readonly<Record<string, { readonly type: string; readonly collection: string }>> = {
  dashboard: { type: 'dashboard', collection: 'dashboards' },
  notebook: { type: 'dashboard', collection: 'dashboards' },
  analysis: { type: 'dashboard', collection: 'dashboards' },
  ml: { type: 'mlmodel', collection: 'mlmodels' },
  application: { type: 'apiEndpoint', collection: 'apiEndpoints' },
};

const pathOf = (collection: string, fqn: string): string => `${collection}/name/${encodeURIComponent(fqn)}`;

/** Reads a record with what an import may change. One that was deleted is there as well: its name is taken. */
const findKnown = ({ requests }: ConsumerRoom, collection: string, fqn: string): Promise<CatalogAnswer | undefined> =>
  requests.find(`${pathOf(collection, fqn)}?include=all&fields=owners,tags`);

const isDeleted = (known: CatalogAnswer): boolean => known['deleted'] === true;

/** Writes the lineage of one consumer, and ends what the project no longer says of it. */
const connect = async (
  { requests, tally, project, tables }: ConsumerRoom,
  { type, id, name, reads }: Consumer,
): Promise<void> => {
  const sources = [...reads].flatMap(({ uniqueId }) => tables.get(uniqueId) ?? []);
  await endFormerEdges(requests, project, { type, id }, new Set(sources.map((table) => table.id)));
  const rows = sources.map((table) => ({
    edge: {
      fromEntity: { id: table.id, type: 'table' },
      toEntity: { id, type },
      lineageDetails: asserterOf(project),
    },
  }));
  tally.edges += await requests.sendRows('lineage/bulk', rows, () => `lineage of ${name}`);
};

/** What a project says of a record that the import made. */
type Said = {
  readonly body: JsonObject;
  /** The members of the body that are the project's alone. */
  readonly owned: readonly string[];
  readonly owners: readonly JsonObject[];
  readonly tags: readonly string[];
};

/** Members that the project owns become what it says, and go with what it no longer says. */
const memberChanges = (known: CatalogAnswer, { body, owned }: Said): readonly JsonObject[] =>
  owned.flatMap((name) => {
    const value = body[name];
    if (isDeepStrictEqual(known[name], value)) return [];
    return [value === undefined ? { op: 'remove', path: `/${name}` } : { op: 'add', path: `/${name}`, value }];
  });

/** The tags of dbt follow the project; those that people gave stay. */
const tagChanges = (known: CatalogAnswer, said: Said): readonly JsonObject[] => {
  const wanted = labelsOf(said.tags);
  const carried = readList(known['tags']);
  const isFormer = ({ tagFQN, labelType }: CatalogAnswer): boolean =>
    labelType === 'Automated' &&
    textOf(tagFQN).startsWith(`${DBT_CLASSIFICATION}.`) &&
    !wanted.some((label) => label['tagFQN'] === tagFQN);
  // From behind, so that the places before stay true.
  const removed = carried
    .flatMap((tag, at) => (isFormer(tag) ? [{ at, value: textOf(tag['tagFQN']) }] : []))
    .reverse()
    .flatMap(({ at, value }) => [
      { op: 'test', path: `/tags/${at}/tagFQN`, value },
      { op: 'remove', path: `/tags/${at}` },
    ]);
  const added = wanted.filter((label) => !carried.some(({ tagFQN }) => tagFQN === label['tagFQN']));
  return [...removed, ...added.map((value) => ({ op: 'add', path: '/tags/-', value }))];
};

/** Changes what the project owns, and fills in a description and owners where nobody has given any. */
const update = async (
  { requests }: ConsumerRoom,
  collection: string,
  known: CatalogAnswer,
  said: Said,
): Promise<void> => {
  const { description } = said.body;
  const changes = [...memberChanges(known, said), ...tagChanges(known, said)];
  if (textOf(known['description']) === '' && description !== undefined) {
    changes.push({ op: 'add', path: '/description', value: description });
  }
  if (readList(known['owners']).length === 0 && said.owners.length > 0) {
    changes.push({ op: 'add', path: '/owners', value: [...said.owners] });
  }
  if (changes.length > 0) await requests.send('PATCH', `${collection}/${textOf(known['id'])}`, changes);
};

const create = async ({ requests, tally }: ConsumerRoom, collection: string, said: Said): Promise<CatalogAnswer> => {
  const created = await requests.send('POST', collection, {
    ...said.body,
    ...(said.owners.length > 0 ? { owners: [...said.owners] } : {}),
    ...(said.tags.length > 0 ? { tags: [...labelsOf(said.tags)] } : {}),
  });
  tally.created += 1;
  return created;
};

/** The ID of a dashboard of the project's own service, made or brought up to date; undefined where it was deleted. */
const placeDashboard = async (
  room: ConsumerRoom,
  service: string,
  exposure: DbtExposure,
): Promise<string | undefined> => {
  const { name, kind, label, description, url, tags } = exposure;
  const body: JsonObject = {
    name,
    service,
    dashboardType: kind === 'dashboard' ? 'Dashboard' : 'Report',
    ...(label === undefined ? {} : { displayName: label }),
    ...(description === undefined ? {} : { description }),
    ...(url === undefined ? {} : { sourceUrl: url }),
  };
  const known = await findKnown(room, 'dashboards', joinFqn(service, name));
  if (known && isDeleted(known)) {
    room.tally.leftOut.add(`the exposure ${name}: its dashboard was deleted in the catalog`);
    return undefined;
  }
  const owners = await findOwners(room.findOwner, room.tally, exposure.owners);
  const said = { body, owned: ['sourceUrl', 'dashboardType'], owners, tags };
  if (known) await update(room, 'dashboards', known, said);
  return textOf((known ?? (await create(room, 'dashboards', said)))['id']);
};

const placeOf = ({ kind }: DbtExposure) => (Object.hasOwn(COLLECTIONS, kind) ? COLLECTIONS[kind] : undefined);

/** Whether the exposure becomes a dashboard of the project's own service. */
const needsService = (exposure: DbtExposure): boolean =>
  exposure.assetFqn === undefined && placeOf(exposure)?.type === 'dashboard';

const placeExposure = async (
  room: ConsumerRoom,
  service: string,
  exposure: DbtExposure,
): Promise<AssetId | undefined> => {
  const { name, kind, assetFqn } = exposure;
  const { leftOut } = room.tally;
  const place = placeOf(exposure);
  if (place === undefined) {
    leftOut.add(`the exposure ${name}: its type ${kind} is none that the catalog has`);
    return undefined;
  }
  if (needsService(exposure)) {
    const id = await placeDashboard(room, service, exposure);
    return id === undefined ? undefined : { type: place.type, id };
  }
  if (assetFqn === undefined) {
    leftOut.add(`the exposure ${name}: name the ${place.type} that it is in meta.openmetadata.fqn`);
    return undefined;
  }
  const known = await findKnown(room, place.collection, assetFqn);
  if (known && !isDeleted(known)) return { type: place.type, id: textOf(known['id']) };
  const asset = `${place.type} ${assetFqn}`;
  leftOut.add(`the exposure ${name}: ${known ? `its ${asset} was deleted in the catalog` : `there is no ${asset}`}`);
  return undefined;
};

/** Creates the service of the project's own dashboards; tells whether they can have a place there. */
const openService = async ({ requests, tally }: ConsumerRoom, service: string, name: string): Promise<boolean> => {
  const collection = 'services/dashboardServices';
  let isOpen = false;
  await attempt(tally, `service ${name}`, async () => {
    const known = await requests.find(`${pathOf(collection, service)}?include=all`);
    isOpen = known === undefined || !isDeleted(known);
    if (known) return;
    isOpen = false;
    const description = 'Exposures of a dbt project.';
    await requests.send('POST', collection, { name, serviceType: 'CustomDashboard', description });
    tally.created += 1;
    isOpen = true;
  });
  return isOpen;
};

type Named = { readonly uniqueId: string; readonly name: string };

/** The first of each name; packages of a project may give one name twice, and the catalog has one place for it. */
const firstOfEachName = <T extends Named>({ leftOut }: DbtTally, word: string, all: readonly T[]): readonly T[] => {
  const first = new Map<string, T>();
  for (const one of all) {
    const other = first.get(one.name);
    if (other) leftOut.add(`the ${word} ${one.uniqueId}: ${other.uniqueId} has the same name`);
    else first.set(one.name, one);
  }
  return [...first.values()];
};

/**
 * Dashboards, notebooks and analyses become dashboards of a service of the project, unless the project names the asset
 * that an exposure means; only the project can tell that of models and programs.
 */
const placeExposures = async (
  room: ConsumerRoom,
  exposures: readonly DbtExposure[],
  collect: Collect,
): Promise<void> => {
  const { tally, project } = room;
  const mature = exposures.filter(({ maturity }) => maturity !== undefined).length;
  if (mature > 0) tally.leftOut.add(`the maturity of exposures (${mature}): the catalog has no place for it`);
  const service = joinFqn(undefined, `dbt_${project}`);
  const own = firstOfEachName(tally, 'exposure', exposures.filter(needsService));
  const isOpen = own.length > 0 && (await openService(room, service, `dbt_${project}`));
  if (!isOpen) {
    for (const { name } of own) tally.leftOut.add(`the exposure ${name}: its service ${service} is deleted or refused`);
  }
  for (const exposure of [...exposures.filter((one) => !needsService(one)), ...(isOpen ? own : [])]) {
    await attempt(tally, `exposure ${exposure.name}`, async () => {
      const place = await placeExposure(room, service, exposure);
      if (place === undefined) return;
      collect(place, exposure);
      tally.exposures += 1;
    });
  }
};

/** The members of a metric that the project owns. */
const METRIC_MEMBERS = ['metricExpression', 'metricType', 'granularity', 'dimensions', 'measures', 'filters'];

/** The origin of metrics that an import made. Those of people have another one, and stay theirs. */
const MADE_BY_IMPORT = 'automation';

/**
 * The other project whose metric this is. Metrics have one name in the whole catalog, and lineage tells which project
 * reads tables for them.
 */
const findOtherProject = async (
  { requests, project }: ConsumerRoom,
  { id }: CatalogAnswer,
): Promise<string | undefined> => {
  const said = (await readUpstreamEdges(requests, { type: 'metric', id: textOf(id) })).map(({ lineageDetails }) =>
    objectOf(lineageDetails),
  );
  const projects = said
    .filter(({ source }) => source === asserterOf(project).source)
    .map(({ sourceName }) => textOf(sourceName));
  return projects.includes(project) ? undefined : projects.find((name) => name !== '');
};

const placeMetric = async (room: ConsumerRoom, metric: DbtMetric): Promise<string | undefined> => {
  const { name, body, tags, unsaid } = metric;
  const { leftOut } = room.tally;
  const known = await findKnown(room, 'metrics', joinFqn(undefined, name));
  if (known && (isDeleted(known) || known['provider'] !== MADE_BY_IMPORT)) {
    const why = isDeleted(known) ? 'it was deleted in the catalog' : 'people defined one of this name';
    leftOut.add(`the metric ${name}: ${why}`);
    return undefined;
  }
  const other = known && (await findOtherProject(room, known));
  if (other !== undefined) {
    leftOut.add(`the metric ${name}: the dbt project ${other} defines one of this name`);
    return undefined;
  }
  if (unsaid !== undefined) leftOut.add(`the expression of the metric ${name}: dbt ${unsaid}`);
  const owners = await findOwners(room.findOwner, room.tally, metric.owners);
  const said = { body: { ...body, provider: MADE_BY_IMPORT }, owned: METRIC_MEMBERS, owners, tags };
  if (known) await update(room, 'metrics', known, said);
  return textOf((known ?? (await create(room, 'metrics', said)))['id']);
};

const placeMetrics = async (room: ConsumerRoom, { metrics, unused }: DbtMetrics, collect: Collect): Promise<void> => {
  const { tally } = room;
  for (const name of unused) tally.leftOut.add(`the semantic model ${name}: no metric uses it`);
  for (const metric of firstOfEachName(tally, 'metric', metrics)) {
    await attempt(tally, `metric ${metric.name}`, async () => {
      const id = await placeMetric(room, metric);
      if (id === undefined) return;
      collect({ type: 'metric', id }, metric);
      tally.metrics += 1;
    });
  }
};

/** Exposures may mean one asset: its lineage is what all of them read, and is written once. */
export const writeConsumers = async (
  room: ConsumerRoom,
  { exposures, metrics }: { readonly exposures: readonly DbtExposure[]; readonly metrics: DbtMetrics },
): Promise<void> => {
  const consumers = new Map<string, Consumer>();
  const collect: Collect = ({ type, id }, { name, reads }) => {
    const key = `${type} ${id}`;
    const known = consumers.get(key) ?? { type, id, name, reads: new Set() };
    consumers.set(key, { ...known, reads: new Set([...known.reads, ...reads]) });
  };
  await placeExposures(room, exposures, collect);
  await placeMetrics(room, metrics, collect);
  for (const consumer of consumers.values()) {
    await attempt(room.tally, `lineage of ${consumer.name}`, () => connect(room, consumer));
  }
};
