import { type DbtArtifacts, memberEntries, memberObject, memberText } from '../dbt/artifacts.ts';
import { buildDataModel } from '../dbt/data-model.ts';
import { type DbtEdge, readDbtEdges } from '../dbt/dependencies.ts';
import { type DbtExposure, readExposures } from '../dbt/exposures.ts';
import { type DbtMetrics, readMetrics } from '../dbt/metrics.ts';
import { type DbtRelation, readRelations } from '../dbt/relations.ts';
import { DBT_DEFINITIONS, type DbtTests, readTests } from '../dbt/tests.ts';
import type { JsonObject } from '../model/json.ts';
import { joinFqn } from '../model/name.ts';
import { attempt } from './attempt.ts';
import { type CatalogClient, objectOf, openCatalog, textOf } from './catalog-client.ts';
import type { CommandInput } from './command.ts';
import { writeConsumers } from './dbt-consumers.ts';
import { readDbtFiles } from './dbt-files.ts';
import {
  asserterOf,
  createOwnerFinder,
  createPlaces,
  createTables,
  createTags,
  type DbtRequests,
  type DbtTally,
  endFormerEdges,
  findOwners,
  foldName,
  type KnownTable,
  listTables,
  openDbtRequests,
} from './dbt-records.ts';
import { stripControls } from './output.ts';
import { printList } from './print-list.ts';
import type { ServiceConnection } from './service-client.ts';

/** Brings what a dbt project says of its tables into the catalog of a running service. */

/** Manifests of dbt before 1.6 do not tell the name of their project. */
const DEFAULT_PROJECT = 'project';

type Project = {
  readonly name: string;
  readonly artifacts: DbtArtifacts;
  readonly relations: readonly DbtRelation[];
  readonly edges: readonly DbtEdge[];
  readonly tests: DbtTests;
  readonly exposures: readonly DbtExposure[];
  readonly metrics: DbtMetrics;
};

const readProject = async (folder: string): Promise<Project> => {
  const artifacts = await readDbtFiles(folder);
  const { manifest } = artifacts;
  const relations = readRelations(artifacts);
  const name = memberText(memberObject(manifest, 'metadata'), 'project_name') ?? DEFAULT_PROJECT;
  return {
    name,
    artifacts,
    relations,
    edges: readDbtEdges(artifacts, relations),
    tests: readTests(artifacts, relations),
    exposures: readExposures(artifacts, relations),
    metrics: readMetrics(artifacts, relations),
  };
};

type Room = {
  readonly requests: DbtRequests;
  readonly catalog: CatalogClient;
  readonly tally: DbtTally;
  readonly project: Project;
  /** The table of each relation, by the ID that dbt gives the relation. */
  readonly tables: ReadonlyMap<string, KnownTable>;
  readonly report: (text: string) => void;
};

/** Creates what is missing, and answers the table of each relation. */
const placeRelations = async (
  requests: DbtRequests,
  tally: DbtTally,
  service: string,
  { artifacts, relations }: Project,
): Promise<ReadonlyMap<string, KnownTable>> => {
  const adapter = memberText(memberObject(artifacts.manifest, 'metadata'), 'adapter_type');
  await createPlaces(requests, tally, { service, adapter }, relations);
  const fqnOf = ({ fqn }: DbtRelation) => foldName(`${joinFqn(undefined, service)}.${fqn}`);
  const databases = new Set(relations.map(({ database }) => joinFqn(joinFqn(undefined, service), database)));
  const before = await listTables(requests, databases);
  const missing = relations.filter((relation) => !before.has(fqnOf(relation)));
  if (missing.length > 0) await createTables(requests, tally, service, missing);
  const known = missing.length > 0 ? await listTables(requests, databases) : before;
  return new Map(
    relations.flatMap((relation) => {
      const table = known.get(fqnOf(relation));
      return table ? [[relation.uniqueId, table]] : [];
    }),
  );
};

/** Adds descriptions where the catalog has none: what people wrote stays. */
const describeTable = async ({ requests, tally }: Room, relation: DbtRelation, table: KnownTable): Promise<void> => {
  const said = new Map(relation.columns.map((column) => [column.name.toLowerCase(), column.description]));
  const changes: JsonObject[] = table.columns.flatMap((column, at) => {
    const value = said.get(column.name.toLowerCase());
    if (column.description !== '' || value === undefined) return [];
    return [
      { op: 'test', path: `/columns/${at}/name`, value: column.name },
      { op: 'add', path: `/columns/${at}/description`, value },
    ];
  });
  if (table.description === '' && relation.description !== undefined) {
    changes.push({ op: 'add', path: '/description', value: relation.description });
  }
  if (changes.length === 0) return;
  await requests.send('PATCH', `tables/${table.id}`, changes);
  tally.described += 1;
};

