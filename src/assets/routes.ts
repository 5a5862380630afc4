import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { planUnversionedWrite } from '../catalog/plan/record.ts';
import { createStep, notFoundFactory, STEP_ORDER } from '../catalog/plan/step.ts';
import { buildUnversionedEvent } from '../catalog/plan/unversioned-event.ts';
import { type RefNode, unlinkEdges, upsertEdges } from '../catalog/queries.ts';
import { createView, nameAddress, parseAddress, parseQueryFlag, readRequiredJson } from '../catalog/read/answer.ts';
import { authorizeRecord, canSeeEverything, checkPermissions, VIEW_OPERATIONS } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { type OffsetPage, offsetParameters, parseOffsetPage } from '../catalog/read/offset.ts';
import { renderRecord, renderRef, type View } from '../catalog/read/render.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { addressKey } from '../catalog/read/store.ts';
import { parseRecordPointer } from '../catalog/resolve/record-pointers.ts';
import { resolvePointer } from '../catalog/resolve/references.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { type BulkFailure, type BulkSuccess, buildBulkResult, toBulkFailure } from '../catalog/write/bulk.ts';
import { badRequest, recordNotFound } from '../errors.ts';
import { flagParameter } from '../http/query-parameters.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { EdgeType } from '../model/kind/edges.ts';
import type { Kind } from '../model/kind/kind.ts';
import { kindWords } from '../model/kind/kind-words.ts';
import { isUuid } from '../model/uuid.ts';
import { validate } from '../model/validate.ts';
import { Flag, listOf, must, Ref, shape } from '../model/values.ts';
import { changeAssets } from './change-assets.ts';
import { countAssets, listAssets, walkAssets } from './queries.ts';

type PortChange = {
  readonly holder: Snapshot;
  readonly port: string;
  readonly edge: EdgeType;
  readonly assets: readonly RefNode[];
  readonly adds: boolean;
};

/**
 * Connects records to a port of a holder, or disconnects them. The holder's version does not change; a change event
 * reports it.
 */
const changePorts = (engine: Engine, principal: Principal, view: View, change: PortChange): Promise<void> => {
  const { holder, port, edge, assets, adds } = change;
  const refs = JSON.stringify(assets.map((node) => renderRef(node, view)));
  const fieldChange: Json = [{ name: port, ...(adds ? { newValue: refs } : { oldValue: refs }) }];
  const event = buildUnversionedEvent(
    engine,
    principal,
    holder,
    adds ? { fieldsAdded: fieldChange } : { fieldsDeleted: fieldChange },
  );
  const rows = assets.map((node) => ({ from: holder.id, to: node.id, properties: {} }));
  const edgeStep = adds
    ? createStep(upsertEdges.for(edge), STEP_ORDER.link, rows, notFoundFactory(holder.kind.entityType, holder.id))
    : createStep(unlinkEdges.for(edge), STEP_ORDER.unlink, rows);
  return engine.serial(`${holder.kind.label} ${holder.id}`, () =>
    engine.commit(planUnversionedWrite(holder, [edgeStep], event)),
  );
};

type AssetHolderKind = Kind & { readonly assets: NonNullable<Kind['assets']> };
type AssetListing = NonNullable<Kind['listings']>[number];

const findHolder = async (engine: Engine, kind: Kind, address: ReturnType<typeof parseAddress>): Promise<Snapshot> => {
  const record = await engine.store.record(kind, address, NO_FIELDS);
  if (!record || record.deleted) throw recordNotFound(kind.entityType, addressKey(address));
  return record;
};

/** Renders listed assets as references or as full records; full records are all of one kind. */
const renderAssets = async (
  engine: Engine,
  call: Call,
  refs: readonly RefNode[],
  asRecords: boolean,
): Promise<JsonObject[]> => {
  const view = createView(engine, call, NO_FIELDS);
  if (!asRecords) return refs.map((ref) => renderRef(ref, view));
  const kind = engine.registry.byType.get(refs[0]?.entityType ?? '');
  if (!kind) return [];
  const ids = refs.map((ref) => ref.id);
  return (await engine.store.records(kind, ids, NO_FIELDS)).map((record) => renderRecord(record, view));
};

