import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { createColumnFinder } from '../catalog/read/column-paths.ts';
import { renderRecord, type View } from '../catalog/read/render.ts';
import { redactRecord } from '../catalog/read/sensitive-values.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { CatalogError } from '../errors.ts';
import { chunk } from '../model/chunk.ts';
import { isObject, type Json, type JsonObject, member } from '../model/json.ts';
import type { ContractResult } from '../model/schemas/contracts/contract.ts';
import { listColumnMaxima, listExpectedTestStatuses, listTableWrites, listTeamMembers } from './queries.ts';
import type { ContractResultInput } from './results.ts';
import { findSubject, validateSubjectSchema } from './subject.ts';
import { tallyQuality } from './validation/quality.ts';
import { type FailedRule, validateSemantics } from './validation/semantics.ts';
import { availabilityDeadlineOf, type SlaSources, validateSla } from './validation/sla.ts';
import { summariseValidation, type ValidationDimensions } from './validation/verdict.ts';

/** Evaluates a contract against the current state of the catalog (data-contracts.md 8). */

const EMPTY_COUNTS = { passed: 0, failed: 0, total: 0 };

const objectsIn = (contract: JsonObject, name: string): readonly JsonObject[] =>
  (contract[name] ?? []) as readonly JsonObject[];

const referencesIn = (facts: JsonObject, name: string): readonly JsonObject[] => {
  const refs = member(facts, name);
  return Array.isArray(refs) ? (refs as readonly JsonObject[]) : [];
};

/** Reads the members of the teams that own or review a record, by team ID. */
const readTeamMembers = async (
  engine: Engine,
  facts: JsonObject,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const ids = [...referencesIn(facts, 'owners'), ...referencesIn(facts, 'reviewers')]
    .filter(({ type }) => type === 'team')
    .map(({ id }) => String(id));
  const rows = ids.length > 0 ? await engine.graph.read(listTeamMembers, { ids: [...new Set(ids)] }) : [];
  const members = new Map<string, Set<string>>();
  for (const { id, name } of rows) {
    const known = members.get(id);
    if (known) known.add(name);
    else members.set(id, new Set([name]));
  }
  return members;
};

/** Semantic rules see only what every user may see, so that their authors cannot use them to read redacted data. */
const UNPRIVILEGED_PRINCIPAL: Principal = Object.freeze({
  id: '',
  name: '',
  email: '',
  isAdmin: false,
  isBot: false,
  roles: [],
});

/** The number of rules evaluated before the event loop gets a turn. */
const RULES_PER_TURN = 5;

const evaluateSemantics = async (engine: Engine, contract: JsonObject, subject: Snapshot, view: View) => {
  const rules = objectsIn(contract, 'semantics');
  // The caller may be an administrator, for whom no rights are read.
  await engine.authorizer.ensureFresh();
  const facts = renderRecord(await redactRecord(engine, UNPRIVILEGED_PRINCIPAL, subject), view);
  const members = rules.length > 0 ? await readTeamMembers(engine, facts) : new Map();
  let [passed, failed] = [0, 0];
  const failedRules: FailedRule[] = [];
  for (const some of chunk(rules, RULES_PER_TURN)) {
    const judged = validateSemantics(some, subject.kind.entityType, facts, { members });
    passed += judged.passed;
    failed += judged.failed;
    failedRules.push(...(judged.failedRules ?? []));
    await nextTurn();
  }
  return { passed, failed, total: rules.length, ...(failedRules.length > 0 ? { failedRules } : {}) };
};

const evaluateQuality = async (engine: Engine, contract: JsonObject) => {
  const ids = objectsIn(contract, 'qualityExpectations').map(({ id }) => String(id));
  const rows = ids.length > 0 ? await engine.graph.read(listExpectedTestStatuses, { ids }) : [];
  return tallyQuality(rows.map(({ status }) => status ?? undefined));
};

/**
 * The maximum number of profiles read back from a moment. Profiles of a column may lack a readable maximum, so an
 * older one may be needed.
 */
const MAX_PROFILES = 1000;

/** An upper bound for timestamps, which selects the newest observations. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER;

/** Finds the stable key of the column that an SLA names by its path or by its fully qualified name. */
const findColumnKey = ({ kind, columns, fullyQualifiedName }: Snapshot, name: string): string | undefined => {
  const { named } = createColumnFinder(kind, columns);
  const above = `${fullyQualifiedName}.`;
  const found = named(name) ?? (name.startsWith(above) ? named(name.slice(above.length)) : undefined);
  return found?.node.key;
};

