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

const NO_MEMBERSHIP: UserMembershipRow = { teamIds: [], roleIds: [], domainIds: [], tokensVoidBefore: null };

/** Where people belong, read beside their records; look-ups that coincide share a query. */
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
  { teamIds, roleIds, domainIds, tokensVoidBefore }: UserMembershipRow,
): UserRecord => ({
  id: record.id,
  name: record.name,
  email: (record.values['email'] as string | undefined) ?? '',
  isAdmin: record.values['isAdmin'] === true,
  isBot: record.values['isBot'] === true,
  deleted: record.deleted,
  allowImpersonation: record.values['allowImpersonation'] === true,
  ...(tokensVoidBefore === null ? {} : { tokensVoidBefore }),
  // A new object for every record read: what is worked out for a caller hangs on it.
  membership: { teamIds, roleIds, domainIds },
});

/** The people of the catalog, as authentication wants to know them. */
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
    /** Somebody who asked for something a while ago, with the rights of now. Throws forbidden when the user is gone. */
    refreshPrincipal: async (actor: Principal): Promise<Principal> => {
      if (actor.id === system.id) return actor;
      const user = await readUser(actor.name);
      if (!user || user.deleted || user.id !== actor.id)
        throw new CatalogError('forbidden', `There is no user ${actor.name} any more`);
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
