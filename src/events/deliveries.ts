import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/property.ts';
import { decodeProgress, type Progress } from './progress.ts';
import {
  countFailed,
  createDeliveries,
  type ListedFailure,
  listFailed,
  readDeliveries,
  sendDeliveryTo,
} from './queries.ts';

/** How far the delivery to a subscription has come; undefined when it has not begun. */
export const readProgress = async (graph: Graph, subscriptionId: string): Promise<Progress | undefined> => {
  const [row] = await graph.read(readDeliveries, { rows: [{ at: 0, subscriptionId }] });
  return row && decodeProgress(row.node);
};

/** Lets the delivery to a subscription go on after a number, whoever does it and wherever it is. */
export const sendTo = async (graph: Graph, subscriptionId: string, seq: number): Promise<void> => {
  const rows = [{ at: 0, subscriptionId, seq: encodeProperty(seq) }];
  await graph.write(async (transaction) => {
    await transaction.run(createDeliveries, { rows });
    await transaction.run(sendDeliveryTo, { subscriptionId, seq });
  });
};

/** Beyond every place there is: places begin with a digit. */
const NEWEST = ':';

export type FailedPage = { readonly rows: readonly ListedFailure[]; readonly next: string | undefined; total: number };

/** What could not be delivered to a subscription, newest first, after a place in that order. */
export const listFailures = async (
  graph: Graph,
  subscriptionId: string,
  after: string | undefined,
  limit: number,
): Promise<FailedPage> => {
  const found = await graph.read(listFailed, { subscriptionId, edge: after ?? NEWEST, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const last = rows.at(-1)?.node['place'] as string | undefined;
  const total = (await graph.read(countFailed, { subscriptionId }))[0]?.total ?? 0;
  return { rows, next: found.length > limit ? last : undefined, total };
};
