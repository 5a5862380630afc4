import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { StartupError } from '../errors.ts';
import type { Kind } from '../model/kind/kind.ts';
import type { Graph } from './client.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { packageRoot } from './package-root.ts';
import {
  dropCommand,
  matchesDefinition,
  parseSchemaDefinition,
  type SchemaDefinition,
  type StoredIndex,
  stripStatement,
} from './schema-definition.ts';
import { statement } from './statement.ts';

/** Brings the schema of the store up to date: data migrations, constraints and indexes. */

/** The version of the store's format. Incremented when older programs can no longer read what this one writes. */
export const STORE_VERSION = 4;

export type SchemaStep = { readonly name: string; readonly text: string };

type NoSchemaParams = Record<string, never>;

type AppliedStep = {
  readonly name: string;
  readonly hash: string;
  readonly version: number;
  /**
   * The index or constraint that the step created. Empty when it created none, absent when an older program applied the
   * step.
   */
  readonly object: string | null;
};

const readSteps = statement<NoSchemaParams, AppliedStep>('graph/read_schema_steps', {
  params: [],
  row: ['name', 'hash', 'version', 'object'],
});
const recordStepRows = statement<{ rows: readonly Omit<AppliedStep, 'version'>[]; version: number }, { name: string }>(
  'graph/update_schema_steps',
  { params: ['rows', 'version'], row: ['name'] },
);
const raiseVersion = statement<{ version: number }, { raised: number }>('graph/update_store_version', {
  params: ['version'],
  row: ['raised'],
});
const deleteSteps = statement<{ names: readonly string[] }, NoSchemaParams>('graph/delete_schema_steps', {
  params: ['names'],
  row: [],
});
const listIndexes = statement<NoSchemaParams, StoredIndex>('graph/list_indexes', {
  params: [],
  row: [
    'name',
    'type',
    'entityType',
    'labelsOrTypes',
    'properties',
    'options',
    'owningConstraint',
    'state',
    'populationPercent',
  ],
});
const readIsEmpty = statement<NoSchemaParams, { isEmpty: boolean }>('graph/read_is_empty', {
  params: [],
  row: ['isEmpty'],
});
const readRestore = statement<NoSchemaParams, { startedAt: number }>('graph/read_restore', {
  params: [],
  row: ['startedAt'],
});
const readFingerprints = statement<{ name: string }, { values: readonly string[] | null }>('graph/read_fingerprints', {
  params: ['name'],
  row: ['values'],
});
const claimFingerprints = statement<
  { name: string; names: readonly string[] },
  { isShared: boolean; isRotated: boolean }
>('graph/claim_fingerprints', { params: ['name', 'names'], row: ['isShared', 'isRotated'] });

const readFileSteps = (): SchemaStep[] => {
  const folder = join(packageRoot, 'cypher', 'schema');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.cypher'))
    .sort()
    .map((file) => ({ name: file.replace('.cypher', ''), text: readFileSync(join(folder, file), 'utf8') }));
};

const uniqueConstraintStep = (label: string, property: string): SchemaStep => ({
  name: `${label}_${property}`,
  text: `CREATE CONSTRAINT ${label}_${property} IF NOT EXISTS FOR (n:${label}) REQUIRE n.${property} IS UNIQUE`,
});

/** Builds the schema steps of a kind: its uniqueness constraints. Records of all kinds share the indexes of lists. */
const kindSteps = ({ label, sharesNames, unique = [] }: Kind): SchemaStep[] => [
  ...(sharesNames ? [] : [uniqueConstraintStep(label, 'fullyQualifiedName')]),
  ...unique.map((property) => uniqueConstraintStep(label, property)),
];

const stepHash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Repeats a step that failed because another process applies it at the same time. Every step is safe to repeat. */
const retryStep = async (work: () => Promise<void>): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (failure) {
      if (attempt === 5) throw failure;
      await sleep(200 * attempt);
    }
  }
};

