import { cp, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SPARE_SCHEMA } from './dataset.ts';
import { median, type Rate, takeTurns } from './measure.ts';
import { startService } from './service.ts';
import { type Result, type Stand, settingsOf, target } from './stand.ts';

/** What it costs to record and send every trace: a second service on the same database has a collector. */

const CALLERS = 16;
/** What tracing may cost. */
const AT_LEAST = 0.7;
const SAMPLE = 500;
/** How many edges the tables have that lineage is read of. */
const EDGES = 200;

type Side = { readonly address: string; readonly token: string };
type Load = (side: Side) => Promise<Rate>;

const openSink = async (): Promise<{ readonly server: Server; readonly address: string }> => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

/** Starts a service with the keys and the database of the one that is measured. */
const startTraced = async (stand: Stand, collector: string) => {
  const { home } = stand.service;
  const tracedHome = join(stand.folder, 'traced');
  await cp(join(home, 'keys'), join(tracedHome, 'keys'), { recursive: true });
  const settings = await readFile(join(home, 'neo4j', 'conf', 'neo4j.conf'), 'utf8');
  return startService(tracedHome, {
    ...settingsOf(stand.options),
    NEO4J_URI: `bolt://${/^server\.bolt\.listen_address=(.+)$/m.exec(settings)?.[1]}`,
    NEO4J_PASSWORD: (await readFile(join(home, 'neo4j', 'password'), 'utf8')).trim(),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
  });
};

type Sampled = { readonly id: string; readonly fqn: string };

const sampleTables = async (stand: Stand): Promise<readonly Sampled[]> => {
  const text = `MATCH (n:LiveTable) WHERE n.name STARTS WITH 'table_'
    RETURN n.id AS id, n.fullyQualifiedName AS fqn ORDER BY id LIMIT toInteger($most)`;
  const rows = await stand.raw.run('ask', { text, params: { most: SAMPLE } });
  return rows.map(({ id, fqn }) => ({ id: String(id), fqn: String(fqn) }));
};

const connectTables = async (stand: Stand, tables: readonly Sampled[]): Promise<void> => {
  for (let at = 0; at < EDGES; at += 1) {
    const [from, to] = [tables[at], tables[at + 1]];
    if (!from || !to) return;
    const edge = { fromEntity: { id: from.id, type: 'table' }, toEntity: { id: to.id, type: 'table' } };
    await stand.load.run('putOne', { ...target(stand), path: '/v1/lineage', body: { edge } });
  }
};

const loadsOf = (stand: Stand, tables: readonly Sampled[]): Readonly<Record<string, Load>> => {
  const { seconds } = stand.options;
  const get =
    (paths: readonly string[]): Load =>
    (side) =>
      stand.load.run('getPaths', { ...side, paths, callers: CALLERS, seconds });
  let turn = 0;
  return {
    'GET by name': get(tables.map(({ fqn }) => `/v1/tables/name/${encodeURIComponent(fqn)}`)),
    'list of 50': get(['/v1/tables?limit=50']),
    'PUT a table': (side) => {
      turn += 1;
      return stand.load.run('putTables', {
        ...side,
        prefix: `traced_${turn}`,
        schema: SPARE_SCHEMA,
        callers: CALLERS,
        seconds,
      });
    },
    'lineage, 3 levels': get(
      tables.slice(0, EDGES).map(({ id }) => `/v1/lineage/table/${id}?upstreamDepth=3&downstreamDepth=3`),
    ),
  };
};

const rateOf = (rates: readonly Rate[]): number => median(rates.map(({ perSecond }) => perSecond));

const measureSides = async (stand: Stand, traced: Side): Promise<Record<string, { off: number; on: number }>> => {
  const tables = await sampleTables(stand);
  await connectTables(stand, tables);
  const figures: Record<string, { off: number; on: number }> = {};
  for (const [name, load] of Object.entries(loadsOf(stand, tables))) {
    const { a, b } = await takeTurns(
      stand.options.rounds,
      () => load(target(stand)),
      () => load(traced),
    );
    figures[name] = { off: rateOf(a), on: rateOf(b) };
    stand.say(`${name}: ${rateOf(b).toFixed(0)} traced beside ${rateOf(a).toFixed(0)}/s`);
  }
  return figures;
};

/** How much slower the common requests are with every trace recorded and sent. */
export const measureTracing = async (stand: Stand): Promise<Result> => {
  const sink = await openSink();
  const traced = await startTraced(stand, sink.address);
  try {
    const figures = await measureSides(stand, { address: traced.address, token: target(stand).token });
    const ratios = Object.entries(figures).map(([name, { off, on }]) => `${name} ${(on / off).toFixed(2)}`);
    return {
      row: 'tracing',
      work: `every trace recorded and sent, beside no tracing, ${CALLERS} callers`,
      raw: '',
      service: Object.entries(figures)
        .map(([name, { off, on }]) => `${name} ${on.toFixed(0)} beside ${off.toFixed(0)}/s`)
        .join(', '),
      reached: `${ratios.join(', ')} ×`,
      target: `≥ ${AT_LEAST} ×`,
      ok: Object.values(figures).every(({ off, on }) => on / off >= AT_LEAST),
      figures,
    };
  } finally {
    await traced.stop();
    sink.server.close();
  }
};