/** Reads the newest observations, and the newest ones from before the availability deadline. */
const readSlaSources = async (engine: Engine, sla: JsonObject, subject: Snapshot, now: number): Promise<SlaSources> => {
  const { graph } = engine;
  const { id } = subject;
  const { columnName } = sla;
  const key = typeof columnName === 'string' ? findColumnKey(subject, columnName) : undefined;
  const deadline = availabilityDeadlineOf(sla, now);
  const moments = deadline === undefined ? [END_OF_TIME] : [END_OF_TIME, deadline];
  const fromEach = async <T>(list: (until: number) => Promise<readonly T[]>): Promise<readonly T[]> =>
    (await Promise.all(moments.map(list))).flat();
  const [maxima, writes] = await Promise.all([
    key === undefined ? [] : fromEach((until) => graph.read(listColumnMaxima, { id: key, until, limit: MAX_PROFILES })),
    fromEach((until) => graph.read(listTableWrites, { id, until, limit: 1 })),
  ]);
  const lifeCycle = subject.values['lifeCycle'];
  const updated = isObject(lifeCycle) ? member(lifeCycle, 'updated') : undefined;
  const at = isObject(updated) ? updated['timestamp'] : undefined;
  return {
    columnMax: maxima.map(({ timestamp, json }) => ({
      timestamp,
      max: (JSON.parse(json) as JsonObject)['max'] as Json,
    })),
    writes: writes.map(({ timestamp }) => timestamp),
    ...(typeof at === 'number' ? { updated: at } : {}),
  };
};

const evaluateSla = async (engine: Engine, contract: JsonObject, subject: Snapshot, now: number) => {
  const { sla } = contract;
  if (!isObject(sla) || subject.kind.entityType !== 'table') return {};
  return validateSla(sla, await readSlaSources(engine, sla, subject, now), now);
};

export type EvaluationRequest = {
  /** The effective contract of the record, as readers see it. */
  readonly contract: JsonObject;
  readonly entityId: string;
  /** The unredacted view of the record that semantic rules read. */
  readonly viewFor: (fields: ReadonlySet<string>) => View;
};

const evaluateDimensions = async (engine: Engine, { contract, entityId, viewFor }: EvaluationRequest, now: number) => {
  const type = String((contract['entity'] as JsonObject)['type']);
  const kind = engine.registry.byType.get(type);
  const fields = kind?.gatedNames ?? new Set<string>();
  const subject = await findSubject(engine, { id: entityId, type }, fields);
  const [semanticsValidation, { qualityValidation }, slaValidation] = await Promise.all([
    evaluateSemantics(engine, contract, subject, viewFor(fields)),
    evaluateQuality(engine, contract),
    evaluateSla(engine, contract, subject, now),
  ]);
  const schemaValidation = validateSubjectSchema(subject, objectsIn(contract, 'schema')) ?? EMPTY_COUNTS;
  const summary = summariseValidation({ schemaValidation, semanticsValidation, qualityValidation, slaValidation });
  return {
    contractExecutionStatus: summary.status,
    result: summary.result,
    schemaValidation,
    semanticsValidation,
    qualityValidation,
    slaValidation,
  };
};

/** Builds the result of a validation that could not be completed. */
export const buildAbortedResult = (
  failure: CatalogError,
  { timestamp, executionTime }: Pick<ContractResultInput, 'timestamp'> & { readonly executionTime: number },
): ContractResultInput => ({
  timestamp,
  contractExecutionStatus: 'Aborted',
  result: `Validation could not be carried out: ${failure.message}`,
  schemaValidation: EMPTY_COUNTS,
  semanticsValidation: EMPTY_COUNTS,
  qualityValidation: EMPTY_COUNTS,
  slaValidation: {},
  executionTime,
});

/**
 * Evaluates a contract against the current state of the catalog. When it cannot be evaluated, the result is aborted
 * and contains the reason.
 */
export const evaluateContract = async (engine: Engine, request: EvaluationRequest): Promise<ContractResultInput> => {
  const timestamp = engine.clock();
  const began = performance.now();
  const elapsed = () => Math.max(1, Math.round(performance.now() - began));
  try {
    const dimensions = await evaluateDimensions(engine, request, timestamp);
    return { timestamp, ...dimensions, executionTime: elapsed() } as unknown as ContractResultInput;
  } catch (failure) {
    // Any error other than a CatalogError is a defect, so it is rethrown.
    if (!(failure instanceof CatalogError)) throw failure;
    return buildAbortedResult(failure, { timestamp, executionTime: elapsed() });
  }
};

/**
 * Evaluates the quality dimension of a result again with the current test results and leaves the other dimensions
 * unchanged.
 */
export const reevaluateQuality = async (
  engine: Engine,
  contract: JsonObject,
  result: ContractResult,
): Promise<ContractResult> => {
  const { qualityValidation } = await evaluateQuality(engine, contract);
  const summary = summariseValidation({ ...(result as ValidationDimensions), qualityValidation });
  return {
    ...result,
    qualityValidation,
    contractExecutionStatus: summary.status,
    result: summary.result,
  } as ContractResult;
};