type AssetEdge = Pick<AssetListing, 'edge' | 'direction'>;
type AssetPage = { readonly refs: readonly RefNode[]; readonly total: number };

/** Reads a page of all assets of a record, for callers who see every record. */
const readAllAssets = async (
  engine: Engine,
  id: string,
  { edge, direction }: AssetEdge,
  page: OffsetPage,
): Promise<AssetPage> => {
  const [rows, [counted]] = await Promise.all([
    page.limit === 0 ? [] : engine.graph.read(listAssets[direction].for(edge), { id, ...page }),
    engine.graph.read(countAssets[direction].for(edge), { id }),
  ]);
  return { refs: rows.map((row) => row.ref), total: counted?.total ?? 0 };
};

/** The maximum number of assets that one request checks one by one. */
const MAX_LOOKED_AT = 200_000;

/** Reads a page for callers who see only some records. All assets must be checked first to find the visible ones. */
const readVisibleAssets = async (
  engine: Engine,
  principal: Principal,
  id: string,
  { edge, direction }: AssetEdge,
  { offset, limit }: OffsetPage,
): Promise<AssetPage> => {
  const rows = await engine.graph.read(walkAssets[direction].for(edge), { id, limit: MAX_LOOKED_AT });
  const sees = await checkPermissions(engine, principal, VIEW_OPERATIONS, rows);
  const visible = rows.filter((_, at) => sees[at]);
  const refs = await Promise.all(
    visible.slice(offset, offset + limit).map(({ entityId }) => engine.store.referenceById(entityId)),
  );
  return { refs: refs.filter((ref) => ref !== undefined), total: visible.length };
};

const listHandler =
  (engine: Engine, kind: Kind, { edge, direction, whole }: Omit<AssetListing, 'path'>) =>
  async (call: Call): Promise<Answer> => {
    const page = parseOffsetPage(call.query, 10);
    const { principal } = call;
    const holder = await findHolder(engine, kind, parseAddress(kind, call));
    await authorizeRecord(engine, principal, VIEW_OPERATIONS, holder);
    const { refs, total } = canSeeEverything(engine, principal)
      ? await readAllAssets(engine, holder.id, { edge, direction }, page)
      : await readVisibleAssets(engine, principal, holder.id, { edge, direction }, page);
    return { status: 200, json: { data: await renderAssets(engine, call, refs, whole), paging: { ...page, total } } };
  };

const AssetsRequest = shape('BulkAssets', { assets: must(listOf(Ref, 5000)), dryRun: Flag });

type AssetsBody = { readonly assets: readonly JsonObject[]; readonly dryRun?: boolean };
type AssetChangeBody = { readonly holder: Snapshot; readonly body: AssetsBody; readonly dryRun: boolean };

/** Finds the holder that a path names by name, or by id when no holder has that name. */
const findHolderByName = async (engine: Engine, kind: Kind, text: string): Promise<Snapshot> => {
  try {
    return await findHolder(engine, kind, nameAddress(kind, text));
  } catch (failure) {
    if (!isUuid(text)) throw failure;
    return findHolder(engine, kind, { id: text.toLowerCase() });
  }
};

const DRY_RUN = flagParameter('dryRun', 'Whether to check everything and change nothing', false);

const readChangeRequest = async (engine: Engine, kind: Kind, call: Call): Promise<AssetChangeBody> => {
  const body = validate(AssetsRequest, await readRequiredJson(call)) as unknown as AssetsBody;
  const holder = await findHolderByName(engine, kind, call.params['name'] ?? '');
  await authorizeRecord(engine, call.principal, ['EditAll'], holder);
  return { holder, body, dryRun: body.dryRun === true || parseQueryFlag(call, 'dryRun') };
};

const refuseAllFailed = (passed: readonly BulkSuccess[], failed: readonly BulkFailure[]) => {
  if (failed.length === 0 || passed.length > 0) return;
  throw badRequest(`None of the ${failed.length} assets could be changed: ${failed[0]?.message ?? ''}`);
};

