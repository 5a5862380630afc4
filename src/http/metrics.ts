import { monitorEventLoopDelay } from 'node:perf_hooks';
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Route } from './route.ts';
import type { RequestSummary } from './router.ts';

/**
 * The metrics that the graph client reports. Names are those of declared statements, batches and queues, never text
 * from callers.
 */
export type GraphMetrics = {
  readonly databaseCall: (statement: string, seconds: number, ok: boolean) => void;
  readonly batch: (name: string, size: number) => void;
  /** Registers a queue whose length is read whenever metrics are collected. */
  readonly queueDepth: (name: string, read: () => number) => void;
  /** Registers the connections to the database in use, and how many there may be. */
  readonly connections: (read: () => number, most: number) => void;
};

/** How much work waits in the database, by queue, and for how long the oldest of it. */
export type BacklogState = {
  readonly isReachable: boolean;
  readonly queues: readonly { readonly queue: string; readonly waiting: number; readonly ageSeconds: number }[];
};

/** A value that a saved query answered, and what tells its rows apart. */
export type QueryMetric = { readonly name: string; readonly key: string; readonly value: number };

/** The metrics of one application. Two applications in one process share nothing. */
export type Metrics = GraphMetrics & {
  readonly request: (facts: RequestSummary) => void;
  /** Registers what is read of the database whenever metrics are collected. It must answer in time. */
  readonly backlog: (read: () => Promise<BacklogState>) => void;
  /** Registers what reads the saved queries that are metrics. It must answer in time. */
  readonly savedQueries: (read: () => Promise<readonly QueryMetric[]>) => void;
  /** Counts spans that the collector has taken, or that are lost. */
  readonly spans: (outcome: 'exported' | 'lost', count: number) => void;
  /** Renders all metrics in the text format of Prometheus. */
  readonly render: () => Promise<string>;
  readonly contentType: string;
  /** Reads all metrics as data, to be merged with those of other processes. */
  readonly collect: () => Promise<object>;
  /** Stops measuring the event loop. */
  readonly close: () => void;
};

/** Every bucket is a series of every label value, so there are as few as tell good from bad. */
const REQUEST_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 5, 30];
const DATABASE_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];
const SIZE_BUCKETS = [1, 8, 64, 512];
const LOOP_RESOLUTION_MS = 20;

