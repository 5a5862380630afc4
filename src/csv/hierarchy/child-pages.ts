import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { filterPermittedIds } from '../../catalog/read/facts.ts';
import { collectMentions, NO_MENTIONS, readMentions } from '../../catalog/read/mentions.ts';
import { redactValues } from '../../catalog/read/redaction.ts';
import { renderRecord } from '../../catalog/read/render.ts';
import { decodeRecord, type Snapshot } from '../../catalog/read/snapshot.ts';
import { storageView } from '../../catalog/read/stored-snapshot.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { type CsvChildRow, listCsvChildren } from '../queries.ts';

/** What hangs directly below a record, read page by page in the order of names. */

/** A page ends with so many records, or with the one by which its columns get this long. */
const PAGE_SIZE = 100;
const PAGE_CHARACTERS = 512 * 1024;

/** What of a record a file tells that is read only when it is asked for. */
const EXPORTED_FIELDS: ReadonlySet<string> = new Set(['owners', 'tags', 'domains', 'certification', 'extension']);

const VIEW_ALL: readonly string[] = ['ViewAll'];

const decodeChild = (kind: Kind, row: CsvChildRow): Snapshot =>
  decodeRecord(kind, { ...row, at: 0, ancestors: [], dataProducts: null, followers: null, voters: null });

const renderChildren = async (
  engine: Engine,
  principal: Principal,
  kind: Kind,
  rows: readonly CsvChildRow[],
): Promise<readonly JsonObject[]> => {
  const records = rows.map((row) => decodeChild(kind, row));
  const ids = collectMentions(records, EXPORTED_FIELDS);
  const mentioned = ids.size === 0 ? NO_MENTIONS : await readMentions(engine.store.referenceById, ids);
  const view = storageView(engine, EXPORTED_FIELDS);
  return redactValues(
    engine,
    principal,
    records.map((record) => renderRecord({ ...record, mentioned }, view)),
  );
};

/** What the caller may see all of; a file of everything goes by the rights of each moment. */
const filterVisibleChildren = async (
  engine: Engine,
  principal: Principal,
  { entityType }: Kind,
  rows: readonly CsvChildRow[],
) => {
  await engine.authorizer.ensureFresh();
  const ids = rows.map(({ node }) => node['id'] as string);
  const seen = new Set(await filterPermittedIds(engine, principal, VIEW_ALL, entityType, ids));
  return rows.filter((_, at) => seen.has(ids[at] ?? ''));
};

/** Goes on with something at once, whether or not anybody waits for it yet. */
const startEagerly = <T>(work: Promise<T>): Promise<T> => {
  // Whoever waits hears of the failure; until then it must not bring the process down.
  work.catch(() => {});
  return work;
};

type ChildReader = { readonly engine: Engine; readonly principal: Principal };

/** Everything below one name begins with it and a dot, and a slash comes right after the dot. */
const childRange = (fqn: string) => ({ edge: `${fqn}.`, end: `${fqn}/` });

/**
 * The documents of the records of one kind right below a record, in the order of their names. The first page is asked
 * for at once, and each further one while the one before it is worked on.
 */
export const readChildPages = (
  { engine, principal }: ChildReader,
  kind: Kind,
  fqn: string,
): AsyncGenerator<readonly JsonObject[]> => {
  const statement = listCsvChildren.for(kind.label);
  const { edge: beginning, end } = childRange(fqn);
  const page = (edge: string) =>
    startEagerly(engine.graph.read(statement, { edge, end, limit: PAGE_SIZE, weight: PAGE_CHARACTERS }));
  const first = page(beginning);
  return (async function* () {
    for (let coming = first; ; ) {
      const rows = await coming;
      const last = rows.at(-1);
      if (!last) return;
      coming = page(last.node['fullyQualifiedName'] as string);
      yield await renderChildren(engine, principal, kind, await filterVisibleChildren(engine, principal, kind, rows));
    }
  })();
};
