import { readDocuments } from '../../catalog/read/documents.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { Asked } from '../asked/parameters.ts';
import type { PageRow } from '../asked/sort.ts';
import { judgeBy } from '../filter/match.ts';
import { every, type Filter, someLeaf } from '../filter/tree.ts';
import { showCounts } from './aggregate.ts';
import { type Search, seesInPart } from './candidates.ts';
import type { SearchRoom } from './room.ts';

/** Asking the engine beside the graph, where there is one and it can answer. */

type FoundBeside = {
  readonly isBeside: true;
  readonly rows: readonly PageRow[];
  readonly total: number;
  readonly aggregations: JsonObject | undefined;
};

/** Of what people type, the other engine forgives more: it finds what begins nearly like the last word as well. */
const roughly = (q: Filter): Filter => (q.is === 'simple' ? { ...q, isRough: true } : q);

/** Whether what was found is still there and what is asked for: the other engine hears of changes a little later. */
const isTrue = async ({ engine }: Search, asked: Asked, rows: readonly PageRow[]): Promise<boolean> => {
  const documents = await readDocuments(engine, rows);
  const wanted = every([roughly(asked.q), asked.filter, asked.postFilter]);
  const judge = judgeBy(wanted, engine.registry.byType, engine.clock());
  return rows.every(({ id }) => {
    const document = documents.get(id);
    return document !== undefined && judge(document);
  });
};

const isEmail = (field: string | undefined): boolean => field === 'email' || field?.startsWith('email.') === true;

/** Clients ask for people by e-mail right after they have made them, and remember for ever that there was nobody. */
const asksForEmail = (filter: Filter): boolean => someLeaf(filter, (leaf) => 'field' in leaf && isEmail(leaf.field));

/**
 * What the other engine answers; undefined where the graph must. Who may see some records of a kind and not others is
 * answered by the graph alone, which knows who they are.
 */
export const askBeside = async (
  { typesense, answeredBeside }: Pick<SearchRoom, 'typesense' | 'answeredBeside'>,
  search: Search,
  kinds: readonly Kind[],
  asked: Asked,
): Promise<FoundBeside | undefined> => {
  if (!typesense || kinds.length === 0 || seesInPart(search, kinds)) return undefined;
  if (asksForEmail(every([asked.q, asked.filter, asked.postFilter]))) return undefined;
  const answer = await typesense.answer(asked, kinds, search.engine.clock());
  if (!answer || !(await isTrue(search, asked, answer.rows))) return undefined;
  answeredBeside?.();
  const { rows, total, counts } = answer;
  return { isBeside: true, rows, total, aggregations: asked.aggregates ? showCounts(kinds, counts) : undefined };
};
