import type { JsonObject } from '../../src/model/json.ts';
import { SPARE_SCHEMA } from './dataset.ts';
import { median } from './measure.ts';
import { type Result, type Stand, target } from './stand.ts';

/** What a contract promises of this many columns is asked by so many rules. */
const COLUMNS = 500;
const RULES = 50;
/** A document of this many objects, as large as the largest that its makers publish. */
const OBJECTS = 68;
const PROPERTIES = 14;
const CONTRACTS = 1000;
const TURNS = 30;
/** The first ones wait for plans and compilers. */
const WARMING = 30;

const columnNames = Array.from({ length: COLUMNS }, (_, at) => `measure_${at}`);

const tableWith = async (stand: Stand, name: string, columns: readonly string[]): Promise<string> => {
  const body = {
    name,
    databaseSchema: SPARE_SCHEMA,
    description: 'What was measured.',
    columns: columns.map((column) => ({ name: column, dataType: 'INT' })),
  };
  const made = JSON.parse(await stand.load.run('putOne', { ...target(stand), path: '/v1/tables', body })) as JsonObject;
  return String(made['id']);
};

const rules = Array.from({ length: RULES }, (_, at) => ({
  name: `rule ${at}`,
  description: 'Every column has a name and a type.',
  rule: JSON.stringify({
    and: [
      { '!!': { var: `columns.${at * 7}.name` } },
      { '>': [{ length: [{ tableColumnValues: 'columns.dataType' }] }, at] },
      { some: [{ var: 'columns' }, { '==': [{ var: 'name' }, `measure_${at}`] }] },
    ],
  }),
  enabled: true,
}));

const validate = async (stand: Stand): Promise<number> => {
  const id = await tableWith(stand, 'promised_table', columnNames);
  const body = {
    name: 'promised',
    entity: { id, type: 'table' },
    schema: columnNames.map((name) => ({ name, dataType: 'INT' })),
    semantics: rules,
  };
  const made = JSON.parse(
    await stand.load.run('putOne', { ...target(stand), path: '/v1/dataContracts', body }),
  ) as JsonObject;
  const path = `/v1/dataContracts/${String(made['id'])}/validate`;
  const asked = Array.from({ length: WARMING + TURNS }, () => ({ path, body: {} }));
  const took = await stand.load.run('askEach', { ...target(stand), method: 'POST', asked });
  return median(took.slice(WARMING));
};

const propertyAt = (at: number): JsonObject => ({
  name: `column_${at}`,
  logicalType: at % 3 === 0 ? 'integer' : 'string',
  physicalType: at % 3 === 0 ? 'bigint' : 'varchar(200)',
  description: 'What this column holds, told at the length at which people tell such things in documents.',
  required: at % 2 === 0,
  classification: 'internal',
  tags: ['measured'],
});

export const largeContract = {
  apiVersion: 'v3.1.0',
  kind: 'DataContract',
  id: 'measured',
  name: 'measured',
  version: '1.0.0',
  status: 'active',
  schema: Array.from({ length: OBJECTS }, (_, at) => ({
    name: `object_${at}`,
    logicalType: 'object',
    physicalType: 'table',
    description: 'One of many.',
    properties: Array.from({ length: PROPERTIES }, (_none, index) => propertyAt(index)),
  })),
} satisfies JsonObject;

const importing = async (stand: Stand): Promise<number> => {
  const columns = Array.from({ length: PROPERTIES }, (_, at) => `column_${at}`);
  const took: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const id = await tableWith(stand, `imported_${turn}`, columns);
    const path = `/v1/dataContracts/odcs?entityId=${id}&entityType=table&objectName=object_0`;
    took.push(
      ...(await stand.load.run('askEach', {
        ...target(stand),
        method: 'POST',
        asked: [{ path, body: largeContract }],
      })),
    );
  }
  return median(took);
};

const small = { ...largeContract, schema: largeContract.schema.slice(0, 1) };

const exporting = async (stand: Stand): Promise<number> => {
  const columns = Array.from({ length: PROPERTIES }, (_, at) => `column_${at}`);
  const paths: string[] = [];
  for (let at = 0; at < CONTRACTS; at += 1) {
    const id = await tableWith(stand, `exported_${at}`, columns);
    const path = `/v1/dataContracts/odcs?entityId=${id}&entityType=table`;
    const made = JSON.parse(await stand.load.run('putOne', { ...target(stand), path, body: small })) as JsonObject;
    paths.push(`/v1/dataContracts/${String(made['id'])}/odcs/yaml`);
  }
  const asked = paths.map((path) => ({ path }));
  const took = await stand.load.run('askEach', { ...target(stand), method: 'GET', asked });
  return took.reduce((sum, one) => sum + one, 0);
};

const VALIDATE_MS = 50;
const IMPORT_MS = 500;
const EXPORT_MS = 10_000;

/** Judging a contract, reading the largest document, and writing many. */
export const measureContracts = async (stand: Stand): Promise<Result> => {
  const [validateMs, importMs, exportMs] = [await validate(stand), await importing(stand), await exporting(stand)];
  const bytes = JSON.stringify(largeContract).length;
  return {
    row: 'contracts',
    work: `judge ${COLUMNS} columns by ${RULES} rules; import ${OBJECTS} objects (${Math.round(bytes / 1024)} KB); export ${CONTRACTS}`,
    raw: '',
    service: `${validateMs.toFixed(1)} ms; ${importMs.toFixed(0)} ms; ${(exportMs / 1000).toFixed(1)} s`,
    reached: `${validateMs.toFixed(1)} ms; ${importMs.toFixed(0)} ms; ${(exportMs / 1000).toFixed(1)} s`,
    target: `≤ ${VALIDATE_MS} ms; ≤ ${IMPORT_MS} ms; ≤ ${EXPORT_MS / 1000} s`,
    ok: validateMs <= VALIDATE_MS && importMs <= IMPORT_MS && exportMs <= EXPORT_MS,
    figures: { validateMs, importMs, exportMs },
  };
};
