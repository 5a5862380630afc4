import type { RefNode } from '../../../catalog/queries.ts';
import type { Registry } from '../../../catalog/registry.ts';
import type { LevelKind, SceneBand, SceneLens } from '../../../model/schemas/lineage/lineage-scene.ts';

/** The levels that scenes are made of: what holds assets, the assets, and their parts. */

const ASSET_LEVELS: Readonly<Record<string, LevelKind>> = {
  table: 'table',
  topic: 'topic',
  dashboard: 'dashboard',
  dashboardDataModel: 'dashboardDataModel',
  mlmodel: 'model',
  pipeline: 'pipeline',
  storedProcedure: 'storedProcedure',
  container: 'container',
  searchIndex: 'searchIndex',
  apiEndpoint: 'apiEndpoint',
  metric: 'metric',
  directory: 'directory',
  file: 'file',
};

const HOLDER_LEVELS: Readonly<Record<string, LevelKind>> = {
  database: 'database',
  databaseSchema: 'schema',
  domain: 'domain',
  dataProduct: 'dataProduct',
};

/** What the parts of an asset are, where these are no columns. */
const FIELD_LEVELS: Readonly<Partial<Record<LevelKind, LevelKind>>> = {
  topic: 'field',
  searchIndex: 'field',
  apiEndpoint: 'field',
  dashboard: 'chart',
  model: 'feature',
  pipeline: 'task',
};

const LEVELS_WITHOUT_FIELDS: ReadonlySet<LevelKind> = new Set(['storedProcedure', 'directory', 'file', 'asset']);
const HOLDERS: ReadonlySet<LevelKind> = new Set(['service', 'database', 'schema', 'domain', 'dataProduct']);
const LAYERS: ReadonlySet<LevelKind> = new Set(['service', 'domain', 'dataProduct']);

export const isHolder = (level: LevelKind): boolean => HOLDERS.has(level);
export const hasFields = (level: LevelKind): boolean => !HOLDERS.has(level) && !LEVELS_WITHOUT_FIELDS.has(level);
export const fieldLevelOf = (level: LevelKind): LevelKind => FIELD_LEVELS[level] ?? 'column';

/** The band in which a node of a scene is drawn. */
export const bandOf = (level: LevelKind, scene: SceneBand): SceneBand =>
  scene === 'LAYER' || LAYERS.has(level) ? 'LAYER' : 'ASSET';

export const levelOf = ({ byType }: Registry, { entityType }: Pick<RefNode, 'entityType'>): LevelKind =>
  byType.get(entityType)?.platformView === 'service'
    ? 'service'
    : (HOLDER_LEVELS[entityType] ?? ASSET_LEVELS[entityType] ?? 'asset');

/** The types of the records that may stand below a record of a type, at any distance. */
export const typesBelow = ({ kinds }: Registry, entityType: string): ReadonlySet<string> => {
  const below = new Set<string>();
  const waiting = [entityType];
  for (let above = waiting.shift(); above !== undefined; above = waiting.shift()) {
    for (const kind of kinds) {
      if (below.has(kind.entityType) || !kind.parents.some((parent) => parent.kind === above)) continue;
      below.add(kind.entityType);
      waiting.push(kind.entityType);
    }
  }
  return below;
};

/** The types of the assets that scenes list and count: those that may stand below a record, or all. */
export const assetTypesBelow = (registry: Registry, holder?: SceneRef): readonly string[] => {
  const isListed = (type: string) => registry.byType.has(type);
  const all = Object.keys(ASSET_LEVELS).filter(isListed);
  if (!holder || holder.level === 'domain' || holder.level === 'dataProduct') return all;
  const below = typesBelow(registry, holder.node.entityType);
  return all.filter((type) => below.has(type));
};

/** A record as part of a scene. */
export type SceneRef = { readonly node: RefNode; readonly level: LevelKind };

/** A record with everything that may stand for it. Records that the caller may not see stand for nothing. */
export type SceneMember = {
  readonly self: SceneRef;
  readonly service?: SceneRef | undefined;
  readonly serviceType?: string | undefined;
  readonly database?: SceneRef | undefined;
  readonly schema?: SceneRef | undefined;
  readonly domain?: SceneRef | undefined;
  readonly dataProduct?: SceneRef | undefined;
};

export const holdersOf = ({ service, database, schema, domain, dataProduct }: SceneMember): readonly SceneRef[] =>
  [schema, database, service, domain, dataProduct].flatMap((ref) => ref ?? []);

export const isWithin = (member: SceneMember, { node: { id } }: SceneRef): boolean =>
  member.self.node.id === id || holdersOf(member).some(({ node }) => node.id === id);

/** What stands for a record in a lens. */
export const lensRefOf = (member: SceneMember, lens: SceneLens): SceneRef =>
  (member.self.level === lens ? member.self : member[lens]) ?? member.self;