const changeHandler =
  (engine: Engine, kind: AssetHolderKind, adds: boolean) =>
  async (call: Call): Promise<Answer> => {
    const { holder, body, dryRun } = await readChangeRequest(engine, kind, call);
    const { passed, failed } = await changeAssets(engine, call, { holder, assets: body.assets, adds, dryRun });
    refuseAllFailed(passed, failed);
    return { status: 200, json: buildBulkResult(passed, failed, dryRun) };
  };

const listRoute = (engine: Engine, kind: Kind, listing: AssetListing): Route => ({
  method: 'GET',
  path: `/v1/${kind.path}/name/{fqn}/${listing.path}`,
  summary: `List ${listing.path} of ${kindWords(kind).a}`,
  tag: kind.title,
  access: { operation: 'ViewBasic', resource: kind.entityType },
  query: offsetParameters,
  responses: { 200: listing.whole ? schema.recordListSchema(kind) : schema.referenceListSchema },
  handle: listHandler(engine, kind, listing),
});

const changePortHandler =
  (engine: Engine, kind: Kind, port: string, edge: EdgeType, adds: boolean) =>
  async (call: Call): Promise<Answer> => {
    const { holder, body, dryRun } = await readChangeRequest(engine, kind, call);
    const passed: BulkSuccess[] = [];
    const failed: BulkFailure[] = [];
    const assets: RefNode[] = [];
    for (const ref of body.assets) {
      try {
        assets.push(await resolvePointer(engine, parseRecordPointer(ref), []));
        passed.push({ request: ref, status: 200 });
      } catch (failure) {
        failed.push(toBulkFailure(ref, failure));
      }
    }
    refuseAllFailed(passed, failed);
    const view = createView(engine, call, NO_FIELDS);
    if (!dryRun && assets.length > 0)
      await changePorts(engine, call.principal, view, { holder, port, edge, assets, adds });
    return { status: 200, json: buildBulkResult(passed, failed, dryRun) };
  };

const portRoutes = (engine: Engine, kind: Kind): Route[] =>
  Object.entries(kind.ports ?? {}).flatMap(([port, edge]) =>
    [true, false].map(
      (adds): Route => ({
        method: 'PUT',
        path: `/v1/${kind.path}/{name}/${port}/${adds ? 'add' : 'remove'}`,
        summary: `${adds ? `Add ${port} to` : `Remove ${port} from`} ${kindWords(kind).a}`,
        tag: kind.title,
        access: { operation: 'EditAll', resource: kind.entityType },
        query: [DRY_RUN],
        body: { schema: AssetsRequest, mediaTypes: ['application/json'] },
        responses: { 200: schema.bulkResultSchema },
        handle: changePortHandler(engine, kind, port, edge, adds),
      }),
    ),
  );

const changeRoute = (engine: Engine, kind: AssetHolderKind, adds: boolean): Route => ({
  method: 'PUT',
  path: `/v1/${kind.path}/{name}/assets/${adds ? 'add' : 'remove'}`,
  summary: `${adds ? 'Add assets to' : 'Remove assets from'} ${kindWords(kind).a}`,
  tag: kind.title,
  access: { operation: 'EditAll', resource: kind.entityType },
  query: [DRY_RUN],
  body: { schema: AssetsRequest, mediaTypes: ['application/json'] },
  responses: { 200: schema.bulkResultSchema },
  handle: changeHandler(engine, kind, adds),
});

const isAssetHolder = (kind: Kind): kind is AssetHolderKind => kind.assets !== undefined;

const holderRoutes = (engine: Engine, kind: AssetHolderKind): Route[] => [
  listRoute(engine, kind, { ...kind.assets, path: 'assets', whole: false }),
  ...(kind.assets.member ? [changeRoute(engine, kind, true), changeRoute(engine, kind, false)] : []),
];

/**
 * Routes for the assets of domains, people, teams and tags: listing for all, changing where the holder owns the
 * relation. Other lists that a kind declares are served the same way.
 */
export const assetRoutes = (engine: Engine): Route[] =>
  engine.registry.kinds.flatMap((kind) => [
    ...(isAssetHolder(kind) ? holderRoutes(engine, kind) : []),
    ...(kind.listings ?? []).map((listing) => listRoute(engine, kind, listing)),
    ...portRoutes(engine, kind),
  ]);
