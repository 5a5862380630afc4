import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Principal } from '../access/principal.ts';
import type { BuiltInAccounts } from '../access/provider-identity.ts';
import { restoreRecord } from '../catalog/cascade/delete-and-restore.ts';
import type { Engine } from '../catalog/engine.ts';
import { ACCESS_REVISION } from '../catalog/queries.ts';
import { createView } from '../catalog/read/answer.ts';
import { type Registry, requireKind } from '../catalog/registry.ts';
import { createRecord } from '../catalog/write/create.ts';
import { patchRecord, reviseRecord } from '../catalog/write/update.ts';
import type { Config } from '../config.ts';
import { CatalogError } from '../errors.ts';
import { packageRoot } from '../graph/package-root.ts';
import { type JsonObject, withMember } from '../model/json.ts';
import { joinFqn } from '../model/name.ts';
import { listBuiltInTypes } from './built-in-types.ts';
import { findAdministrator, readDefaults, updateDefaults } from './queries.ts';

/** A record that every catalog starts with. */
type BuiltInRecord = {
  readonly kind: string;
  readonly body: JsonObject;
  /** Values that requests cannot set. */
  readonly preset?: JsonObject;
  /** Names of related records, for relations that a body names by id. */
  readonly links?: Readonly<Record<string, readonly string[]>>;
};

type BuiltInBot = { readonly name: string; readonly role: string; readonly description: string };

const readSeedText = (file: string): string => readFileSync(join(packageRoot, 'seeds', 'builtin', file), 'utf8');

const readSeeds = <T>(file: string): readonly T[] => JSON.parse(readSeedText(file)) as T[];

/** An item of a list in the seeds that stands for the types of all services. */
const SERVICE_TYPES = '"{services}"';

/** Reads the records that every catalog starts with. */
const readBuiltInRecords = ({ kinds }: Registry): readonly BuiltInRecord[] => {
  const types = kinds.filter(({ platformView }) => platformView === 'service').map(({ entityType }) => entityType);
  const names = types.map((type) => JSON.stringify(type)).join(', ');
  return JSON.parse(readSeedText('records.json').replaceAll(SERVICE_TYPES, names)) as BuiltInRecord[];
};

const findByName = (engine: Engine, kind: string, name: string) =>
  engine.store.reference(requireKind(engine.registry, kind), joinFqn(undefined, name));

const requireId = async (engine: Engine, kind: string, name: string): Promise<string> => {
  const node = await findByName(engine, kind, name);
  if (!node) throw new Error(`the ${kind} ${name} does not exist`);
  return node.id;
};

const resolveLinks = async (engine: Engine, { kind, links = {} }: BuiltInRecord): Promise<JsonObject> => {
  const { attributes } = requireKind(engine.registry, kind);
  const members = Object.entries(links).map(async ([member, names]) => {
    const attribute = attributes[member];
    const type = attribute?.store === 'relation' ? (attribute.kinds[0] ?? '') : '';
    return [member, await Promise.all(names.map((name) => requireId(engine, type, name)))] as const;
  });
  return Object.fromEntries(await Promise.all(members));
};

/** The accounts of every new catalog. */
export const builtInAccounts = (system: Principal): BuiltInAccounts => ({
  administrator: system.name,
  bots: new Set(readSeeds<BuiltInBot>('bots.json').map(({ name }) => name)),
});

/** Creates a record. It is fine when another process was faster. */
const createIfMissing = async (engine: Engine, system: Principal, seed: BuiltInRecord): Promise<void> => {
  const writer = { kind: requireKind(engine.registry, seed.kind), principal: system };
  try {
    await createRecord(engine, writer, { ...seed.body, ...(await resolveLinks(engine, seed)) }, seed.preset);
  } catch (failure) {
    if (!(failure instanceof CatalogError) || failure.code !== 'already_exists') throw failure;
  }
};

/** The bot's token is created when an authorized caller first reads it. */
const TOKEN_MECHANISM = { authType: 'JWT', config: { JWTTokenExpiry: 'Unlimited' } } as const;

/** Creates a bot and its user. A user who already has the name keeps it, and then the bot is not created. */
const ensureBot = async (engine: Engine, system: Principal, bot: BuiltInBot, { auth }: Config): Promise<void> => {
  const { name, description, role } = bot;
  if (await findByName(engine, 'bot', name)) return;
  const email = `${name}@${auth.principalDomain}`;
  const body = { name, description, email, isBot: true, authenticationMechanism: TOKEN_MECHANISM };
  await createIfMissing(engine, system, { kind: 'user', body, links: { roles: [role] } });
  const user = await findByName(engine, 'user', name);
  if (!user || user.deleted || user.isBot !== true) return;
  await createIfMissing(engine, system, {
    kind: 'bot',
    body: { name, description, botUser: name, provider: 'system' },
  });
};

