import { addressOf, nameAddress, queryFlag, requiredJson, viewFor } from '../catalog/answer.ts';
import { bulkResult } from '../catalog/bulk.ts';
import type { Engine } from '../catalog/engine.ts';
import { NO_FIELDS } from '../catalog/fields.ts';
import { offsetParameters, parseOffset } from '../catalog/offset.ts';
import { renderRef } from '../catalog/render.ts';
import * as schema from '../catalog/schemas.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { keyOf } from '../catalog/store.ts';
import { badRequest, recordNotFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { check } from '../model/validate.ts';
import { Flag, listOf, must, Ref, shape } from '../model/values.ts';
import { changeAssets } from './change.ts';
import { countAssets, listAssets } from './queries.ts';

type Holder = Kind & { readonly assets: NonNullable<Kind['assets']> };

const findHolder = async (engine: Engine, kind: Kind, address: ReturnType<typeof addressOf>): Promise<Snapshot> => {
  const record = await engine.store.record(kind, address, NO_FIELDS);
  if (!record || record.deleted) throw recordNotFound(kind.entityType, keyOf(address));
  return record;
};

const list =
  (engine: Engine, kind: Holder) =>
  async (call: Call): Promise<Answer> => {
    const { limit, offset } = parseOffset(call.query, 10);
    const { edge, direction } = kind.assets;
    const holder = await findHolder(engine, kind, addressOf(kind, call));
    engine.authorize(call.principal, ['ViewBasic'], { resource: kind.entityType, record: holder });
    const [rows, [counted]] = await Promise.all([
      limit === 0 ? [] : engine.graph.read(listAssets[direction].for(edge), { id: holder.id, offset, limit }),
      engine.graph.read(countAssets[direction].for(edge), { id: holder.id }),
    ]);
    const view = viewFor(engine, call, NO_FIELDS);
    const data = rows.map((row) => renderRef(row.ref, view));
    return { status: 200, json: { data, paging: { offset, limit, total: counted?.total ?? 0 } } };
  };

const AssetsRequest = shape('BulkAssets', { assets: must(listOf(Ref, 5000)), dryRun: Flag });

const change =
  (engine: Engine, kind: Holder, adds: boolean) =>
  async (call: Call): Promise<Answer> => {
    const body = check(AssetsRequest, await requiredJson(call)) as unknown as {
      assets: JsonObject[];
      dryRun?: boolean;
    };
    const holder = await findHolder(engine, kind, nameAddress(kind, call.params['name'] ?? ''));
    engine.authorize(call.principal, ['EditAll'], { resource: kind.entityType, record: holder });
    const dryRun = body.dryRun === true || queryFlag(call, 'dryRun');
    const { passed, failed } = await changeAssets(engine, call, { holder, assets: body.assets, adds, dryRun });
    if (failed.length > 0 && passed.length === 0) {
      throw badRequest(`None of the ${failed.length} assets could be changed: ${failed[0]?.message ?? ''}`);
    }
    return { status: 200, json: bulkResult(passed, failed, dryRun) };
  };

const listRoute = (engine: Engine, kind: Holder): Route => ({
  method: 'GET',
  path: `/v1/${kind.path}/name/{fqn}/assets`,
  summary: 'List what belongs to a record',
  tag: kind.title,
  access: { operation: 'ViewBasic', resource: kind.entityType },
  query: offsetParameters,
  responses: { 200: schema.references },
  handle: list(engine, kind),
});

const changeRoute = (engine: Engine, kind: Holder, adds: boolean): Route => ({
  method: 'PUT',
  path: `/v1/${kind.path}/{name}/assets/${adds ? 'add' : 'remove'}`,
  summary: adds ? 'Add assets' : 'Remove assets',
  tag: kind.title,
  access: { operation: 'EditAll', resource: kind.entityType },
  body: { schema: AssetsRequest, mediaTypes: ['application/json'] },
  responses: { 200: schema.bulkResult },
  handle: change(engine, kind, adds),
});

const isHolder = (kind: Kind): kind is Holder => kind.assets !== undefined;

/** What belongs to a domain, a person, a team or a tag: listed for all of them, changed where the holder decides. */
export const assetRoutes = (engine: Engine): Route[] =>
  engine.registry.kinds
    .filter(isHolder)
    .flatMap((kind) => [
      listRoute(engine, kind),
      ...(kind.assets.member ? [changeRoute(engine, kind, true), changeRoute(engine, kind, false)] : []),
    ]);
