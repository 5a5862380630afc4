import { randomUUID } from 'node:crypto';
import { pointerOf } from '../catalog/desire/candidate.ts';
import { resolveOwners } from '../catalog/desire/resolve.ts';
import type { Engine } from '../catalog/engine.ts';
import { idAddress, requiredJson, viewFor, writeAnswer } from '../catalog/read/answer.ts';
import type { ColumnNode } from '../catalog/read/column-tree.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { reviseRecord } from '../catalog/write/write.ts';
import { badRequest, notFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { checkName } from '../model/name.ts';
import { CustomMetric } from '../model/profiler-values.ts';
import { check, dropNulls } from '../model/validate.ts';

const MEMBER = 'customMetrics';
const SECTION = 'columns';

/** More measurements than anybody reads are a mistake of the program that sends them. */
const MAX_METRICS = 1000;

type Metric = JsonObject & { readonly name: string; readonly columnName?: string };

const metricsOf = (record: Snapshot): readonly Metric[] =>
  (record.values[MEMBER] ?? []) as unknown as readonly Metric[];

const isSame = (a: Metric, name: string, column: string | undefined): boolean =>
  a.name === name && (a.columnName ?? '').toLowerCase() === (column ?? '').toLowerCase();

const hasColumn = (columns: readonly ColumnNode[], path: string, prefix = ''): boolean =>
  columns.some((column) => {
    const here = prefix === '' ? String(column.values['name']) : `${prefix}.${String(column.values['name'])}`;
    return here.toLowerCase() === path.toLowerCase() || hasColumn(column.children, path, here);
  });

type Change = (record: Snapshot) => readonly Metric[];

const revise = async (engine: Engine, kind: Kind, call: Call, change: Change): Promise<Answer> => {
  const written = await reviseRecord(
    engine,
    { kind, principal: call.principal, spend: call.spend },
    {
      address: idAddress(call),
      revise: (document) => document,
      touched: [MEMBER],
      isJsonPatch: false,
      operations: ['EditDataProfile'],
      set: (record) => ({ [MEMBER]: change(record) as unknown as Json }),
      precondition: () => {},
      viewFor: (fields) => viewFor(engine, call, fields),
    },
  );
  return writeAnswer(engine, call, written, new Set([MEMBER]));
};

/** The owners of a measurement obey the rules for owners of records. */
const ownersOf = async (engine: Engine, metric: JsonObject): Promise<JsonObject> => {
  const { owners } = metric;
  if (!Array.isArray(owners)) return {};
  const nodes = await resolveOwners(engine, (owners as readonly JsonObject[]).map(pointerOf));
  return { owners: nodes.map(({ id, entityType }) => ({ id, type: entityType })) };
};

/** Adds a measurement, or replaces the one of that name on the same column. */
const put =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const body = check(CustomMetric, dropNulls((await requiredJson(call)) as Json)) as Metric;
    const name = checkName(body.name);
    const owners = await ownersOf(engine, body);
    return revise(engine, kind, call, (record) => {
      const column = body.columnName;
      if (column !== undefined && !hasColumn(record.columns[SECTION] ?? [], column)) {
        throw badRequest(`[columnName names the unknown column ${column}]`);
      }
      const stored = metricsOf(record);
      const known = stored.find((metric) => isSame(metric, name, column));
      const others = stored.filter((metric) => metric !== known);
      if (others.length >= MAX_METRICS) throw badRequest(`[${MEMBER} must have at most ${MAX_METRICS} items]`);
      const stamp = { updatedAt: engine.clock(), updatedBy: call.principal.name };
      return [...others, { ...body, ...owners, name, id: known?.['id'] ?? randomUUID(), ...stamp } as Metric];
    });
  };

const remove =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const { name = '', column } = call.params;
    return revise(engine, kind, call, (record) => {
      const stored = metricsOf(record);
      const rest = stored.filter((metric) => !isSame(metric, name, column));
      if (rest.length === stored.length) throw notFound(`Failed to find ${name} for ${record.name}`);
      return rest;
    });
  };

const routesFor = (engine: Engine, kind: Kind): Route[] => {
  const common = {
    tag: kind.title,
    access: { operation: 'EditDataProfile', resource: kind.entityType },
    responses: { 200: schema.record(kind) },
  } as const;
  const path = `/v1/${kind.path}/{id}/customMetric`;
  const removal = { ...common, method: 'DELETE', handle: remove(engine, kind) } as const;
  return [
    {
      ...common,
      method: 'PUT',
      path,
      summary: 'Add or replace a measurement',
      body: { schema: CustomMetric, mediaTypes: ['application/json'] },
      handle: put(engine, kind),
    },
    { ...removal, path: `${path}/{name}`, summary: 'Remove a measurement of the record' },
    { ...removal, path: `${path}/{column}/{name}`, summary: 'Remove a measurement of a column' },
  ];
};

/** The measurements that users define for kinds that have them. */
export const customMetricRoutes = (engine: Engine): Route[] =>
  engine.registry.kinds.filter((kind) => kind.members[MEMBER] !== undefined).flatMap((kind) => routesFor(engine, kind));
