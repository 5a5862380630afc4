import { buildPrincipal, type Principal, type UserRecord } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import { createRecord } from '../catalog/write/create.ts';
import { CatalogError } from '../errors.ts';
import { coalesce } from '../graph/coalesce.ts';
import { joinFqn } from '../model/name.ts';
import { readUserMemberships, type UserMembershipRow } from './queries.ts';

const NO_MEMBERSHIP: UserMembershipRow = {
  teamIds: [],
  roleIds: [],
  domainIds: [],
  identities: [],
  tokensVoidBefore: null,
};

/** Reads the memberships of users, separate from their records. Concurrent lookups share a query. */
const createMembershipReader = ({ graph }: Pick<Engine, 'graph'>) =>
  coalesce({
    name: readUserMemberships.name,
    observer: graph.observer,
    identity: (fqn) => fqn,
    load: async (fqns: readonly string[]): Promise<readonly UserMembershipRow[]> => {
      const found = new Array<UserMembershipRow>(fqns.length).fill(NO_MEMBERSHIP);
      const rows = fqns.map((fqn, at) => ({ fqn, at }));
      for (const { at, ...membership } of await graph.read(readUserMemberships, { rows })) found[at] = membership;
      return found;
    },
  });

const buildUserRecord = (
  record: Snapshot,
  { teamIds, roleIds, domainIds, identities, tokensVoidBefore }: UserMembershipRow,
): UserRecord => ({
  id: record.id,
  name: record.name,
  email: (record.values['email'] as string | undefined) ?? '',
  isAdmin: record.values['isAdmin'] === true,
  isBot: record.values['isBot'] === true,
  deleted: record.deleted,
  allowImpersonation: record.values['allowImpersonation'] === true,
  identities,
  ...(tokensVoidBefore === null ? {} : { tokensVoidBefore }),
  // Every read creates a new object, because caches of a caller's rights use it as their key.
  membership: { teamIds, roleIds, domainIds },
});

/** Creates the directory through which authentication reads and creates users. */
export const createUserDirectory = (engine: Engine, system: Principal) => {
  const kind = () => requireKind(engine.registry, 'user');
  const membershipOf = createMembershipReader(engine);
  const readUser = async (name: string): Promise<UserRecord | undefined> => {
    const fqn = joinFqn(undefined, name);
    const [record, membership] = await Promise.all([
      engine.store.record(kind(), { fqn }, NO_FIELDS),
      membershipOf(fqn),
    ]);
    return record ? buildUserRecord(record, membership) : undefined;
  };
  return {
    readUser,
    /**
     * Rebuilds the principal of an earlier request with current rights. Throws forbidden when the user no longer
     * exists.
     */
    refreshPrincipal: async (actor: Principal): Promise<Principal> => {
      if (actor.id === system.id) return actor;
      const user = await readUser(actor.name);
      if (!user || user.deleted || user.id !== actor.id)
        throw new CatalogError('forbidden', `The user ${actor.name} no longer exists`);
      const { impersonatedBy } = actor;
      const current = buildPrincipal(user, actor.email, actor.roles);
      return impersonatedBy === undefined ? current : { ...current, impersonatedBy };
    },
    createUser: async (user: { readonly name: string; readonly email: string }): Promise<UserRecord> => {
      const { record } = await createRecord(engine, { kind: kind(), principal: system }, user);
      return buildUserRecord(record, NO_MEMBERSHIP);
    },
  };
};
