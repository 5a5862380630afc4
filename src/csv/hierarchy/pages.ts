import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { acceptedIds } from '../../catalog/read/facts.ts';
import { plainView } from '../../catalog/read/kept.ts';
import { mentionsIn, NO_MENTIONS, readMentions } from '../../catalog/read/mentions.ts';
import { render } from '../../catalog/read/render.ts';
import { decodeRecord, type Snapshot } from '../../catalog/read/snapshot.ts';
import { redactAll } from '../../catalog/read/visibility.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { type ChildRow, listChildren } from '../queries.ts';

/** What hangs directly below a record, read page by page in the order of names. */

/** A page ends with so many records, or with the one by which its columns get this long. */
const PAGE = 100;
const PAGE_CHARACTERS = 512 * 1024;

/** What of a record a file tells that is read only when it is asked for. */
const TOLD: ReadonlySet<string> = new Set(['owners', 'tags', 'domains', 'certification', 'extension']);

const VIEW_ALL: readonly string[] = ['ViewAll'];

const decode = (kind: Kind, row: ChildRow): Snapshot =>
  decodeRecord(kind, { ...row, at: 0, ancestors: [], dataProducts: null, followers: null, voters: null });

const documentsOf = async (
  engine: Engine,
  principal: Principal,
  kind: Kind,
  rows: readonly ChildRow[],
): Promise<readonly JsonObject[]> => {
  const records = rows.map((row) => decode(kind, row));
  const ids = mentionsIn(records, TOLD);
  const mentioned = ids.size === 0 ? NO_MENTIONS : await readMentions(engine.store.referenceById, ids);
  const view = plainView(engine, TOLD);
  return redactAll(
    engine,
    principal,
    records.map((record) => render({ ...record, mentioned }, view)),
  );
};

/** What the caller may see all of; a file of everything goes by the rights of each moment. */
const onlySeen = async (engine: Engine, principal: Principal, { entityType }: Kind, rows: readonly ChildRow[]) => {
  await engine.judge.settle();
  const ids = rows.map(({ node }) => node['id'] as string);
  const seen = new Set(await acceptedIds(engine, principal, VIEW_ALL, entityType, ids));
  return rows.filter((_, at) => seen.has(ids[at] ?? ''));
};

/** Goes on with something at once, whether or not anybody waits for it yet. */
const eager = <T>(work: Promise<T>): Promise<T> => {
  // Whoever waits hears of the failure; until then it must not bring the process down.
  work.catch(() => {});
  return work;
};

type Reader = { readonly engine: Engine; readonly principal: Principal };

/** Everything below one name begins with it and a dot, and a slash comes right after the dot. */
const rangeBelow = (fqn: string) => ({ edge: `${fqn}.`, end: `${fqn}/` });

/**
 * The documents of the records of one kind right below a record, in the order of their names. The first page is asked
 * for at once, and each further one while the one before it is worked on.
 */
export const readBelow = (
  { engine, principal }: Reader,
  kind: Kind,
  fqn: string,
): AsyncGenerator<readonly JsonObject[]> => {
  const statement = listChildren.for(kind.label);
  const { edge: beginning, end } = rangeBelow(fqn);
  const page = (edge: string) =>
    eager(engine.graph.read(statement, { edge, end, limit: PAGE, weight: PAGE_CHARACTERS }));
  const first = page(beginning);
  return (async function* () {
    for (let coming = first; ; ) {
      const rows = await coming;
      const last = rows.at(-1);
      if (!last) return;
      coming = page(last.node['fullyQualifiedName'] as string);
      yield await documentsOf(engine, principal, kind, await onlySeen(engine, principal, kind, rows));
    }
  })();
};
