import type { Dialect } from '../../lineage/sql/dialect.ts';
import type { SqlReader } from '../../lineage/sql/reader.ts';
import type { TableName } from '../../lineage/sql/sql-column.ts';
import type { SessionTemporary } from '../../lineage/sql/temporary-table.ts';
import type { TableFinder } from './find-tables.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { LineageDraft, ShownLineage } from './lineage-draft.ts';
import type { Execution, StatementGroup } from './statement-groups.ts';

/** Reads the statements of sessions in order, so that temporary tables are known where they are read. */

/** What a group of statements means, given the temporary tables that it names, and when it ran. */
export type ReadStatement = {
  readonly group: StatementGroup;
  readonly shown: ShownLineage;
  readonly temporaries: readonly SessionTemporary[];
  count: number;
  firstAt: number | undefined;
  lastAt: number | undefined;
  /** How often it ran on each day. */
  readonly days: Map<string, number>;
};

type Temporary = { readonly id: string; readonly table: SessionTemporary; readonly weight: number };

/** The temporary tables of a session by the name in lower case. */
type Session = Map<string, Temporary>;

const nameKey = (table: TableName): string => table.join('\u0001').toLowerCase();

/** The maximum number of origins that the columns of all temporary tables have. */
const MAX_WEIGHT = 1_000_000;

const weightOf = ({ columns, sources }: SessionTemporary): number =>
  columns.reduce(
    (sum, { derivations }) => sum + 1 + derivations.reduce((all, { origins }) => all + origins.length, 0),
    sources.length + 1,
  );

/** Keeps the temporary tables of sessions. Beyond the limit, the session that began first loses its tables. */
const createSessions = () => {
  const sessions = new Map<string, Session>();
  const weighed = new WeakMap<SessionTemporary, Temporary>();
  let weight = 0;
  const weigh = (table: SessionTemporary): Temporary => {
    const own = weighed.get(table) ?? { id: fingerprintOf(JSON.stringify(table)), table, weight: weightOf(table) };
    weighed.set(table, own);
    return own;
  };
  const drop = (session: Session, key: string): void => {
    weight -= session.get(key)?.weight ?? 0;
    session.delete(key);
  };
  const open = (name: string): Session => {
    const session: Session = sessions.get(name) ?? new Map();
    sessions.set(name, session);
    return session;
  };
  return {
    named: (name: string, tables: readonly TableName[]): readonly Temporary[] => {
      const session = sessions.get(name);
      return session ? tables.flatMap((table) => session.get(nameKey(table)) ?? []) : [];
    },
    keep: (name: string, table: SessionTemporary): void => {
      const session = open(name);
      const key = nameKey(table.name.map(({ text }) => text));
      drop(session, key);
      const own = weigh(table);
      session.set(key, own);
      weight += own.weight;
      for (const [other, oldest] of sessions) {
        if (weight <= MAX_WEIGHT) return;
        for (const one of [...oldest.keys()]) drop(oldest, one);
        sessions.delete(other);
      }
    },
    drop: (name: string, table: TableName): void => {
      const session = sessions.get(name);
      if (session) drop(session, nameKey(table));
    },
  };
};

export type SessionReaderDeps = {
  readonly reader: SqlReader;
  readonly dialect: Dialect;
  readonly finder: TableFinder;
  readonly draft: LineageDraft;
  /** Called between statements; throws to stop. */
  readonly check: () => void;
  /** Whether there is time to read one more statement. */
  readonly hasTime: () => boolean;
};

/** The number of statements whose tables are looked up at once. */
const NAMES_AT_ONCE = 200;

const TOO_SLOW = { effect: 'none', tables: [], makesTemporary: false, dropped: [], failure: 'too slow' } as const;

/** Reads which tables the statements name, and looks them up. */
export const readGroupNames = async (deps: SessionReaderDeps, groups: readonly StatementGroup[]): Promise<void> => {
  const { reader, dialect, finder } = deps;
  for (let from = 0; from < groups.length; from += NAMES_AT_ONCE) {
    const some = groups.slice(from, from + NAMES_AT_ONCE);
    deps.check();
    await Promise.all(
      some.map(async (group) => {
        group.names = deps.hasTime() ? await reader.namesOf(group.sql, dialect) : TOO_SLOW;
      }),
    );
    await finder.load(some.flatMap(({ names }) => names?.tables ?? []));
  }
};

const lastingTables = (tables: readonly TableName[], temporaries: readonly Temporary[]): readonly TableName[] => {
  const byName = new Map(temporaries.map(({ table }) => [nameKey(table.name.map(({ text }) => text)), table.sources]));
  const lasting = tables.flatMap((table) => byName.get(nameKey(table)) ?? [table]);
  return [...new Map(lasting.map((table) => [JSON.stringify(table), table])).values()];
};

const readOne = async (
  deps: SessionReaderDeps,
  group: StatementGroup,
  temporaries: readonly Temporary[],
): Promise<ReadStatement> => {
  const names = group.names ?? TOO_SLOW;
  const { reader, dialect, finder, draft } = deps;
  const known = names.tables.flatMap((table) => {
    const found = finder.find(table);
    return found ? [[table, found.columns] as const] : [];
  });
  const isRead = names.effect === 'write' || names.makesTemporary;
  const before = temporaries.map(({ table }) => table);
  const reading = isRead ? await reader.sessionStatementOf(group.sql, dialect, known, before) : undefined;
  const made = reading?.temporaries ?? [];
  const ownKeys = new Set(made.map(({ name }) => nameKey(name.map(({ text }) => text))));
  const tables = lastingTables(
    names.tables.filter((table) => !ownKeys.has(nameKey(table))),
    temporaries,
  );
  const shown = draft.add({ group, effect: names.effect, failure: names.failure, tables, reading });
  return { group, shown, temporaries: made, count: 0, firstAt: undefined, lastAt: undefined, days: new Map() };
};

const noteExecution = (read: ReadStatement, { at, count }: Execution, today: string): void => {
  read.count += count;
  const day = at === undefined ? today : new Date(at).toISOString().slice(0, 10);
  read.days.set(day, (read.days.get(day) ?? 0) + count);
  if (at === undefined) return;
  read.firstAt = Math.min(read.firstAt ?? at, at);
  read.lastAt = Math.max(read.lastAt ?? at, at);
};

/** Reads the executions of a log in order. What means the same is read once. */
export const readSessions = async (
  deps: SessionReaderDeps,
  executions: readonly Execution[],
  today: string,
): Promise<readonly ReadStatement[]> => {
  const sessions = createSessions();
  const known = new Map<string, ReadStatement>();
  for (const execution of executions) {
    const { group, session } = execution;
    const temporaries = sessions.named(session, group.names?.tables ?? []);
    const key = [group.fingerprint, ...temporaries.map(({ id }) => id)].join(' ');
    let read = known.get(key);
    if (!read) {
      deps.check();
      if (!deps.hasTime()) group.names = TOO_SLOW;
      read = await readOne(deps, group, temporaries);
      known.set(key, read);
    }
    noteExecution(read, execution, today);
    for (const table of read.temporaries) sessions.keep(session, table);
    for (const table of group.names?.dropped ?? []) sessions.drop(session, table);
  }
  return [...known.values()];
};