const addMissingRefs = (document: JsonObject, member: string, type: string, ids: readonly string[]): JsonObject => {
  const present = (document[member] ?? []) as readonly JsonObject[];
  const missing = ids.filter((id) => !present.some((ref) => ref['id'] === id));
  return missing.length === 0
    ? document
    : withMember(document, member, [...present, ...missing.map((id) => ({ id, type }))]);
};

/** Adds to older catalogs what they lack, once on each store: what an administrator changes afterwards stays. */
const addOnce = async ({ graph }: Engine, name: string, work: () => Promise<unknown>): Promise<void> => {
  const [known] = await graph.read(readDefaults, { name });
  if (known) return;
  await work();
  await graph.write((transaction) => transaction.run(updateDefaults, { name }));
};

/**
 * Gives the Organization its default roles and policies once, because catalogs from before roles existed have none. If
 * an administrator removes them later, they stay removed.
 */
const addDefaults = async (engine: Engine, system: Principal, organization: BuiltInRecord): Promise<void> => {
  const kind = requireKind(engine.registry, organization.kind);
  const { defaultRoles, policies } = (await resolveLinks(engine, organization)) as Readonly<
    Record<string, readonly string[]>
  >;
  await reviseRecord(
    engine,
    { kind, principal: system },
    {
      address: { fqn: String(organization.body['name']) },
      revise: (document) =>
        addMissingRefs(
          addMissingRefs(document, 'defaultRoles', 'role', defaultRoles ?? []),
          'policies',
          'policy',
          policies ?? [],
        ),
      touched: ['defaultRoles', 'policies'],
      isJsonPatch: false,
      operations: ['EditAll'],
      precondition: () => {},
      viewFor: (fields) => createView(engine, { hrefBase: '' }, fields),
    },
  );
};

/** Marks a store in which the rule below was created. */
const SECRETS_MARKER = 'ViewSecrets';
/**
 * The rule that lets the ingestion bot see connection secrets. It grants `All` on services, because existing clients
 * read every policy and do not know the operation `ViewSecrets`.
 */
const SECRETS_RULE = 'ReadConnections';
const INGESTION_POLICY = 'IngestionBotPolicy';

/**
 * Bots used to see connection secrets because they are bots. This gives the built-in ingestion bot's policy the new
 * rule once in older catalogs. If an administrator removes it later, it stays removed.
 */
const addSecretsRule = async (engine: Engine, system: Principal, seeds: readonly BuiltInRecord[]): Promise<void> => {
  const seed = seeds.find(({ kind, body }) => kind === 'policy' && body['name'] === INGESTION_POLICY);
  const rules = (seed?.body['rules'] ?? []) as readonly JsonObject[];
  const missing = rules.filter(({ name }) => name === SECRETS_RULE);
  const revise = (document: JsonObject): JsonObject => {
    const present = (document['rules'] ?? []) as readonly JsonObject[];
    const names = new Set(present.map(({ name }) => name));
    return withMember(document, 'rules', [...present, ...missing.filter(({ name }) => !names.has(name ?? null))]);
  };
  const kind = requireKind(engine.registry, 'policy');
  if (await findByName(engine, 'policy', INGESTION_POLICY)) {
    await reviseRecord(
      engine,
      { kind, principal: system },
      {
        address: { fqn: INGESTION_POLICY },
        revise,
        touched: ['rules'],
        isJsonPatch: false,
        operations: ['EditAll'],
        precondition: () => {},
        viewFor: (fields) => createView(engine, { hrefBase: '' }, fields),
      },
    );
  }
};

/** Sets members of a record by its fully qualified name. */
const patchMembers = async (
  engine: Engine,
  system: Principal,
  type: string,
  fqn: string,
  members: JsonObject,
): Promise<void> => {
  await patchRecord(
    engine,
    { kind: requireKind(engine.registry, type), principal: system },
    {
      address: { fqn },
      patch: { form: 'merge', members },
      precondition: () => {},
      viewFor: (fields) => createView(engine, { hrefBase: '' }, fields),
    },
  );
};

const ensureAdmin = async (engine: Engine, system: Principal, name: string, config: Config): Promise<void> => {
  const kind = requireKind(engine.registry, 'user');
  const fqn = joinFqn(undefined, name.toLowerCase());
  const email = `${name.toLowerCase()}@${config.auth.principalDomain}`;
  if (!(await findByName(engine, 'user', name.toLowerCase()))) {
    await createIfMissing(engine, system, { kind: 'user', body: { name, email, isAdmin: true } });
  }
  const record = await engine.store.record(kind, { fqn }, new Set());
  if (!record || record.deleted || record.values['isAdmin'] === true) return;
  await patchMembers(engine, system, 'user', fqn, { isAdmin: true });
};

