import type { Engine } from '../catalog/engine.ts';
import { CHANGE_HEADER, createView, idAddress, readRequiredJson } from '../catalog/read/answer.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import { renderRecord } from '../catalog/read/render.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import { reviseRecord } from '../catalog/write/update.ts';
import { notFound, recordNotFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { type Json, type JsonObject, withMember, withoutMember } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { operationsToReadFields } from '../model/kind/required-operations.ts';
import { TableProfilerConfig, toFlatConfig } from '../model/schemas/profiler/profiler-config.ts';
import { dropNulls } from '../model/validate.ts';

const MEMBER = 'tableProfilerConfig';
const FIELDS: ReadonlySet<string> = new Set([MEMBER]);

const configOf = (engine: Engine, call: Call, record: Snapshot): JsonObject => {
  const config = renderRecord(record, createView(engine, call, FIELDS))[MEMBER];
  if (config === undefined) throw notFound(`${record.fullyQualifiedName} has no profiler configuration`);
  return toFlatConfig(config as JsonObject);
};

const read =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const { id } = idAddress(call);
    const record = await engine.store.record(kind, { id }, FIELDS);
    if (!record || record.deleted) throw recordNotFound(kind.entityType, id);
    await authorizeRecord(engine, call.principal, operationsToReadFields(kind, FIELDS), record);
    return { status: 200, json: configOf(engine, call, record) };
  };

const revise = (engine: Engine, kind: Kind, call: Call, change: (document: JsonObject) => JsonObject) =>
  reviseRecord(
    engine,
    { kind, principal: call.principal, countWork: call.countWork },
    {
      address: idAddress(call),
      revise: change,
      touched: [MEMBER],
      isJsonPatch: false,
      operations: ['EditDataProfile'],
      precondition: () => {},
      viewFor: (fields) => createView(engine, call, fields),
    },
  );

const put =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const config = dropNulls((await readRequiredJson(call)) as Json);
    const { outcome, record } = await revise(engine, kind, call, (document) => withMember(document, MEMBER, config));
    return { status: 200, headers: { [CHANGE_HEADER]: outcome }, json: configOf(engine, call, record) };
  };

const remove =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const { id } = idAddress(call);
    const { outcome } = await revise(engine, kind, call, (document) => {
      if (document[MEMBER] === undefined) throw notFound(`${id} has no profiler configuration`);
      return withoutMember(document, MEMBER);
    });
    return { status: 204, headers: { [CHANGE_HEADER]: outcome } };
  };

/** Routes of the profiler configuration of tables, as a document of its own. */
export const profilerConfigRoutes = (engine: Engine): Route[] => {
  const kind = requireKind(engine.registry, 'table');
  const common = { path: `/v1/${kind.path}/{id}/profilerConfig`, tag: kind.title } as const;
  const changing = { ...common, access: { operation: 'EditDataProfile', resource: kind.entityType } } as const;
  return [
    {
      ...common,
      method: 'GET',
      summary: 'Get the profiler configuration of a table',
      access: { operation: 'ViewDataProfile', resource: kind.entityType },
      responses: { 200: TableProfilerConfig },
      handle: read(engine, kind),
    },
    {
      ...changing,
      method: 'PUT',
      summary: 'Set the profiler configuration of a table',
      body: { schema: TableProfilerConfig, mediaTypes: ['application/json'] },
      responses: { 200: TableProfilerConfig },
      handle: put(engine, kind),
    },
    {
      ...changing,
      method: 'DELETE',
      summary: 'Delete the profiler configuration of a table',
      responses: { 204: undefined },
      handle: remove(engine, kind),
    },
  ];
};