const measureRequests = (registers: Registry[]) => {
  const total = new Counter({
    name: 'tributary_http_requests_total',
    help: 'Requests answered, by method, declared route and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'tributary_http_request_duration_seconds',
    help: 'Time from the first byte of a request to its complete response.',
    labelNames: ['method', 'route'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  return ({ method, route, status, seconds }: RequestSummary): void => {
    total.inc({ method, route, status });
    duration.observe({ method, route }, seconds);
  };
};

const measureDatabase = (registers: Registry[]) => {
  const total = new Counter({
    name: 'tributary_database_calls_total',
    help: 'Calls to the database, by statement and outcome.',
    labelNames: ['statement', 'outcome'],
    registers,
  });
  const seconds = new Counter({
    name: 'tributary_database_call_seconds_total',
    help: 'Time that calls to the database took together, by statement.',
    labelNames: ['statement'],
    registers,
  });
  const duration = new Histogram({
    name: 'tributary_database_call_duration_seconds',
    help: 'Time a call to the database took, by the group of its statement.',
    labelNames: ['group'],
    buckets: DATABASE_BUCKETS,
    registers,
  });
  return (statement: string, took: number, ok: boolean): void => {
    total.inc({ statement, outcome: ok ? 'ok' : 'failed' });
    seconds.inc({ statement }, took);
    duration.observe({ group: statement.slice(0, statement.indexOf('/')) || statement }, took);
  };
};

const measureConnections = (registers: Registry[]): GraphMetrics['connections'] => {
  let readUsed = () => 0;
  let limit = 0;
  new Gauge({
    name: 'tributary_database_connections',
    help: 'Connections to the database that are in use or waited for.',
    registers,
    collect() {
      this.set(readUsed());
    },
  });
  new Gauge({
    name: 'tributary_database_connections_limit',
    help: 'Most connections to the database at the same time.',
    registers,
    collect() {
      this.set(limit);
    },
  });
  return (read, most) => {
    readUsed = read;
    limit = most;
  };
};

/** All processes read the same database, so the largest value counts, and for reachability the smallest. */
const measureBacklog = (registers: Registry[]): Metrics['backlog'] => {
  let readState: (() => Promise<BacklogState>) | undefined;
  new Gauge({
    name: 'tributary_database_up',
    help: 'Whether the database answers: 1 or 0.',
    aggregator: 'min',
    registers,
    async collect() {
      const state = await readState?.();
      this.set(state?.isReachable ? 1 : 0);
    },
  });
  type Queue = BacklogState['queues'][number];
  const measureQueue = (name: string, help: string, readValue: (queue: Queue) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ['queue'],
      aggregator: 'max',
      registers,
      async collect() {
        const state = await readState?.();
        this.reset();
        for (const one of state?.queues ?? []) this.set({ queue: one.queue }, readValue(one));
      },
    });
  };
  measureQueue(
    'tributary_backlog_items',
    'Items that wait or are worked on in the database, by queue.',
    ({ waiting }) => waiting,
  );
  measureQueue(
    'tributary_backlog_age_seconds',
    'Age of the oldest item of each queue in the database.',
    ({ ageSeconds }) => ageSeconds,
  );
  return (read) => {
    readState = read;
  };
};

/** All processes ask the same database, so the largest value counts. */
const measureSavedQueries = (registers: Registry[]): Metrics['savedQueries'] => {
  let readValues: (() => Promise<readonly QueryMetric[]>) | undefined;
  new Gauge({
    name: 'tributary_graph_query',
    help: 'Values of saved queries that are metrics, by the name of the query and what tells its rows apart.',
    labelNames: ['query', 'key'],
    aggregator: 'max',
    registers,
    async collect() {
      const values = (await readValues?.()) ?? [];
      this.reset();
      for (const { name, key, value } of values) this.set({ query: name, key }, value);
    },
  });
  return (read) => {
    readValues = read;
  };
};

const measureBatches = (registers: Registry[]) => {
  const sizes = new Histogram({
    name: 'tributary_batch_size',
    help: 'Number of callers that shared one database call.',
    labelNames: ['name'],
    buckets: SIZE_BUCKETS,
    registers,
  });
  return (name: string, size: number): void => sizes.observe({ name }, size);
};

const measureSpans = (registers: Registry[]): Metrics['spans'] => {
  const total = new Counter({
    name: 'tributary_trace_spans_total',
    help: 'Spans of traces that the collector has taken or that were lost, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  return (outcome, count) => total.inc({ outcome }, count);
};

const measureQueues = (registers: Registry[]) => {
  const queues = new Map<string, () => number>();
  new Gauge({
    name: 'tributary_queue_depth',
    help: 'Current length of each queue.',
    labelNames: ['name'],
    registers,
    collect() {
      for (const [name, read] of queues) this.set({ name }, read());
    },
  });
  return (name: string, read: () => number): void => {
    queues.set(name, read);
  };
};

/**
 * Measures the delay of the event loop. The histogram counts its own sampling interval as delay, which is subtracted
 * again.
 */
const measureEventLoop = (registers: Registry[]) => {
  const delays = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  delays.enable();
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - LOOP_RESOLUTION_MS / 1e3) || 0;
  new Gauge({
    name: 'tributary_event_loop_lag_seconds',
    help: 'Delay of the event loop since the last collection.',
    aggregator: 'max',
    labelNames: ['percentile'],
    registers,
    collect() {
      this.set({ percentile: '50' }, seconds(delays.percentile(50)));
      this.set({ percentile: '99' }, seconds(delays.percentile(99)));
      this.set({ percentile: '100' }, seconds(delays.max));
      delays.reset();
    },
  });
  return () => {
    delays.disable();
  };
};

const measureProcess = (registers: Registry[]): void => {
  new Gauge({
    name: 'tributary_memory_bytes',
    help: 'Memory of the process, by kind.',
    labelNames: ['kind'],
    registers,
    collect() {
      const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
      this.set({ kind: 'resident' }, rss);
      this.set({ kind: 'heap_total' }, heapTotal);
      this.set({ kind: 'heap_used' }, heapUsed);
      this.set({ kind: 'external' }, external);
    },
  });
  new Counter({
    name: 'tributary_cpu_seconds_total',
    help: 'Processor time the process has used.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
};

/** Creates the metrics, in a registry that belongs to this application alone. */
export const createMetrics = (): Metrics => {
  const all = new Registry();
  const registers = [all];
  measureProcess(registers);
  return Object.freeze({
    request: measureRequests(registers),
    databaseCall: measureDatabase(registers),
    batch: measureBatches(registers),
    queueDepth: measureQueues(registers),
    connections: measureConnections(registers),
    backlog: measureBacklog(registers),
    savedQueries: measureSavedQueries(registers),
    spans: measureSpans(registers),
    close: measureEventLoop(registers),
    render: () => all.metrics(),
    collect: () => all.getMetricsAsJSON(),
    contentType: all.contentType,
  });
};

/** Renders the metrics that several processes have collected. They are added up; of lags the longest counts. */
export const mergeMetrics = (collected: readonly object[]): Promise<string> =>
  AggregatorRegistry.aggregate([...collected]).metrics();

/** Declares `GET /metrics`, which is public unless the configuration or the address of the service requires a token. */
export const metricsRoute = (metrics: Metrics, options: { readonly requireToken: boolean }): Route => ({
  method: 'GET',
  path: '/metrics',
  summary: 'Get the metrics of the service',
  tag: 'System',
  access: options.requireToken ? 'authenticated' : 'public',
  responses: { 200: undefined },
  handle: async () => ({
    status: 200,
    text: { mediaType: metrics.contentType, content: await metrics.render() },
  }),
});