/**
 * Throws when the store is newer than the program. `versions` are those of the recorded steps, `known` is the
 * program's.
 */
export const refuseNewerVersion = (versions: readonly number[], known = STORE_VERSION): void => {
  const newest = Math.max(0, ...versions);
  if (newest > known) {
    throw new StartupError(
      `The store was written by a newer version of Tributary (store version ${newest}, this program knows ${known}). Use the newer program, or another store.`,
    );
  }
};

const refuseIncompleteStore = (restores: readonly { startedAt: number }[]): void => {
  if (restores.length === 0) return;
  throw new StartupError(
    'This store is incomplete: a restore into it did not finish. Run "tributary restore FILE" again.',
  );
};

/** The state of the store during an upgrade. */
type SchemaUpgrade = {
  readonly graph: Graph;
  readonly report: (line: string) => void;
  readonly applied: ReadonlyMap<string, AppliedStep>;
  readonly stored: ReadonlyMap<string, StoredIndex>;
};

const REPORT_EVERY_MS = 2000;

/** Reports progress from time to time, so that a long step does not look stuck. */
const createProgressReporter = (report: (line: string) => void) => {
  let saidMs = performance.now();
  return (line: () => string): void => {
    if (performance.now() - saidMs < REPORT_EVERY_MS) return;
    saidMs = performance.now();
    report(line());
  };
};

const isStepApplied = ({ applied }: SchemaUpgrade, step: SchemaStep, object: string): boolean => {
  const known = applied.get(step.name);
  return known?.hash === stepHash(step.text) && known.object === object;
};

const recordAppliedSteps = async (
  { graph }: SchemaUpgrade,
  steps: readonly { readonly step: SchemaStep; readonly object: string }[],
) => {
  if (steps.length === 0) return;
  const rows = steps.map(({ step, object }) => ({ name: step.name, hash: stepHash(step.text), object }));
  await graph.write((transaction) => transaction.run(recordStepRows, { rows, version: STORE_VERSION }));
};

/**
 * Stores the new version before anything changes. A release may raise it without a new step, and an older program must
 * not start on a partly migrated store.
 */
const raiseStoreVersion = async ({ graph, applied }: SchemaUpgrade): Promise<void> => {
  if ([...applied.values()].every(({ version }) => version >= STORE_VERSION)) return;
  await retryStep(async () => {
    await graph.write((transaction) => transaction.run(raiseVersion, { version: STORE_VERSION }));
  });
};

const INDEX_POLL_MS = 100;

/** Waits until all indexes are complete. A large store needs minutes for that. */
const waitForIndexes = async ({ graph, report }: SchemaUpgrade): Promise<void> => {
  const tick = createProgressReporter(report);
  for (;;) {
    const indexes = await graph.read(listIndexes, {});
    const building = indexes.filter(({ state }) => state === 'POPULATING');
    if (building.length === 0) return;
    tick(
      () =>
        `indexes: ${building.map(({ name, populationPercent }) => `${name} ${Math.floor(populationPercent)} %`).join(', ')}`,
    );
    await sleep(INDEX_POLL_MS);
  }
};

/**
 * Creates a missing constraint or index, and recreates one with another definition, because `IF NOT EXISTS` compares
 * the name only. An equivalent one under another name, created by an operator, is used as it is.
 */
const applyDefinition = async (
  { graph, report, stored }: SchemaUpgrade,
  step: SchemaStep,
  wanted: SchemaDefinition,
): Promise<boolean> => {
  const present = stored.get(wanted.name);
  if (present && present.state !== 'FAILED' && matchesDefinition(present, wanted)) return false;
  if (!present && [...stored.values()].some((other) => matchesDefinition(other, wanted))) return false;
  await retryStep(async () => {
    if (present) {
      report(`replacing ${wanted.name}, which has another definition`);
      await graph.runSchemaCommand(dropCommand(present));
    }
    await graph.runSchemaCommand(step.text);
  });
  return true;
};

