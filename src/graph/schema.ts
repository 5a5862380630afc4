import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../errors.ts';
import type { Kind } from '../model/kind.ts';
import type { Graph } from './client.ts';
import { packageRoot } from './package-root.ts';
import { statement } from './statement.ts';

/** Stepped whenever an older program could no longer read what this one writes. */
const STORE_VERSION = 1;

export type Step = { readonly name: string; readonly text: string };

const readSteps = statement<Record<string, never>, { name: string; hash: string; version: number }>(
  'store/read_steps',
  {
    params: [],
    row: ['name', 'hash', 'version'],
  },
);
const recordStep = statement<{ name: string; hash: string; version: number }, { name: string }>('store/record_step', {
  params: ['name', 'hash', 'version'],
  row: ['name'],
});
const claimFingerprint = statement<{ name: string; value: string }, { value: string }>('store/claim_fingerprint', {
  params: ['name', 'value'],
  row: ['value'],
});

const fileSteps = (): Step[] => {
  const folder = join(packageRoot, 'cypher', 'schema');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.cypher'))
    .sort()
    .map((file) => ({ name: file.replace('.cypher', ''), text: readFileSync(join(folder, file), 'utf8') }));
};

const unique = (label: string, property: string): Step => ({
  name: `${label}_${property}`,
  text: `CREATE CONSTRAINT ${label}_${property} IF NOT EXISTS FOR (n:${label}) REQUIRE n.${property} IS UNIQUE`,
});

const index = (name: string, label: string, properties: readonly string[]): Step => ({
  name,
  text: `CREATE INDEX ${name} IF NOT EXISTS FOR (n:${label}) ON (${properties.map((property) => `n.${property}`).join(', ')})`,
});

/** What a kind's declaration asks of the store: unique names, and an order for every way of listing it. */
const kindSteps = (kind: Kind): Step[] => [
  kind.sharesNames
    ? index(`${kind.label}_name`, kind.label, ['fullyQualifiedName'])
    : unique(kind.label, 'fullyQualifiedName'),
  ...(kind.unique ?? []).map((property) => unique(kind.label, property)),
  index(`${kind.label}_list`, kind.label, ['deleted', 'sortKey']),
  ...Array.from({ length: kind.scopeDepth }, (_, depth) =>
    index(`${kind.label}_scope${depth + 1}`, kind.label, [`scope${depth + 1}`, 'deleted', 'sortKey']),
  ),
];

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Two processes that apply the same step at once may trip over each other's locks; the step itself is safe to repeat. */
const applyStep = async (graph: Graph, step: Step): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await graph.command(step.text);
      return;
    } catch (failure) {
      if (attempt === 5) throw failure;
      await sleep(200 * attempt);
    }
  }
};

const refuseNewer = (versions: readonly number[]) => {
  const newest = Math.max(0, ...versions);
  if (newest > STORE_VERSION) {
    throw new StartupError(
      `The store was written by a newer version of Tributary (store version ${newest}, this program knows ${STORE_VERSION}). Use the newer program, or another store.`,
    );
  }
};

/** Brings constraints and indexes up to date. Safe to run twice and by several processes at once. */
export const applySchema = async (
  graph: Graph,
  kinds: readonly Kind[],
  others: readonly Step[] = [],
): Promise<void> => {
  const applied = await graph.read(readSteps, {});
  refuseNewer(applied.map((step) => step.version));
  const known = new Map(applied.map((step) => [step.name, step.hash]));
  const missing = [...fileSteps(), ...kinds.flatMap(kindSteps), ...others].filter(
    (step) => known.get(step.name) !== hashOf(step.text),
  );
  for (const step of missing) await applyStep(graph, step);
  if (missing.length === 0) return;
  await graph.command('CALL db.awaitIndexes(300)');
  for (const step of missing) {
    await graph.write((transaction) =>
      transaction.run(recordStep, { name: step.name, hash: hashOf(step.text), version: STORE_VERSION }),
    );
  }
};

/** Stops a process whose key differs from the one that the other processes on this store use. */
export const agreeOn = async (graph: Graph, name: string, value: string, variable: string): Promise<void> => {
  const [kept] = await graph.write((transaction) => transaction.run(claimFingerprint, { name, value }));
  if (kept && kept.value !== value) {
    throw new StartupError(
      `This process uses another ${name} than the store was set up with. Give every process on one store the same ${variable}.`,
    );
  }
};
