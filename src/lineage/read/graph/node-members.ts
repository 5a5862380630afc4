import type { Principal } from '../../../access/principal.ts';
import type { Engine } from '../../../catalog/engine.ts';
import type { RefNode } from '../../../catalog/queries.ts';
import { filterPermittedIds } from '../../../catalog/read/facts.ts';
import { renderRecord, type View } from '../../../catalog/read/render.ts';
import { chunk } from '../../../model/chunk.ts';
import { groupBy } from '../../../model/group-by.ts';
import type { JsonObject, MutableJsonObject } from '../../../model/json.ts';
import type { Kind } from '../../../model/kind/kind.ts';
import { operationsToReadFields } from '../../../model/kind/required-operations.ts';
import { readVisibleTests } from '../record-tests.ts';
import type { ScoredGraphRoom } from './graph-room.ts';

/** Reads members of nodes that cost something of their own, where `fields` names them. */

/** The members that the records themselves have. */
const RECORD_MEMBERS = ['serviceType', 'tableType', 'tags', 'certification'] as const;

/** All members that graphs have only where `fields` names them. */
export const NAMED_NODE_FIELDS: readonly string[] = [...RECORD_MEMBERS, 'failingTests', 'importance'];

/** Returns further members of a node, by its ID. */
export type NodeMembers = (id: string) => JsonObject;

/** The number of records in memory at once. */
const AT_ONCE = 500;

type MemberReader = (nodes: readonly RefNode[]) => Promise<NodeMembers>;

/** Reads which of some members the caller may see of each record of a kind: each needs rights of its own. */
const readPermittedMembers = async (
  engine: Engine,
  principal: Principal,
  kind: Kind,
  ids: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const permitted = new Map<string, Set<string>>();
  const needs = groupBy(names, (name) => operationsToReadFields(kind, new Set([name])).join(' '));
  for (const [operations, some] of needs) {
    const seen = await filterPermittedIds(engine, principal, operations.split(' '), kind.entityType, ids);
    for (const id of seen) permitted.set(id, new Set([...(permitted.get(id) ?? []), ...some]));
  }
  return permitted;
};

const pickMembers = (whole: JsonObject, names: ReadonlySet<string>): JsonObject => {
  const out: MutableJsonObject = {};
  for (const name of names) if (whole[name] !== undefined) out[name] = whole[name];
  return out;
};

const createRecordReader =
  (engine: Engine, principal: Principal, view: View, names: readonly string[]): MemberReader =>
  async (nodes) => {
    const members = new Map<string, JsonObject>();
    for (const [entityType, some] of groupBy(nodes, (node) => node.entityType)) {
      const kind = engine.registry.byType.get(entityType);
      const own = names.filter((name) => kind?.fieldNames.has(name));
      if (!kind || own.length === 0) continue;
      const fields = new Set(own);
      for (const part of chunk(some, AT_ONCE)) {
        const ids = part.map(({ id }) => id);
        const permitted = await readPermittedMembers(engine, principal, kind, ids, own);
        for (const record of await engine.store.records(kind, [...permitted.keys()], fields)) {
          const whole = renderRecord(record, { ...view, fields });
          members.set(record.id, pickMembers(whole, permitted.get(record.id) ?? new Set()));
        }
      }
    }
    return (id) => members.get(id) ?? {};
  };

const createFailureCounter =
  (engine: Engine, principal: Principal): MemberReader =>
  async (nodes) => {
    const ids = nodes.map(({ id }) => id);
    const tests = await readVisibleTests(engine, principal, ids, 'Failed');
    return (id) => ({ failingTests: tests.get(id)?.length ?? 0 });
  };

const createScoreMember =
  ({ openScores }: Pick<ScoredGraphRoom, 'openScores'>, principal: Principal): MemberReader =>
  async () => {
    const scoreOf = await openScores(principal);
    return (id) => ({ importance: scoreOf(id) });
  };

type ReaderOptions = {
  readonly principal: Principal;
  readonly view: View;
  readonly fields: ReadonlySet<string> | undefined;
  /** Results of tests and importance are those of today, so graphs of the past have none. */
  readonly isPresent: boolean;
};

/** Creates the reader of the further members that a request names; undefined when it names none. */
export const createMemberReader = (
  room: ScoredGraphRoom,
  { principal, view, fields, isPresent }: ReaderOptions,
): MemberReader | undefined => {
  const names = RECORD_MEMBERS.filter((name) => fields?.has(name));
  const readers = [
    ...(names.length > 0 ? [createRecordReader(room.engine, principal, view, names)] : []),
    ...(isPresent && fields?.has('failingTests') ? [createFailureCounter(room.engine, principal)] : []),
    ...(isPresent && fields?.has('importance') ? [createScoreMember(room, principal)] : []),
  ];
  if (readers.length === 0) return undefined;
  return async (nodes) => {
    const parts = await Promise.all(readers.map((read) => read(nodes)));
    return (id) => Object.assign({}, ...parts.map((membersOf) => membersOf(id)));
  };
};
