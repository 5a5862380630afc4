import { demandAdmin, type RecordFacts } from '../access/authorize.ts';
import { ACCESSES, type ResourcePermissions } from '../access/explain.ts';
import type { Explainer } from '../access/judge.ts';
import { describePrincipal, type Principal, type UserRecord } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { addressOf } from '../catalog/read/answer.ts';
import { permit } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { keyOf } from '../catalog/read/store.ts';
import { kindNamed } from '../catalog/registry.ts';
import { badRequest, notFound, recordNotFound } from '../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import type { Fact } from '../model/decide.ts';
import { OPERATIONS, RESOURCES, Rule, resourceNamed } from '../model/policy-values.ts';
import { isUuid } from '../model/uuid.ts';
import { AnyJson, listOf, must, oneOf, shape, Text } from '../model/values.ts';

type Desk = {
  readonly engine: Engine;
  readonly explainer: Explainer;
  readonly readUser: (name: string) => Promise<UserRecord | undefined>;
};

const ResourcePermission = shape('ResourcePermission', {
  resource: must(Text),
  permissions: must(
    listOf(
      shape('Permission', {
        operation: must(oneOf(OPERATIONS)),
        access: must(oneOf(ACCESSES)),
        rule: Rule,
        policy: Text,
        role: Text,
      }),
    ),
  ),
});

const ResourcePermissionList = shape('ResourcePermissionList', {
  data: must(listOf(ResourcePermission)),
  paging: must(AnyJson),
});

const ALL_FACTS: ReadonlySet<Fact> = new Set(['owners', 'domains', 'tags', 'certification']);

/** What policies are asked about at once, at the most. */
const MAX_POLICIES = 100;

/** Whose rights are asked for: the caller's own, or, by an administrator, those of the user named. */
const subjectOf = async ({ readUser }: Desk, { principal, query }: Call): Promise<Principal> => {
  const name = query.get('user')?.toLowerCase();
  if (!name || name === principal.name) return principal;
  demandAdmin(principal, 'ViewAll');
  const user = await readUser(name);
  if (user === undefined || user.deleted) throw recordNotFound('user', name);
  return describePrincipal(user, '');
};

const resourceOf = ({ params }: Call): string => {
  const text = params['resource'] ?? '';
  const resource = resourceNamed(text);
  if (resource === undefined) throw notFound(`There is no resource called ${text}`);
  return resource;
};

const listed = (data: readonly ResourcePermissions[]): Answer => ({
  status: 200,
  json: { data, paging: { total: data.length } },
});

/** The rights of administrators follow from nothing that is read; everybody else's must be those of now. */
const settled = async ({ engine, explainer }: Desk, principal: Principal): Promise<Explainer> => {
  if (!principal.isAdmin) await engine.judge.settle();
  return explainer;
};

const listAll =
  (desk: Desk) =>
  async (call: Call): Promise<Answer> => {
    const principal = await subjectOf(desk, call);
    const { explain } = await settled(desk, principal);
    return listed(explain(principal, RESOURCES));
  };

const readResource =
  (desk: Desk) =>
  async (call: Call): Promise<Answer> => {
    const resource = resourceOf(call);
    const principal = await subjectOf(desk, call);
    const { explain } = await settled(desk, principal);
    return { status: 200, json: explain(principal, [resource])[0] };
  };

const factsOf = async ({ engine }: Desk, call: Call, resource: string): Promise<RecordFacts> => {
  const kind = engine.registry.byType.get(resource);
  if (!kind) throw notFound(`There are no records of the type ${resource}`);
  const address = addressOf(kind, call);
  const missing = () => recordNotFound(resource, keyOf(address));
  if ('id' in address && !isUuid(address.id)) throw missing();
  const record = await engine.store.record(kind, address, NO_FIELDS);
  const facts = record && !record.deleted ? await engine.facts.one(record.id, ALL_FACTS) : undefined;
  if (!facts) throw missing();
  return facts;
};

const readRecord =
  (desk: Desk) =>
  async (call: Call): Promise<Answer> => {
    const resource = resourceOf(call);
    const facts = await factsOf(desk, call, resource);
    const principal = await subjectOf(desk, call);
    const { explain } = await settled(desk, principal);
    return { status: 200, json: explain(principal, [resource], facts)[0] };
  };

/** Ids may be given several times, or separated by commas. */
const idsIn = (query: URLSearchParams): readonly string[] => {
  const ids = query
    .getAll('ids')
    .flatMap((text) => text.split(','))
    .map((text) => text.trim().toLowerCase())
    .filter((text) => text !== '');
  if (ids.length === 0) throw badRequest('[ids must not be null]');
  if (ids.length > MAX_POLICIES) throw badRequest(`[ids must have at most ${MAX_POLICIES} items]`);
  if (!ids.every(isUuid)) throw badRequest('[ids must be UUIDs]');
  return [...new Set(ids)];
};

const readPolicies =
  (desk: Desk) =>
  async (call: Call): Promise<Answer> => {
    const { engine, explainer } = desk;
    const kind = kindNamed(engine.registry, 'policy');
    const ids = idsIn(call.query);
    await Promise.all(
      ids.map(async (id) => {
        const record = await engine.store.record(kind, { id }, NO_FIELDS);
        if (!record || record.deleted) throw recordNotFound(kind.entityType, id);
        await permit(engine, call.principal, ['ViewAll'], record);
      }),
    );
    await engine.judge.settle();
    return listed(explainer.explainPolicies(ids, RESOURCES));
  };

const user: QueryParameter = {
  name: 'user',
  description: 'Name of the user whose permissions are meant, for administrators; the caller when absent',
  schema: { type: 'string' },
};
const ids: QueryParameter = {
  name: 'ids',
  description: 'Ids of policies, several times or separated by commas',
  schema: { type: 'string' },
};

const route = (rest: Pick<Route, 'path' | 'summary' | 'responses' | 'handle'> & Partial<Route>): Route => ({
  method: 'GET',
  tag: 'Permissions',
  access: 'authenticated',
  query: [user],
  ...rest,
});

/** What there is to ask about the rights of the caller, or for an administrator about those of others. */
export const permissionRoutes = (desk: Desk): Route[] => [
  route({
    path: '/v1/permissions',
    summary: 'List what the caller may do with every resource',
    responses: { 200: ResourcePermissionList },
    handle: listAll(desk),
  }),
  route({
    path: '/v1/permissions/policies',
    summary: 'List what policies say of every resource',
    query: [ids],
    responses: { 200: ResourcePermissionList },
    handle: readPolicies(desk),
  }),
  route({
    path: '/v1/permissions/{resource}',
    summary: 'Read what the caller may do with a resource',
    responses: { 200: ResourcePermission },
    handle: readResource(desk),
  }),
  route({
    path: '/v1/permissions/{resource}/{id}',
    summary: 'Read what the caller may do with one record, by id',
    responses: { 200: ResourcePermission },
    handle: readRecord(desk),
  }),
  route({
    path: '/v1/permissions/{resource}/name/{fqn}',
    summary: 'Read what the caller may do with one record, by name',
    responses: { 200: ResourcePermission },
    handle: readRecord(desk),
  }),
];
