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

/** Reads the direct children of a record page by page, ordered by name. */

/** A page ends after this many records, or once their columns have this many characters. */
const PAGE_SIZE = 100;
const PAGE_CHARACTERS = 512 * 1024;

/** The optional fields of a record that a file contains. */
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

/**
 * Filters children to those that the caller may view in full. An export of everything checks permissions page by
 * page.
 */
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

/** Starts work before it is awaited. */
const startEagerly = <T>(work: Promise<T>): Promise<T> => {
  // The caller that awaits the promise handles a rejection; until then it must not end the process.
  work.catch(() => {});
  return work;
};

type ChildReader = { readonly engine: Engine; readonly principal: Principal };

/**
 * The name range of all descendants: their names start with this name and a dot, and a slash sorts directly after the
 * dot.
 */
const childRange = (fqn: string) => ({ edge: `${fqn}.`, end: `${fqn}/` });

/**
 * Reads the documents of the direct children of one kind, ordered by name. The first page is requested at once, each
 * further page while the previous one is processed.
 */
export const readChildPages = (
  { engine, principal }: ChildReader,
  kind: Kind,
  fqn: string,
): AsyncGenerator<readonly JsonObject[]> => {
  const { entityType } = kind;
  const { edge: beginning, end } = childRange(fqn);
  const page = (edge: string) =>
    startEagerly(
      engine.graph.read(listCsvChildren, { entityType, edge, end, limit: PAGE_SIZE, weight: PAGE_CHARACTERS }),
    );
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