/**
 * Ensures an administrator after every start. When none is left, it creates or restores the built-in administrator or
 * gives the right back; otherwise it leaves that account unchanged.
 */
const ensureAdministrator = async (engine: Engine, system: Principal, config: Config): Promise<void> => {
  const [known] = await engine.graph.read(findAdministrator, { preferred: system.name });
  if (known) return;
  const kind = requireKind(engine.registry, 'user');
  const fqn = joinFqn(undefined, system.name);
  const record = await engine.store.record(kind, { fqn }, new Set());
  if (record?.deleted) await restoreRecord(engine, { kind, principal: system }, record.id);
  if (record) await patchMembers(engine, system, 'user', fqn, { isAdmin: true, isBot: false });
  else await ensureAdmin(engine, system, system.name, config);
};

/** Answers which of some records do not exist. They are looked for together, by one query for each kind. */
const listMissing = async <T>(
  engine: Engine,
  items: readonly T[],
  placeOf: (item: T) => { readonly kind: string; readonly fqn: string },
): Promise<readonly T[]> => {
  const known = await Promise.all(
    items.map((item) => {
      const { kind, fqn } = placeOf(item);
      return engine.store.reference(requireKind(engine.registry, kind), fqn);
    }),
  );
  return items.filter((_, at) => !known[at]);
};

const placeOfSeed = ({ kind, body: { name, classification } }: BuiltInRecord) => ({
  kind,
  fqn: joinFqn(classification === undefined ? undefined : String(classification), String(name)),
});

/** Creates the missing built-in types, reading and writing them together. */
const ensureTypes = async (engine: Engine, system: Principal): Promise<void> => {
  const types = listBuiltInTypes(engine.registry);
  const missing = await listMissing(engine, types, ({ name }) => ({ kind: 'type', fqn: joinFqn(undefined, name) }));
  await Promise.all(missing.map(({ body }) => createIfMissing(engine, system, { kind: 'type', body: body() })));
};

/** Marks a store in which test definitions name their validators. */
const VALIDATORS_MARKER = 'validators of test definitions';

/** Names the classes by which existing clients run the built-in tests. Older catalogs did not know them. */
const addValidators = async (engine: Engine, system: Principal, seeds: readonly BuiltInRecord[]): Promise<void> => {
  const kind = requireKind(engine.registry, 'testDefinition');
  await Promise.all(
    seeds.map(async (seed) => {
      const { fqn } = placeOfSeed(seed);
      const record = await engine.store.record(kind, { fqn }, new Set());
      if (!record || record.deleted || record.values['validatorClass']) return;
      const { validatorClass = null } = seed.body;
      await patchMembers(engine, system, seed.kind, fqn, { validatorClass });
    }),
  );
};

/** Creates the missing built-in test definitions. */
const ensureTestDefinitions = async (engine: Engine, system: Principal): Promise<void> => {
  const seeds = readSeeds<BuiltInRecord>('test-definitions.json');
  const missing = await listMissing(engine, seeds, placeOfSeed);
  await Promise.all(missing.map((seed) => createIfMissing(engine, system, seed)));
  await addOnce(engine, VALIDATORS_MARKER, () => addValidators(engine, system, seeds));
};

/** Creates the missing built-in records. It is safe on every start and in several processes at once. */
export const ensureBuiltIns = async (engine: Engine, system: Principal, config: Config): Promise<void> => {
  const seeds = readBuiltInRecords(engine.registry);
  // One after the other, because some name earlier ones.
  for (const seed of await listMissing(engine, seeds, placeOfSeed)) await createIfMissing(engine, system, seed);
  for (const seed of seeds.filter(({ kind }) => kind === 'team')) {
    await addOnce(engine, ACCESS_REVISION, () => addDefaults(engine, system, seed));
  }
  await addOnce(engine, `${ACCESS_REVISION} ${SECRETS_MARKER}`, () => addSecretsRule(engine, system, seeds));
  await ensureTypes(engine, system);
  await ensureTestDefinitions(engine, system);
  await ensureAdministrator(engine, system, config);
  for (const name of new Set(config.auth.admins)) await ensureAdmin(engine, system, name, config);
  for (const bot of readSeeds<BuiltInBot>('bots.json')) await ensureBot(engine, system, bot, config);
};
