import type { JsonObject } from '../model/json.ts';
import { rowsOf } from './assets.ts';
import type { CatalogApi } from './catalog-api.ts';

/** Reads change events of a time, page by page, and describes them in few words. */

const PAGE = 200;
const MAX_PAGES = 25;

export type EventRequest = {
  readonly from: number;
  readonly to: number;
  /** Only events of these records are read. */
  readonly ids?: readonly string[];
  readonly isWanted: (fqn: string) => boolean;
};

type ReadEvents = {
  readonly rows: readonly JsonObject[];
  /** How many events were read to find them. */
  readonly read: number;
  /** The time at which reading stopped, when it did before the end. */
  readonly stoppedAt: string | undefined;
};

const toTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

const CHANGE_GROUPS = ['fieldsAdded', 'fieldsUpdated', 'fieldsDeleted'] as const;

const changedFields = (event: JsonObject): string[] => {
  const description = (event['changeDescription'] ?? {}) as JsonObject;
  return [...new Set(CHANGE_GROUPS.flatMap((group) => rowsOf(description[group]).map(({ name }) => String(name))))];
};

const describeEvent = (event: JsonObject): JsonObject => {
  const fields = changedFields(event);
  return {
    at: toTime(Number(event['timestamp'])),
    event: event['eventType'] ?? '',
    type: event['entityType'] ?? '',
    fqn: event['entityFullyQualifiedName'] ?? '',
    by: event['userName'] ?? '',
    ...(fields.length > 0 ? { fields } : {}),
  };
};

/** Reads events oldest first. Stops after a fixed number of pages and says where. */
export const readEvents = async (api: CatalogApi, { from, to, ids, isWanted }: EventRequest): Promise<ReadEvents> => {
  const rows: JsonObject[] = [];
  let read = 0;
  let after: string | undefined;
  let last = from;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await api.readJson({
      path: 'events',
      query: { timestamp: from, limit: PAGE, after, entityId: ids?.join(',') },
    });
    const events = rowsOf(answer['data']);
    for (const event of events) {
      last = Number(event['timestamp']);
      if (last > to) return { rows, read, stoppedAt: undefined };
      read += 1;
      if (isWanted(String(event['entityFullyQualifiedName'] ?? ''))) rows.push(describeEvent(event));
    }
    after = (answer['paging'] as JsonObject)['after'] as string | undefined;
    if (after === undefined) return { rows, read, stoppedAt: undefined };
  }
  return { rows, read, stoppedAt: toTime(last) };
};