const writeModels = async (room: Room): Promise<void> => {
  const { requests, catalog, tally, project, tables, report } = room;
  const find = createOwnerFinder(requests, catalog);
  const upstream = new Map<string, string[]>();
  for (const { from, to } of project.edges) {
    const fqn = tables.get(from.uniqueId)?.fqn;
    if (fqn !== undefined) upstream.set(to.uniqueId, [...(upstream.get(to.uniqueId) ?? []), fqn]);
  }
  for (const [at, relation] of project.relations.entries()) {
    const table = tables.get(relation.uniqueId);
    if (table === undefined) continue;
    report(`${at + 1} of ${project.relations.length} tables`);
    await attempt(tally, table.fqn, async () => {
      await describeTable(room, relation, table);
      const { node } = relation;
      if (node === undefined) return;
      const owners = await findOwners(find, tally, relation.owners);
      const body = buildDataModel({ ...relation, node }, upstream.get(relation.uniqueId) ?? [], owners);
      await requests.send('PUT', `tables/${table.id}/dataModel`, body);
      tally.models += 1;
    });
  }
};

const endFormerTableEdges = async ({ requests, tally, project, tables }: Room): Promise<void> => {
  const sources = new Map<string, Set<string>>();
  for (const { from, to } of project.edges) {
    const id = tables.get(from.uniqueId)?.id;
    if (id !== undefined) sources.set(to.uniqueId, (sources.get(to.uniqueId) ?? new Set()).add(id));
  }
  for (const { uniqueId, node } of project.relations) {
    const table = tables.get(uniqueId);
    if (table === undefined || node === undefined) continue;
    await attempt(tally, table.fqn, () =>
      endFormerEdges(requests, project.name, { type: 'table', id: table.id }, sources.get(uniqueId) ?? new Set()),
    );
  }
};

const writeEdges = async (room: Room): Promise<void> => {
  const { requests, tally, project, tables, report } = room;
  await endFormerTableEdges(room);
  const rows = project.edges.flatMap(({ from, to, sql }) => {
    const [one, other] = [tables.get(from.uniqueId), tables.get(to.uniqueId)];
    if (one === undefined || other === undefined) return [];
    return [
      {
        edge: {
          fromEntity: { id: one.id, type: 'table' },
          toEntity: { id: other.id, type: 'table' },
          lineageDetails: { ...asserterOf(project.name), ...(sql === undefined ? {} : { sqlQuery: sql }) },
        },
      },
    ];
  });
  report(`${rows.length} edges of lineage`);
  const names = new Map([...tables.values()].map(({ id, fqn }) => [id, fqn]));
  tally.edges = await requests.sendRows('lineage/bulk?parseSql=true', rows, (row) => {
    const edge = objectOf(row['edge']);
    const [from, to] = [edge['fromEntity'], edge['toEntity']].map((end) => names.get(textOf(objectOf(end)['id'])));
    return `${from} → ${to}`;
  });
};

const writeTests = async ({ requests, tally, project, tables, report }: Room): Promise<void> => {
  const { tests, leftOut } = project.tests;
  for (const name of leftOut) tally.leftOut.add(`the test ${name}: it reads no table of the project`);
  for (const body of DBT_DEFINITIONS.filter(({ name }) => tests.some(({ definition }) => definition === name))) {
    const path = 'dataQuality/testDefinitions';
    if (!(await requests.find(`${path}/name/${textOf(body['name'])}`))) await requests.send('POST', path, body);
  }
  const results: JsonObject[] = [];
  for (const [at, { name, relation, column, definition, description, result }] of tests.entries()) {
    const table = tables.get(relation.uniqueId);
    if (table === undefined) continue;
    report(`${at + 1} of ${tests.length} tests`);
    const spelled = table.columns.find((one) => one.name.toLowerCase() === column?.toLowerCase())?.name;
    const entityLink = `<#E::table::${table.fqn}${spelled === undefined ? '' : `::columns::${spelled}`}>`;
    const more = description === undefined ? {} : { description };
    await attempt(tally, name, async () => {
      const body = { name, entityLink, testDefinition: definition, parameterValues: [], ...more };
      const { fullyQualifiedName } = await requests.send('PUT', 'dataQuality/testCases', body);
      tally.tests += 1;
      if (result) results.push({ testCaseFQN: textOf(fullyQualifiedName), ...result });
    });
  }
  const path = 'dataQuality/testCases/testCaseResults/bulk';
  tally.results = await requests.sendRows(path, results, (row) => textOf(row['testCaseFQN']));
};

