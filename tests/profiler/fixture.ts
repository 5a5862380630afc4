import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { createSamples } from '../support/samples.ts';
import type { Client, Service } from '../support/service.ts';

export const TABLES = '/v1/tables';

/** A moment at noon of a day, counted from a day that all tests begin with. */
export const day = (count: number): number => Date.UTC(2024, 0, 1, 12) + count * 24 * 60 * 60 * 1000;

export const column = (name: string, more: JsonObject = {}): JsonObject => ({ name, dataType: 'INT', ...more });

export const COLUMNS = [
  column('id'),
  column('Amount'),
  column('address', { dataType: 'STRUCT', children: [column('street')] }),
];

/** A table with columns of its own, and where its profiles are. */
export const newTable = async (service: Service, more: JsonObject = {}) => {
  const body = await createSamples(service).body('table', { columns: COLUMNS, ...more });
  const made = ok(await service.admin.post(TABLES, body), 201);
  const fqn: string = made.fullyQualifiedName;
  return {
    body,
    made,
    id: made.id as string,
    fqn,
    at: `${TABLES}/${made.id}`,
    named: `${TABLES}/${encodeURIComponent(fqn)}`,
  };
};

export const ofTable = (timestamp: number, more: JsonObject = {}): JsonObject => ({ timestamp, rowCount: 1, ...more });

export const ofColumn = (name: string, timestamp: number, more: JsonObject = {}): JsonObject => ({
  name,
  timestamp,
  valuesCount: 1,
  ...more,
});

export const keep = async (client: Client, id: string, timestamp: number, more: JsonObject = {}) =>
  ok(await client.put(`${TABLES}/${id}/tableProfile`, { tableProfile: ofTable(timestamp), ...more }));