/**
 * Matches the text of a step that changes data in batches. It returns how much it changed and runs until nothing is
 * left.
 */
const REPORTS_CHANGES = /\bRETURN count\(\*\) AS changed$/;

const changeDataInBatches = async ({ graph, report }: SchemaUpgrade, step: SchemaStep): Promise<void> => {
  const tick = createProgressReporter(report);
  for (let total = 0; ; ) {
    let changed = 0;
    await retryStep(async () => {
      const [row] = await graph.query(step.text);
      changed = Number(row?.['changed'] ?? 0);
    });
    if (changed === 0) return;
    total += changed;
    tick(() => `${step.name}: ${total.toLocaleString('en-US')} changed`);
  }
};

/** Runs a step that changes data. After a crash it starts again and processes what is left. */
const changeData = async (upgrade: SchemaUpgrade, step: SchemaStep): Promise<void> => {
  if (REPORTS_CHANGES.test(stripStatement(step.text))) return changeDataInBatches(upgrade, step);
  const begunMs = performance.now();
  const timer = setInterval(
    () => upgrade.report(`${step.name}: ${Math.round((performance.now() - begunMs) / 1000)} s`),
    REPORT_EVERY_MS,
  );
  try {
    await retryStep(() => upgrade.graph.runSchemaCommand(step.text));
  } finally {
    clearInterval(timer);
  }
};

/**
 * Applies steps in order. A data change is recorded as soon as it is done, so that a later crash does not repeat it.
 * Indexes are complete before a step changes data that needs them.
 */
const applySteps = async (upgrade: SchemaUpgrade, steps: readonly SchemaStep[]): Promise<void> => {
  const defined: { readonly step: SchemaStep; readonly object: string }[] = [];
  const tick = createProgressReporter(upgrade.report);
  let isBuilding = false;
  let made = 0;
  const isUpgrade = upgrade.applied.size > 0;
  for (const step of steps) {
    const definition = parseSchemaDefinition(step);
    if (definition) {
      const isNew = await applyDefinition(upgrade, step, definition);
      isBuilding ||= isNew;
      if (isNew || !isStepApplied(upgrade, step, definition.name)) defined.push({ step, object: definition.name });
      if (isNew) made += 1;
      tick(() => `constraints and indexes: ${made} made`);
    } else if (upgrade.applied.get(step.name)?.hash !== stepHash(step.text)) {
      if (isBuilding) await waitForIndexes(upgrade);
      isBuilding = false;
      if (isUpgrade) upgrade.report(`step ${step.name}`);
      await changeData(upgrade, step);
      await recordAppliedSteps(upgrade, [{ step, object: '' }]);
    }
  }
  if (isBuilding) await waitForIndexes(upgrade);
  await recordAppliedSteps(upgrade, defined);
};

/** More schema commands at a time only wait for each other. */
const CONCURRENT_COMMANDS = 4;

/** A step that starts from data has nothing to do in a store without data, and neither has one that drops an index. */
const hasNothingToDo = ({ text }: SchemaStep): boolean => /^(MATCH|DROP)\b/.test(stripStatement(text));

/** Applies steps to a store without data. Constraints and indexes need no order, so several are made at a time. */
const applyStepsToEmptyStore = async (upgrade: SchemaUpgrade, steps: readonly SchemaStep[]): Promise<void> => {
  const tick = createProgressReporter(upgrade.report);
  let made = 0;
  const applied = await mapConcurrently(steps, CONCURRENT_COMMANDS, async (step) => {
    const definition = parseSchemaDefinition(step);
    if (definition && (await applyDefinition(upgrade, step, definition))) made += 1;
    tick(() => `constraints and indexes: ${made} made`);
    return { step, object: definition?.name };
  });
  await waitForIndexes(upgrade);
  for (const { step, object } of applied) {
    if (object === undefined && !hasNothingToDo(step)) await changeData(upgrade, step);
  }
  await recordAppliedSteps(
    upgrade,
    applied.map(({ step, object = '' }) => ({ step, object })),
  );
};

