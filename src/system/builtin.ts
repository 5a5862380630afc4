import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { viewFor } from '../catalog/read/answer.ts';
import { kindNamed } from '../catalog/registry.ts';
import { createRecord, patchRecord } from '../catalog/write/write.ts';
import type { Config } from '../config.ts';
import { CatalogError } from '../errors.ts';
import { packageRoot } from '../graph/package-root.ts';
import type { JsonObject } from '../model/json.ts';
import { joinFqn } from '../model/name.ts';
import { describedTypes } from './type-seeds.ts';

type Seed = { readonly kind: string; readonly body: JsonObject };

const readSeeds = (): Seed[] =>
  JSON.parse(readFileSync(join(packageRoot, 'seeds', 'builtin', 'records.json'), 'utf8')) as Seed[];

/** Somebody else having been faster is as good as having done it. */
const createOnce = async (engine: Engine, system: Principal, seed: Seed): Promise<void> => {
  try {
    await createRecord(engine, { kind: kindNamed(engine.registry, seed.kind), principal: system }, seed.body);
  } catch (failure) {
    if (!(failure instanceof CatalogError) || failure.code !== 'already_exists') throw failure;
  }
};

const makeAdmin = async (engine: Engine, system: Principal, name: string, config: Config): Promise<void> => {
  const kind = kindNamed(engine.registry, 'user');
  const fqn = joinFqn(undefined, name.toLowerCase());
  const email = `${name.toLowerCase()}@${config.auth.principalDomain}`;
  await createOnce(engine, system, { kind: 'user', body: { name, email, isAdmin: true } });
  const record = await engine.store.record(kind, { fqn }, new Set());
  if (!record || record.deleted || record.values['isAdmin'] === true) return;
  await patchRecord(
    engine,
    { kind, principal: system },
    {
      address: { fqn },
      patch: { form: 'merge', members: { isAdmin: true } },
      precondition: () => {},
      viewFor: (fields) => viewFor(engine, { principal: system, hrefBase: '' }, fields),
    },
  );
};

/**
 * The types of what the program declares. They are looked for together and written together; what a later start finds
 * there costs one query.
 */
const ensureTypes = async (engine: Engine, system: Principal): Promise<void> => {
  const kind = kindNamed(engine.registry, 'type');
  const missing = await Promise.all(
    describedTypes(engine.registry).map(async (type) => {
      const found = await engine.store.reference(kind, joinFqn(undefined, type.name));
      return found ? [] : [type];
    }),
  );
  await Promise.all(missing.flat().map(({ body }) => createOnce(engine, system, { kind: 'type', body: body() })));
};

/** Creates what every catalog starts with, as far as it is not there: safe on every start and by several processes. */
export const ensureBuiltIns = async (engine: Engine, system: Principal, config: Config): Promise<void> => {
  for (const seed of readSeeds()) await createOnce(engine, system, seed);
  await ensureTypes(engine, system);
  for (const name of new Set([system.name, ...config.auth.admins])) await makeAdmin(engine, system, name, config);
};
