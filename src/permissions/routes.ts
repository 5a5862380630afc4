import { demandAdmin, type RecordFacts } from '../access/authorization.ts';
import type { PermissionExplainer } from '../access/authorizer.ts';
import { ACCESS_LEVELS, type ResourcePermissions } from '../access/explain-permissions.ts';
import { buildPrincipal, type Principal, type UserRecord } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { parseAddress } from '../catalog/read/answer.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { addressKey } from '../catalog/read/store.ts';
import { requireKind } from '../catalog/registry.ts';
import { badRequest, notFound, recordNotFound } from '../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import type { ResourceFact } from '../model/language/condition-evaluation.ts';
import {
  findPolicyResource,
  listPolicyResources,
  POLICY_OPERATIONS,
  PolicyRuleSchema,
} from '../model/schemas/access/policy.ts';
import { isUuid } from '../model/uuid.ts';
import { AnyJson, listOf, must, oneOf, shape, Text } from '../model/values.ts';

type PermissionDeps = {
  readonly engine: Engine;
  readonly explainer: PermissionExplainer;
  readonly readUser: (name: string) => Promise<UserRecord | undefined>;
};

const ResourcePermission = shape('ResourcePermission', {
  resource: must(Text),
  permissions: must(
    listOf(
      shape('Permission', {
        operation: must(oneOf(POLICY_OPERATIONS)),
        access: must(oneOf(ACCESS_LEVELS)),
        rule: PolicyRuleSchema,
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

const ALL_FACTS: ReadonlySet<ResourceFact> = new Set(['owners', 'domains', 'tags', 'certification', 'subjects']);

/** The maximum number of policies in one request. */
const MAX_POLICIES = 100;

/** The user whose rights are requested: the caller, or a named user when the caller is an administrator. */
const resolvePermissionSubject = async (
  { readUser }: PermissionDeps,
  { principal, query }: Call,
): Promise<Principal> => {
  const userName = query.get('user')?.toLowerCase();
  if (!userName || userName === principal.name) return principal;
  demandAdmin(principal, 'ViewAll');
  const user = await readUser(userName);
  if (user === undefined || user.deleted) throw recordNotFound('user', userName);
  return buildPrincipal(user, '');
};

const parseResource = ({ params }: Call): string => {
  const text = params['resource'] ?? '';
  const resource = findPolicyResource(text);
  if (resource === undefined) throw notFound(`Unknown resource ${text}`);
  return resource;
};

const answerPermissions = (data: readonly ResourcePermissions[]): Answer => ({
  status: 200,
  json: { data, paging: { total: data.length } },
});

/**
 * Refreshes the rights before they are explained. Administrators' rights depend on nothing that is read, so they need
 * no refresh.
 */
const refreshExplainer = async (
  { engine, explainer }: PermissionDeps,
  principal: Principal,
): Promise<PermissionExplainer> => {
  if (!principal.isAdmin) await engine.authorizer.ensureFresh();
  return explainer;
};

const listPermissions =
  (deps: PermissionDeps) =>
  async (call: Call): Promise<Answer> => {
    const principal = await resolvePermissionSubject(deps, call);
    const { explain } = await refreshExplainer(deps, principal);
    return answerPermissions(explain(principal, listPolicyResources()));
  };

const readResourcePermissions =
  (deps: PermissionDeps) =>
  async (call: Call): Promise<Answer> => {
    const resource = parseResource(call);
    const principal = await resolvePermissionSubject(deps, call);
    const { explain } = await refreshExplainer(deps, principal);
    return { status: 200, json: explain(principal, [resource])[0] };
  };

const readRecordFacts = async ({ engine }: PermissionDeps, call: Call, resource: string): Promise<RecordFacts> => {
  const kind = engine.registry.byType.get(resource);
  if (!kind) throw notFound(`Unknown entity type ${resource}`);
  const address = parseAddress(kind, call);
  const missing = () => recordNotFound(resource, addressKey(address));
  if ('id' in address && !isUuid(address.id)) throw missing();
  const record = await engine.store.record(kind, address, NO_FIELDS);
  const facts = record && !record.deleted ? await engine.facts.read(record.id, ALL_FACTS) : undefined;
  if (!facts) throw missing();
  return facts;
};

const readRecordPermissions =
  (deps: PermissionDeps) =>
  async (call: Call): Promise<Answer> => {
    const resource = parseResource(call);
    const facts = await readRecordFacts(deps, call, resource);
    const principal = await resolvePermissionSubject(deps, call);
    const { explain } = await refreshExplainer(deps, principal);
    return { status: 200, json: explain(principal, [resource], facts)[0] };
  };

/** Parses policy ids, which may be repeated or separated by commas. */
const parsePolicyIds = (query: URLSearchParams): readonly string[] => {
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

const readPolicyPermissions =
  (deps: PermissionDeps) =>
  async (call: Call): Promise<Answer> => {
    const { engine, explainer } = deps;
    const kind = requireKind(engine.registry, 'policy');
    const ids = parsePolicyIds(call.query);
    await Promise.all(
      ids.map(async (id) => {
        const record = await engine.store.record(kind, { id }, NO_FIELDS);
        if (!record || record.deleted) throw recordNotFound(kind.entityType, id);
        await authorizeRecord(engine, call.principal, ['ViewAll'], record);
      }),
    );
    await engine.authorizer.ensureFresh();
    return answerPermissions(explainer.explainPolicies(ids, listPolicyResources()));
  };

const userParameter: QueryParameter = {
  name: 'user',
  description: 'Name of the user whose permissions are returned (administrators only); the caller by default',
  schema: { type: 'string' },
};
const idsParameter: QueryParameter = {
  name: 'ids',
  description: 'IDs of policies, repeated or comma-separated',
  schema: { type: 'string' },
};

const permissionRoute = (rest: Pick<Route, 'path' | 'summary' | 'responses' | 'handle'> & Partial<Route>): Route => ({
  method: 'GET',
  tag: 'Permissions',
  access: 'authenticated',
  query: [userParameter],
  ...rest,
});

/** Routes that explain the rights of the caller, or of other users for an administrator. */
export const permissionRoutes = (deps: PermissionDeps): Route[] => [
  permissionRoute({
    path: '/v1/permissions',
    summary: 'List permissions on all resources',
    responses: { 200: ResourcePermissionList },
    handle: listPermissions(deps),
  }),
  permissionRoute({
    path: '/v1/permissions/policies',
    summary: 'List the permissions that policies grant on all resources',
    query: [idsParameter],
    responses: { 200: ResourcePermissionList },
    handle: readPolicyPermissions(deps),
  }),
  permissionRoute({
    path: '/v1/permissions/{resource}',
    summary: 'Get permissions on a resource',
    responses: { 200: ResourcePermission },
    handle: readResourcePermissions(deps),
  }),
  permissionRoute({
    path: '/v1/permissions/{resource}/{id}',
    summary: 'Get permissions on an asset by ID',
    responses: { 200: ResourcePermission },
    handle: readRecordPermissions(deps),
  }),
  permissionRoute({
    path: '/v1/permissions/{resource}/name/{fqn}',
    summary: 'Get permissions on an asset by name',
    responses: { 200: ResourcePermission },
    handle: readRecordPermissions(deps),
  }),
];
