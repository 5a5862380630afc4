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
};

/** The metrics of one application. Two applications in one process share nothing. */
export type Metrics = GraphMetrics & {
  readonly request: (facts: RequestSummary) => void;
  /** Renders all metrics in the text format of Prometheus. */
  readonly render: () => Promise<string>;
  readonly contentType: string;
  /** Reads all metrics as data, to be merged with those of other processes. */
  readonly collect: () => Promise<object>;
  /** Stops measuring the event loop. */
  readonly close: () => void;
};

const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
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
    buckets: DURATION_BUCKETS,
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
  const duration = new Histogram({
    name: 'tributary_database_call_duration_seconds',
    help: 'Time a call to the database took, by statement.',
    labelNames: ['statement'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  return (statement: string, seconds: number, ok: boolean): void => {
    total.inc({ statement, outcome: ok ? 'ok' : 'failed' });
    duration.observe({ statement }, seconds);
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
    labelNames: ['quantile'],
    registers,
    collect() {
      this.set({ quantile: '0.5' }, seconds(delays.percentile(50)));
      this.set({ quantile: '0.99' }, seconds(delays.percentile(99)));
      this.set({ quantile: '1' }, seconds(delays.max));
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
    close: measureEventLoop(registers),
    render: () => all.metrics(),
    collect: () => all.getMetricsAsJSON(),
    contentType: all.contentType,
  });
};

/** Renders the metrics that several processes have collected. They are added up; of lags the longest counts. */
export const mergeMetrics = (collected: readonly object[]): Promise<string> =>
  AggregatorRegistry.aggregate([...collected]).metrics();

/** Declares `GET /metrics`, which is public unless the configuration requires a token. */
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
