import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { columnFinder } from '../catalog/read/column-paths.ts';
import { render, type View } from '../catalog/read/render.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { withhold } from '../catalog/read/withheld.ts';
import { CatalogError } from '../errors.ts';
import type { ContractResult } from '../model/contract-values.ts';
import { isObject, type Json, type JsonObject, member } from '../model/json.ts';
import { piecesOf } from '../model/pieces.ts';
import { listExpected, listMaxima, listMembers, listWrites } from './queries.ts';
import type { GivenResult } from './results.ts';
import { findSubject, schemaOf } from './subject.ts';
import { tallyQuality } from './validation/quality.ts';
import { type FailedRule, validateSemantics } from './validation/semantics.ts';
import { deadlineOf, type SlaSources, validateSla } from './validation/sla.ts';
import { type Dimensions, verdict } from './validation/verdict.ts';

/** How a contract is judged by what the catalog knows (data-contracts.md 8). */

const NOTHING = { passed: 0, failed: 0, total: 0 };

const itemsIn = (contract: JsonObject, name: string): readonly JsonObject[] =>
  (contract[name] ?? []) as readonly JsonObject[];

const refsIn = (facts: JsonObject, name: string): readonly JsonObject[] => {
  const refs = member(facts, name);
  return Array.isArray(refs) ? (refs as readonly JsonObject[]) : [];
};

/** Who belongs to the teams that own or review a record: by the ids of the teams. */
const membersOf = async (engine: Engine, facts: JsonObject): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const ids = [...refsIn(facts, 'owners'), ...refsIn(facts, 'reviewers')]
    .filter(({ type }) => type === 'team')
    .map(({ id }) => String(id));
  const rows = ids.length > 0 ? await engine.graph.read(listMembers, { ids: [...new Set(ids)] }) : [];
  const members = new Map<string, Set<string>>();
  for (const { id, name } of rows) {
    const known = members.get(id);
    if (known) known.add(name);
    else members.set(id, new Set([name]));
  }
  return members;
};

/** Rules see what everybody does: whoever may write one shall not learn by it what is kept from them. */
const STRANGER: Principal = Object.freeze({ id: '', name: '', email: '', isAdmin: false, isBot: false, roles: [] });

/** So many rules are asked before others have their turn. */
const RULES_AT_ONCE = 5;

const judgeSemantics = async (engine: Engine, contract: JsonObject, subject: Snapshot, view: View) => {
  const rules = itemsIn(contract, 'semantics');
  const facts = render(await withhold(engine, STRANGER, subject), view);
  const members = rules.length > 0 ? await membersOf(engine, facts) : new Map();
  let [passed, failed] = [0, 0];
  const failedRules: FailedRule[] = [];
  for (const some of piecesOf(rules, RULES_AT_ONCE)) {
    const judged = validateSemantics(some, subject.kind.entityType, facts, { members });
    passed += judged.passed;
    failed += judged.failed;
    failedRules.push(...(judged.failedRules ?? []));
    await nextTurn();
  }
  return { passed, failed, total: rules.length, ...(failedRules.length > 0 ? { failedRules } : {}) };
};

const judgeQuality = async (engine: Engine, contract: JsonObject) => {
  const ids = itemsIn(contract, 'qualityExpectations').map(({ id }) => String(id));
  const rows = ids.length > 0 ? await engine.graph.read(listExpected, { ids }) : [];
  return tallyQuality(rows.map(({ status }) => status ?? undefined));
};

/** So many measurements are looked at from a moment on: those of a column may tell no time, and then an older one counts. */
const MOST_MEASURED = 1000;

/** The moment before which everything that was observed lies. */
const EVER = Number.MAX_SAFE_INTEGER;

/** What names a column for good that an SLA names by its path or by its full name. */
const columnKeyOf = ({ kind, columns, fullyQualifiedName }: Snapshot, name: string): string | undefined => {
  const { named } = columnFinder(kind, columns);
  const above = `${fullyQualifiedName}.`;
  const found = named(name) ?? (name.startsWith(above) ? named(name.slice(above.length)) : undefined);
  return found?.node.key;
};

