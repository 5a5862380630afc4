import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../engine.ts';
import type { ListedRow } from '../list-queries.ts';
import { canSeeEverything, checkPermissions, VIEW_OPERATIONS } from './facts.ts';
import type { ListPlan } from './list.ts';
import type { Visibility } from './visibility.ts';

type PageDirection = Parameters<ListPlan['page']>[0];

const filterVisible = async (rows: readonly ListedRow[], sees: Exclude<Visibility, 'all'>): Promise<ListedRow[]> => {
  const seen = await sees(rows.map(({ id }) => id));
  return rows.filter(({ id }) => seen.has(id));
};

/** Reads all rows of a plan page by page; the next page is read while the current one is checked. */
async function* readAllPages({ page, atOnce }: ListPlan): AsyncGenerator<readonly ListedRow[]> {
  let coming = page('forward', '', atOnce);
  for (;;) {
    const rows = await coming;
    const last = rows.at(-1);
    if (!last || rows.length < atOnce) return yield rows;
    coming = page('forward', last.sortKey, atOnce);
    // A consumer that stops early must not get the error of the next page.
    coming.catch(() => {});
    yield rows;
  }
}

/**
 * Restricts a list to the records that the caller may see: pages are still full, and totals count only visible records.
 */
export const restrictToVisible = (plan: ListPlan, visibility: Visibility): ListPlan => {
  if (visibility === 'all') return plan;

  const page = async (direction: PageDirection, edge: string, limit: number): Promise<ListedRow[]> => {
    const found: ListedRow[] = [];
    let from = edge;
    for (let size = Math.min(limit, plan.atOnce); ; size = Math.min(size * 2, plan.atOnce)) {
      const rows = await plan.page(direction, from, size);
      found.push(...(await filterVisible(rows, visibility)));
      const last = rows.at(-1);
      if (!last || rows.length < size || found.length >= limit) return found.slice(0, limit);
      from = last.sortKey;
    }
  };

  const total = async (): Promise<number> => {
    let count = 0;
    for await (const rows of readAllPages(plan)) count += (await filterVisible(rows, visibility)).length;
    return count;
  };

  return { ...plan, page, total };
};

const hidesAnchor = async (engine: Engine, principal: Principal, { anchorIds }: ListPlan): Promise<boolean> => {
  if (anchorIds.length === 0 || canSeeEverything(engine, principal)) return false;
  const nodes = await Promise.all(anchorIds.map((id) => engine.store.referenceById(id)));
  const subjects = nodes.flatMap((node) => (node ? [{ entityType: node.entityType, entityId: node.id }] : []));
  return (await checkPermissions(engine, principal, VIEW_OPERATIONS, subjects)).includes(false);
};

/**
 * Makes a list empty when the record its rows are related to is hidden: the rows would reveal which records refer to
 * it.
 */
export const anchoredPlan = async (engine: Engine, principal: Principal, plan: ListPlan): Promise<ListPlan> =>
  (await hidesAnchor(engine, principal, plan)) ? { ...plan, page: async () => [], total: async () => 0 } : plan;
