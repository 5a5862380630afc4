import { setImmediate as nextTurn } from 'node:timers/promises';
import { badRequest } from '../../errors.ts';
import type { Dialect } from '../../lineage/sql/dialect.ts';
import { MAX_SQL_LENGTH } from '../../lineage/sql/limits.ts';
import type { NamedBySql } from '../../lineage/sql/session-statement.ts';
import { MAX_LOGGED_STATEMENTS, MAX_SCRIPT_LENGTH } from '../../model/schemas/insight/sql.ts';
import { fingerprintOf, normaliseSql } from './fingerprint.ts';
import { splitScript } from './split-script.ts';

/** Groups the statements of a log that differ in their values or in how they are written. */

/** A statement, or a script of several, as a log contains it. */
export type LoggedStatement = {
  readonly sql: string;
  readonly at?: number;
  readonly user?: string;
  readonly count: number;
};

/** Statements of one normal form. The first one stands for all. */
export type StatementGroup = {
  readonly sql: string;
  readonly fingerprint: string;
  names: NamedBySql | undefined;
};

/** One execution of a statement, or several at one time. */
export type Execution = {
  readonly group: StatementGroup;
  /** Temporary tables last within a session. */
  readonly session: string;
  readonly at: number | undefined;
  readonly count: number;
};

export type GroupedLog = { readonly groups: readonly StatementGroup[]; readonly executions: readonly Execution[] };

const tooManyStatements = (most: number) => {
  const more = most < MAX_LOGGED_STATEMENTS ? `; with async=true a job reads ${MAX_LOGGED_STATEMENTS}` : '';
  return badRequest(`[statements must be at most ${most}${more}]`);
};

/** The number of texts that are split and normalised in one turn of the event loop. */
const TEXTS_PER_TURN = 64;

/** Normalising a longer statement is of no use, because it is not read. */
const normalFormOf = (sql: string, dialect: Dialect): string =>
  sql.length > MAX_SQL_LENGTH ? sql : normaliseSql(sql, dialect);

/** Splits scripts and groups their statements. Logs repeat texts, so each text is split and normalised once. */
export const groupStatements = async (
  log: readonly LoggedStatement[],
  dialect: Dialect,
  most: number,
  check: () => void,
): Promise<GroupedLog> => {
  const groups = new Map<string, StatementGroup>();
  const known = new Map<string, readonly StatementGroup[]>();
  const executions: Execution[] = [];
  const groupOf = (sql: string): StatementGroup => {
    const fingerprint = fingerprintOf(normalFormOf(sql, dialect));
    const group = groups.get(fingerprint) ?? { sql, fingerprint, names: undefined };
    groups.set(fingerprint, group);
    return group;
  };
  const groupsOf = (sql: string): readonly StatementGroup[] => {
    // Splitting what is far longer than a script would take more memory than it is worth.
    const texts = sql.length > MAX_SCRIPT_LENGTH ? [sql] : splitScript(sql, dialect);
    if (executions.length + texts.length > most) throw tooManyStatements(most);
    return texts.map(groupOf);
  };
  for (const [index, { sql, at, user = '', count }] of log.entries()) {
    if (index % TEXTS_PER_TURN === 0) await nextTurn();
    check();
    const own = known.get(sql) ?? groupsOf(sql);
    known.set(sql, own);
    if (executions.length + own.length > most) throw tooManyStatements(most);
    for (const group of own) executions.push({ group, session: user, at, count });
  }
  return { groups: [...groups.values()], executions };
};
