import type { Principal, UserRecord } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import { createRecord } from '../catalog/write/write.ts';
import { joinFqn } from '../model/name.ts';

const userRecord = (record: Snapshot): UserRecord => ({
  id: record.id,
  name: record.name,
  email: (record.values['email'] as string | undefined) ?? '',
  isAdmin: record.values['isAdmin'] === true,
  isBot: record.values['isBot'] === true,
  deleted: record.deleted,
  allowImpersonation: record.values['allowImpersonation'] === true,
});

/** The people of the catalog, as authentication wants to know them. */
export const createUserDirectory = (engine: Engine, system: Principal) => {
  const kind = () => kindNamed(engine.registry, 'user');
  return {
    readUser: async (name: string): Promise<UserRecord | undefined> => {
      const record = await engine.store.record(kind(), { fqn: joinFqn(undefined, name) }, NO_FIELDS);
      return record ? userRecord(record) : undefined;
    },
    createUser: async (user: { readonly name: string; readonly email: string }): Promise<UserRecord> => {
      const { record } = await createRecord(engine, { kind: kind(), principal: system }, user);
      return userRecord(record);
    },
  };
};
