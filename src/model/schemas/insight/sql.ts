import * as v from 'valibot';
import {
  bounded,
  Flag,
  Fqn,
  Fraction,
  Integer,
  listOf,
  must,
  Ref,
  ShortText,
  shape,
  Text,
  Timestamp,
} from '../../values.ts';

/** The schemas of scripts and query logs, and of the lineage that they show. */

/** The maximum number of statements that a job reads. */
export const MAX_LOGGED_STATEMENTS = 100_000;

/** The maximum number of characters of a script. */
export const MAX_SCRIPT_LENGTH = 2_000_000;

const MAX_COUNT = 1_000_000_000;

/** A statement of a log, or a script of several. */
export const LoggedSql = shape('LoggedSql', {
  sql: must(v.pipe(Text, v.minLength(1, 'must not be empty'))),
  at: v.union([Timestamp, Text], 'must be a time'),
  user: ShortText,
  count: bounded(1, MAX_COUNT),
  durationMs: v.pipe(v.number('must be a number'), v.finite('must be finite'), v.minValue(0, 'must be at least 0')),
});

const place = { database: ShortText, schema: ShortText, dialect: ShortText };

export const SqlLog = shape('SqlLog', {
  service: must(Fqn),
  ...place,
  statements: listOf(LoggedSql, MAX_LOGGED_STATEMENTS),
  text: v.pipe(Text, v.maxLength(MAX_SCRIPT_LENGTH, `size must be at most ${MAX_SCRIPT_LENGTH}`)),
});

/** Parameters of a request whose body is a file. */
export const SqlPlace = shape('SqlPlace', { service: must(Fqn), ...place });

const SqlColumnMapping = shape('SqlColumnMapping', {
  fromColumns: must(listOf(Fqn)),
  toColumn: must(Fqn),
  function: Text,
});

const SqlEdge = shape('SqlEdge', {
  from: must(Ref),
  to: must(Ref),
  source: must(Text),
  columns: must(listOf(SqlColumnMapping)),
  confidence: must(Fraction),
  statements: must(Integer),
  fingerprint: must(Text),
  firstAt: Timestamp,
  lastAt: Timestamp,
});

const SqlUsage = shape('SqlUsage', { entity: must(Ref), count: must(Integer) });

const SqlUnresolved = shape('SqlUnresolved', {
  reason: must(Text),
  name: Text,
  count: must(Integer),
  example: must(Text),
});

const SqlRefusal = shape('SqlRefusal', { entity: must(Ref), status: must(Integer), message: must(Text) });

export const SqlLineage = shape('SqlLineage', {
  dryRun: must(Flag),
  statements: must(Integer),
  distinct: must(Integer),
  understood: must(Integer),
  edges: must(listOf(SqlEdge)),
  usage: must(listOf(SqlUsage)),
  unresolved: must(listOf(SqlUnresolved)),
  applied: must(Integer),
  refused: must(listOf(SqlRefusal)),
  truncated: Flag,
});
