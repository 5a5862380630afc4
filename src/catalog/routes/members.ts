import { badRequest, recordNotFound } from '../../errors.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import {
  equalJson,
  isObject,
  type Json,
  type JsonObject,
  member,
  withMember,
  withoutMember,
} from '../../model/json.ts';
import type { Attribute } from '../../model/kind/attribute.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { kindWords } from '../../model/kind/kind-words.ts';
import { operationsToReadFields } from '../../model/kind/required-operations.ts';
import type { SubResource } from '../../model/kind/sub-resource.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import { AnyJson, listOf } from '../../model/values.ts';
import type { Engine, Writer } from '../engine.ts';
import {
  buildWriteAnswer,
  CHANGE_HEADER,
  createPrecondition,
  createView,
  idAddress,
  readRequiredJson,
} from '../read/answer.ts';
import { authorizeRecord } from '../read/facts.ts';
import { renderRecord } from '../read/render.ts';
import { redactRecord } from '../read/sensitive-values.ts';
import { itemSchema, parseRelationPointers } from '../resolve/candidate.ts';
import { parseRecordPointer } from '../resolve/record-pointers.ts';
import { resolvePointer, resolveRelation } from '../resolve/references.ts';
import { reviseRecord } from '../write/update.ts';
import * as schema from './schemas.ts';

const reviseMember = async (
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
    precondition: createPrecondition(writer.kind, call),
    viewFor: (fields) => createView(engine, call, fields),
  });
  const shown = { ...written, record: await redactRecord(engine, call.principal, written.record) };
  return buildWriteAnswer(engine, call, shown, new Set([part.member]));
};

const readMemberAnswer = async (engine: Engine, kind: Kind, call: Call, part: SubResource): Promise<Answer> => {
  const fields = new Set([part.member]);
  const { id } = idAddress(call);
  const record = await engine.store.record(kind, { id }, fields);
  if (!record || record.deleted) throw recordNotFound(kind.entityType, id);
  await authorizeRecord(engine, call.principal, operationsToReadFields(kind, fields), record);
  const shown = await redactRecord(engine, call.principal, record);
  return { status: 200, json: renderRecord(shown, createView(engine, call, fields)) };
};

type ItemAddress = NonNullable<SubResource['item']>;

const SUMMARIES = { GET: 'Get', PUT: 'Replace', DELETE: 'Remove' } as const;

const ITEM_SUMMARIES = { GET: 'Get', PUT: 'Add items to', DELETE: 'Remove items from' } as const;

const summarize = (kind: Kind, { member: name, items }: SubResource, method: keyof typeof SUMMARIES): string =>
  `${(items ? ITEM_SUMMARIES : SUMMARIES)[method]} ${name} of ${kindWords(kind).a}`;

const isItem = (a: Json, b: Json): boolean => {
  const [left, right] = [a, b].map((item) => (isObject(item) ? member(item, 'id') : undefined));
  return left === undefined ? equalJson(a, b) : left === right;
};

/** Reads the items of a body, each in the form in which the document holds them. */
const parseItems = async (engine: Engine, kind: Kind, part: SubResource, body: unknown): Promise<readonly Json[]> => {
  const attribute = kind.members[part.member];
  const itemsSchema = attribute && itemSchema(attribute);
  const items = validate(listOf(itemsSchema ?? AnyJson), dropNulls(body as Json)) as readonly Json[];
  if (attribute?.store !== 'relation') return items;
  const nodes = await resolveRelation(engine, attribute, parseRelationPointers(attribute, items));
  return nodes.map(({ id, entityType }) => ({ id, type: entityType }));
};

const withItems = (document: JsonObject, name: string, items: readonly Json[], adds: boolean): JsonObject => {
  const present = (member(document, name) ?? []) as readonly Json[];
  const others = present.filter((known) => !items.some((item) => isItem(known, item)));
  return withMember(
    document,
    name,
    adds ? [...present, ...items.filter((item) => !present.some((known) => isItem(known, item)))] : others,
  );
};

/** Adds items to a list member, or removes them; the other items stay. */
const changeItems = (engine: Engine, kind: Kind, part: SubResource, adds: boolean) => async (call: Call) => {
  const items = await parseItems(engine, kind, part, await readRequiredJson(call));
  const writer = { kind, principal: call.principal, countWork: call.countWork };
  return reviseMember(engine, writer, call, part, (document) => withItems(document, part.member, items, adds));
};

