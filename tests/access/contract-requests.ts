import { ok } from '../support/expect.ts';
import type { Prepare } from './every-route-requests.ts';

/** Valid requests for the data contract routes in the table of every route. */

type World = Parameters<Prepare>[0]['world'];

const CONTRACTS = '/v1/dataContracts';

const DOCUMENT = { apiVersion: 'v3.1.0', kind: 'DataContract', id: 'x', version: '1', status: 'active' };

const freshTable = async (world: World) => {
  const kind = world.service.registry.byType.get('table');
  if (!kind) throw new Error('there are no tables');
  return (await world.fresh(kind)).record;
};

/** A table that has a contract. */
const covered = (world: World) =>
  world.once('covered table', async () => {
    const table = await freshTable(world);
    const body = { name: 'contract', entity: { id: table.id, type: 'table' } };
    const contract = ok(await world.service.admin.post(CONTRACTS, body), 201);
    return { table, contract };
  });

const about = ({ id }: { readonly id: string }): string => `?entityId=${id}&entityType=table`;

const addressed: Prepare = async ({ world }) => {
  const { contract } = await covered(world);
  return { params: { id: contract.id, fqn: contract.fullyQualifiedName } };
};

const ofTable: Prepare = async ({ world }) => ({ query: about((await covered(world)).table), body: {} });

const RESULT = { timestamp: 7, contractExecutionStatus: 'Success' };

/** A result that is there to be read or removed. */
const withResult: Prepare = async (given) => {
  const { contract } = await covered(given.world);
  const { id } = ok(await given.world.service.admin.put(`${CONTRACTS}/${contract.id}/results`, RESULT));
  return { params: { id: contract.id, result: id, timestamp: String(RESULT.timestamp) } };
};

const document: Prepare = async ({ world }) => ({ query: about((await covered(world)).table), body: DOCUMENT });

const newDocument: Prepare = async ({ world, succeeds }) => ({
  query: about(succeeds ? await freshTable(world) : (await covered(world)).table),
  body: DOCUMENT,
});

const trial: Prepare = async ({ world }) => ({
  body: { name: 'contract', entity: { id: (await covered(world)).table.id, type: 'table' } },
});

/** A change that is not made: the table would be left with one column. */
const change: Prepare = async ({ world }) => ({
  body: {
    entity: { id: (await covered(world)).table.id, type: 'table' },
    proposed: { columns: [{ name: 'left', dataType: 'INT' }] },
  },
});

export const CONTRACT_REQUESTS: Readonly<Record<string, Prepare>> = {
  'GET /v1/{collection}/entity': ofTable,
  'POST /v1/{collection}/entity/validate': ofTable,
  'POST /v1/{collection}/validate': trial,
  'POST /v1/{collection}/validate/yaml': trial,
  'POST /v1/{collection}/check': change,
  'POST /v1/{collection}/{id}/validate': async (given) => ({ ...(await addressed(given)), body: {} }),
  'GET /v1/{collection}/{id}/results': addressed,
  'PUT /v1/{collection}/{id}/results': async (given) => ({ ...(await addressed(given)), body: RESULT }),
  'GET /v1/{collection}/{id}/results/latest': withResult,
  'GET /v1/{collection}/{id}/results/{result}': withResult,
  'DELETE /v1/{collection}/{id}/results/{result}': async (given) => {
    const { params } = await withResult(given);
    return { params: { ...params, result: params?.['timestamp'] ?? '' } };
  },
  'DELETE /v1/{collection}/{id}/results/before/{timestamp}': withResult,
  ...Object.fromEntries(
    ['', '/yaml'].flatMap((suffix) => [
      [`GET /v1/{collection}/{id}/odcs${suffix}`, addressed],
      [`GET /v1/{collection}/name/{fqn}/odcs${suffix}`, addressed],
      [`POST /v1/{collection}/odcs${suffix}`, newDocument],
      [`PUT /v1/{collection}/odcs${suffix}`, document],
    ]),
  ),
  'POST /v1/{collection}/odcs/parse/yaml': async () => ({ body: DOCUMENT }),
  'POST /v1/{collection}/odcs/validate/yaml': document,
};