/**
 * Removes the constraints and indexes of former steps. Older programs did not record what a step created, and then its
 * name tells. Full-text indexes stay until their content is rebuilt, because processes of the older program still query
 * them.
 */
const removeObsoleteDefinitions = async (
  { graph, report, applied }: SchemaUpgrade,
  steps: readonly SchemaStep[],
): Promise<void> => {
  const names = new Set(steps.map(({ name }) => name));
  const wanted = new Set(steps.flatMap((step) => parseSchemaDefinition(step)?.name ?? []));
  const former = [...applied.values()].filter(({ name }) => !names.has(name));
  if (former.length === 0) return;
  const made = new Set(former.map(({ name, object }) => object ?? name));
  for (const index of await graph.read(listIndexes, {})) {
    if (!made.has(index.name) || wanted.has(index.name) || index.type === 'FULLTEXT') continue;
    report(`removing ${index.name}, which is no longer used`);
    await retryStep(() => graph.runSchemaCommand(dropCommand(index)));
  }
  await graph.write((transaction) => transaction.run(deleteSteps, { names: former.map(({ name }) => name) }));
};

export type SchemaOptions = {
  readonly report?: (line: string) => void;
  /** The store is being restored, so it may be incomplete. */
  readonly isRestoring?: boolean;
};

/**
 * Brings data, constraints and indexes up to date. Safe to run twice, in several processes at once, and again after a
 * crash. Former steps are removed only when all steps of this program are given.
 */
export const applySchema = async (
  graph: Graph,
  kinds: readonly Kind[],
  others?: readonly SchemaStep[],
  { report = () => {}, isRestoring = false }: SchemaOptions = {},
): Promise<void> => {
  // A database that has just been started plans each statement slowly, and several at a time.
  const [restores, applied, indexes, [store]] = await Promise.all([
    graph.read(readRestore, {}),
    graph.read(readSteps, {}),
    graph.read(listIndexes, {}),
    graph.read(readIsEmpty, {}),
  ]);
  if (!isRestoring) refuseIncompleteStore(restores);
  refuseNewerVersion(applied.map((step) => step.version));
  const upgrade: SchemaUpgrade = {
    graph,
    report,
    applied: new Map(applied.map((step) => [step.name, step])),
    stored: new Map(indexes.map((index) => [index.name, index])),
  };
  await raiseStoreVersion(upgrade);
  const steps = [...readFileSteps(), ...kinds.flatMap(kindSteps), ...(others ?? [])];
  await (store?.isEmpty ? applyStepsToEmptyStore : applySteps)(upgrade, steps);
  if (others) await removeObsoleteDefinitions(upgrade, steps);
};

/**
 * Stops a process that shares no key with the other processes on this store. Keys have versions: two processes agree as
 * long as they know one in common, even if one of them knows a newer one. `values` are fingerprints, the current one
 * first.
 */
export const claimFingerprint = async (
  graph: Graph,
  name: string,
  values: string | readonly string[],
  variable: string,
): Promise<boolean> => {
  const claim = { name, names: typeof values === 'string' ? [values] : values };
  // Most starts change no key. A look is enough for them, and it is planned in a tenth of the time.
  const [stored] = await graph.read(readFingerprints, { name });
  if (isDeepStrictEqual(stored?.values, claim.names)) return false;
  const [claimed] = await graph.write((transaction) => transaction.run(claimFingerprints, claim));
  if (claimed && !claimed.isShared) {
    throw new StartupError(
      `This process uses another ${name} than the store was set up with. Give every process on one store the same ${variable}.`,
    );
  }
  return claimed?.isRotated ?? false;
};