/** Sets the item about the record that the path names: it replaces the existing item, or is appended. */
const putItem =
  (engine: Engine, kind: Kind, part: SubResource, { member: about, type, schema: shape }: ItemAddress) =>
  async (call: Call): Promise<Answer> => {
    const body = dropNulls((await readRequiredJson(call)) as Json);
    if (!isObject(body)) throw badRequest('[body must be an object]');
    const { id } = await resolvePointer(engine, { type, fqn: call.params[`${about}Fqn`] ?? '' }, [type]);
    const item = validate(shape, { [about]: { id, type }, ...body }) as JsonObject;
    const named = await resolvePointer(engine, parseRecordPointer(item[about] as JsonObject), [type]);
    if (named.id !== id) throw badRequest(`[${about} must be the one named in the path]`);
    return reviseMember(
      engine,
      { kind, principal: call.principal, countWork: call.countWork },
      call,
      part,
      (document) => {
        const items = (member(document, part.member) ?? []) as readonly JsonObject[];
        const at = items.findIndex((known) => (known[about] as JsonObject)['id'] === id);
        return withMember(document, part.member, at < 0 ? [...items, item] : items.with(at, item));
      },
    );
  };

const createHandler = (engine: Engine, kind: Kind, part: SubResource, method: 'GET' | 'PUT' | 'DELETE') => {
  if (method === 'GET') return (call: Call) => readMemberAnswer(engine, kind, call, part);
  if (part.items) return changeItems(engine, kind, part, method === 'PUT');
  return async (call: Call): Promise<Answer> => {
    const writer = { kind, principal: call.principal, countWork: call.countWork };
    if (method === 'DELETE')
      return reviseMember(engine, writer, call, part, (document) => withoutMember(document, part.member));
    const value = dropNulls((await readRequiredJson(call)) as Json);
    return reviseMember(engine, writer, call, part, (document) => {
      const applied = part.apply ? part.apply(document, value) : document;
      return withMember(applied, part.member, value);
    });
  };
};

const valueSchema = (attribute: Attribute | undefined) =>
  attribute && 'schema' in attribute ? attribute.schema : undefined;

/** The operation that viewing the member needs in addition to viewing the record. */
const viewOperationOf = (kind: Kind, { member: name }: SubResource): string =>
  operationsToReadFields(kind, new Set([name])).at(-1) ?? '';

const WRITE_HEADERS = { reads: ['If-Match'], sends: ['ETag', CHANGE_HEADER] } as const;

const memberRouteFor = (engine: Engine, kind: Kind, part: SubResource, method: 'GET' | 'PUT' | 'DELETE'): Route => {
  const attribute = kind.members[part.member];
  const schemaOf = part.items && attribute ? listOf(itemSchema(attribute)) : valueSchema(attribute);
  const body = schemaOf ? { schema: schemaOf, mediaTypes: ['application/json'] } : undefined;
  const takesBody = method === 'PUT' || (method === 'DELETE' && part.items === true);
  return {
    method,
    path: `/v1/${kind.path}/{id}/${part.path}`,
    summary: summarize(kind, part, method),
    tag: kind.title,
    access: { operation: method === 'GET' ? viewOperationOf(kind, part) : part.edit, resource: kind.entityType },
    ...(takesBody && body ? { body } : {}),
    responses: { 200: schema.recordSchema(kind) },
    ...(method === 'GET' ? {} : WRITE_HEADERS),
    handle: createHandler(engine, kind, part, method),
  };
};

const itemRoutesFor = (engine: Engine, kind: Kind, part: SubResource): Route[] =>
  part.item === undefined
    ? []
    : [
        {
          method: 'PUT',
          path: `/v1/${kind.path}/{id}/${part.path}/{${part.item.member}Fqn}`,
          summary: `Set an item of ${part.member} of ${kindWords(kind).a}`,
          tag: kind.title,
          access: { operation: part.edit, resource: kind.entityType },
          body: { schema: part.item.schema, mediaTypes: ['application/json'] },
          responses: { 200: schema.recordSchema(kind) },
          ...WRITE_HEADERS,
          handle: putItem(engine, kind, part, part.item),
        },
      ];

/** The routes of members that have an address of their own. */
export const memberRoutes = (engine: Engine): Route[] =>
  engine.registry.kinds.flatMap((kind) =>
    (kind.subResources ?? []).flatMap((part) => [
      ...part.methods.map((method) => memberRouteFor(engine, kind, part, method)),
      ...itemRoutesFor(engine, kind, part),
    ]),
  );