/** The newest observations count, and the newest of those that were made before data had to be there. */
const sourcesOf = async (engine: Engine, sla: JsonObject, subject: Snapshot, now: number): Promise<SlaSources> => {
  const { graph } = engine;
  const { id } = subject;
  const { columnName } = sla;
  const key = typeof columnName === 'string' ? columnKeyOf(subject, columnName) : undefined;
  const deadline = deadlineOf(sla, now);
  const moments = deadline === undefined ? [EVER] : [EVER, deadline];
  const fromEach = async <T>(list: (until: number) => Promise<readonly T[]>): Promise<readonly T[]> =>
    (await Promise.all(moments.map(list))).flat();
  const [maxima, writes] = await Promise.all([
    key === undefined ? [] : fromEach((until) => graph.read(listMaxima, { id: key, until, limit: MOST_MEASURED })),
    fromEach((until) => graph.read(listWrites, { id, until, limit: 1 })),
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

const judgeSla = async (engine: Engine, contract: JsonObject, subject: Snapshot, now: number) => {
  const { sla } = contract;
  if (!isObject(sla) || subject.kind.entityType !== 'table') return {};
  return validateSla(sla, await sourcesOf(engine, sla, subject, now), now);
};

export type Question = {
  /** The contract that holds for the record, as readers see it. */
  readonly contract: JsonObject;
  readonly entityId: string;
  /** How the record is seen by its rules: whole. */
  readonly viewFor: (fields: ReadonlySet<string>) => View;
};

const judgeAll = async (engine: Engine, { contract, entityId, viewFor }: Question, now: number) => {
  const type = String((contract['entity'] as JsonObject)['type']);
  const kind = engine.registry.byType.get(type);
  const fields = kind?.gatedNames ?? new Set<string>();
  const subject = await findSubject(engine, { id: entityId, type }, fields);
  const [semanticsValidation, { qualityValidation }, slaValidation] = await Promise.all([
    judgeSemantics(engine, contract, subject, viewFor(fields)),
    judgeQuality(engine, contract),
    judgeSla(engine, contract, subject, now),
  ]);
  const schemaValidation = schemaOf(subject, itemsIn(contract, 'schema')) ?? NOTHING;
  const said = verdict({ schemaValidation, semanticsValidation, qualityValidation, slaValidation });
  return {
    contractExecutionStatus: said.status,
    result: said.result,
    schemaValidation,
    semanticsValidation,
    qualityValidation,
    slaValidation,
  };
};

/** What is kept of a judgement that could not be carried out. */
export const abortedBy = (
  failure: CatalogError,
  { timestamp, executionTime }: Pick<GivenResult, 'timestamp'> & { readonly executionTime: number },
): GivenResult => ({
  timestamp,
  contractExecutionStatus: 'Aborted',
  result: `Validation could not be carried out: ${failure.message}`,
  schemaValidation: NOTHING,
  semanticsValidation: NOTHING,
  qualityValidation: NOTHING,
  slaValidation: {},
  executionTime,
});

/** Judges the contract of a record as things stand. What cannot be judged is told as aborted, with the reason. */
export const judgeContract = async (engine: Engine, question: Question): Promise<GivenResult> => {
  const timestamp = engine.clock();
  const began = performance.now();
  const spent = () => Math.max(1, Math.round(performance.now() - began));
  try {
    const judged = await judgeAll(engine, question, timestamp);
    return { timestamp, ...judged, executionTime: spent() } as unknown as GivenResult;
  } catch (failure) {
    // What is no fault of the contract or of its record is a defect, and told as such.
    if (!(failure instanceof CatalogError)) throw failure;
    return abortedBy(failure, { timestamp, executionTime: spent() });
  }
};

/** The same judgement with what its tests say by now. */
export const rejudgeQuality = async (
  engine: Engine,
  contract: JsonObject,
  result: ContractResult,
): Promise<ContractResult> => {
  const { qualityValidation } = await judgeQuality(engine, contract);
  const said = verdict({ ...(result as Dimensions), qualityValidation });
  return { ...result, qualityValidation, contractExecutionStatus: said.status, result: said.result } as ContractResult;
};