const tagsOfProject = ({ relations, exposures, metrics }: Project): ReadonlySet<string> =>
  new Set([
    ...relations.flatMap(({ tags, columns }) => [...tags, ...columns.flatMap((one) => one.tags)]),
    ...exposures.flatMap(({ tags }) => tags),
    ...metrics.metrics.flatMap(({ tags }) => tags),
  ]);

const NOT_READ: readonly (readonly [string, string])[] = [
  ['saved_queries', 'saved queries'],
  ['unit_tests', 'unit tests'],
];

const printTally = ({ output }: CommandInput, tally: DbtTally, relations: number): void => {
  output.line(`${relations} tables and views of the project, ${tally.created} records created`);
  output.line(
    `${tally.models} models, ${tally.exposures} exposures, ${tally.metrics} metrics, ${tally.edges} edges of lineage, ${tally.tests} tests with ${tally.results} results`,
  );
  printList(output, output.paint('bold', 'Left out'), [...tally.leftOut]);
  printList(
    output,
    output.paint('red', 'Refused'),
    tally.refusals.map(({ name, message }) => `${name}: ${message}`),
  );
};

/** A table at the end of the project's lineage: what people look at first. */
const lastTable = ({ edges }: Project, tables: Room['tables']): string | undefined => {
  const read = new Set(edges.map(({ from }) => from.uniqueId));
  const ends = edges.flatMap(({ to }) => (read.has(to.uniqueId) ? [] : (tables.get(to.uniqueId)?.fqn ?? [])));
  return ends.sort()[0];
};

/** Says where the lineage that was just brought can be seen: in the browser, if the service has the explorer. */
const printFirstLook = async (
  { output }: CommandInput,
  { server, send }: ServiceConnection,
  fqn: string | undefined,
) => {
  if (fqn === undefined) return;
  const address = `${server}/lineage/table/${encodeURIComponent(fqn)}`;
  const { ok } = await send(address, { method: 'HEAD' });
  output.line(
    `See where ${stripControls(fqn)} comes from: ${ok ? address : `tributary lineage '${stripControls(fqn)}'`}`,
  );
};

/** Imports the artifacts of a folder. The exit code is 1 when something was refused. */
export const importDbt = async (input: CommandInput, remote: ServiceConnection): Promise<number> => {
  const [folder = ''] = input.positionals;
  const service = input.text('service') ?? '';
  const project = await readProject(folder);
  const tally: DbtTally = {
    created: 0,
    models: 0,
    exposures: 0,
    metrics: 0,
    described: 0,
    edges: 0,
    tests: 0,
    results: 0,
    refusals: [],
    leftOut: new Set(),
  };
  if (project.artifacts.catalog === undefined) {
    input.output.note('There is no catalog.json: run «dbt docs generate» to bring all columns with their types.');
  }
  for (const [member, words] of NOT_READ) {
    const { length } = memberEntries(project.artifacts.manifest, member);
    if (length > 0) tally.leftOut.add(`${words} (${length}): they are not read`);
  }
  const requests = openDbtRequests(remote, tally);
  const tables = await placeRelations(requests, tally, service, project);
  await createTags(requests, tally, tagsOfProject(project));
  const catalog = openCatalog(remote, 'import dbt');
  const room = { requests, catalog, tally, project, tables, report: input.output.progress };
  await writeModels(room);
  await writeEdges(room);
  await writeTests(room);
  const consumers = { requests, tally, project: project.name, tables, findOwner: createOwnerFinder(requests, catalog) };
  await writeConsumers(consumers, project);
  if (input.has('json')) input.output.json({ ...tally, leftOut: [...tally.leftOut] });
  else {
    printTally(input, tally, project.relations.length);
    await printFirstLook(input, remote, lastTable(project, tables));
  }
  return tally.refusals.length > 0 ? 1 : 0;
};
