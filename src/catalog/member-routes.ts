import { recordNotFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { type Json, type JsonObject, withMember, withoutMember } from '../model/json.ts';
import type { Kind, SubResource } from '../model/kind.ts';
import { dropNulls } from '../model/validate.ts';
import { idAddress, requiredJson, viewFor, writeAnswer } from './answer.ts';
import type { Engine, Writer } from './engine.ts';
import { render } from './render.ts';
import * as schema from './schemas.ts';
import { reviseRecord } from './write.ts';

const revise = async (
  engine: Engine,
  writer: Writer,
  call: Call,
  part: SubResource,
  change: (document: JsonObject) => JsonObject,
): Promise<Answer> => {
  const written = await reviseRecord(engine, writer, {
    address: idAddress(call),
    revise: change,
    touched: [part.member],
    isJsonPatch: false,
    operations: [part.edit],
    precondition: () => {},
    viewFor: (fields) => viewFor(engine, call, fields),
  });
  return writeAnswer(engine, call, written);
};

const read = async (engine: Engine, kind: Kind, call: Call, part: SubResource): Promise<Answer> => {
  const fields = new Set([part.member]);
  const { id } = idAddress(call);
  const record = await engine.store.record(kind, { id }, fields);
  if (!record || record.deleted) throw recordNotFound(kind.entityType, id);
  engine.authorize(call.principal, [part.view], { resource: kind.entityType, record });
  return { status: 200, json: render(record, viewFor(engine, call, fields)) };
};

const SUMMARIES = { GET: 'Read', PUT: 'Replace', DELETE: 'Remove' } as const;

const handlerFor = (engine: Engine, kind: Kind, part: SubResource, method: 'GET' | 'PUT' | 'DELETE') => {
  if (method === 'GET') return (call: Call) => read(engine, kind, call, part);
  return async (call: Call): Promise<Answer> => {
    const writer = { kind, principal: call.principal };
    if (method === 'DELETE')
      return revise(engine, writer, call, part, (document) => withoutMember(document, part.member));
    const value = dropNulls((await requiredJson(call)) as Json);
    return revise(engine, writer, call, part, (document) => withMember(document, part.member, value));
  };
};

const routeFor = (engine: Engine, kind: Kind, part: SubResource, method: 'GET' | 'PUT' | 'DELETE'): Route => {
  const attribute = kind.members[part.member];
  const body =
    attribute && 'schema' in attribute ? { schema: attribute.schema, mediaTypes: ['application/json'] } : undefined;
  return {
    method,
    path: `/v1/${kind.path}/{id}/${part.path}`,
    summary: `${SUMMARIES[method]} the member ${part.member}`,
    tag: kind.title,
    access: { operation: method === 'GET' ? part.view : part.edit, resource: kind.entityType },
    ...(method === 'PUT' && body ? { body } : {}),
    responses: { 200: schema.record(kind) },
    handle: handlerFor(engine, kind, part, method),
  };
};

/** The operations on members that have an address of their own. */
export const memberRoutes = (engine: Engine): Route[] =>
  engine.registry.kinds.flatMap((kind) =>
    (kind.subResources ?? []).flatMap((part) => part.methods.map((method) => routeFor(engine, kind, part, method))),
  );
